// Who may use a route of the management API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isForWorkspaces, mayUse, type Permission } from '../../../src/domain/people/permission.ts'

const ofService: Permission = { scope: 'service', roles: ['operator'] }
const ofOperator: Permission = { scope: 'workspace', roles: ['operator'] }
const ofBoth: Permission = { scope: 'workspace', roles: ['operator', 'owner'] }
const ofOwner: Permission = { scope: 'caller', roles: ['owner'] }
const ofNobody: Permission = { scope: 'workspace', roles: [] }

test('a route is for the roles it names and for no other; one that names none is for nobody', () => {
  const may = (permission: Permission) => [mayUse('operator', permission), mayUse('owner', permission)]
  assert.deepEqual(may(ofService), [true, false])
  assert.deepEqual(may(ofOperator), [true, false])
  assert.deepEqual(may(ofBoth), [true, true])
  assert.deepEqual(may(ofOwner), [false, true])
  assert.deepEqual(may(ofNobody), [false, false])
})

test('D43: turns are taken where somebody may call who sees a single workspace', () => {
  const all = [ofService, ofOperator, ofBoth, ofOwner, ofNobody]
  assert.deepEqual(all.map(isForWorkspaces), [false, false, true, true, false])
})

test('what works on all of the service cannot be opened to a role of one workspace: it does not compile', () => {
  // @ts-expect-error: an owner sees a single workspace.
  const leak: Permission = { scope: 'service', roles: ['operator', 'owner'] }
  // @ts-expect-error: there is no such role.
  const unknown: Permission = { scope: 'workspace', roles: ['somebody'] }
  assert.equal(mayUse('operator', unknown), false)
  assert.equal(mayUse('operator', leak), true)
})
