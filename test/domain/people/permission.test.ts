// Which roles may use a route of the management API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canUse, isForWorkspaces, type Permission } from '../../../src/domain/people/permission.ts'

const ofService: Permission = { scope: 'service', roles: ['operator'] }
const ofOperator: Permission = { scope: 'workspace', roles: ['operator'] }
const ofBoth: Permission = { scope: 'workspace', roles: ['operator', 'owner'] }
const ofOwner: Permission = { scope: 'caller', roles: ['owner'] }
const ofNobody: Permission = { scope: 'workspace', roles: [] }

test('allows the named roles and no other; a route without roles is for nobody', () => {
  const may = (permission: Permission) => [canUse('operator', permission), canUse('owner', permission)]
  assert.deepEqual(may(ofService), [true, false])
  assert.deepEqual(may(ofOperator), [true, false])
  assert.deepEqual(may(ofBoth), [true, true])
  assert.deepEqual(may(ofOwner), [false, true])
  assert.deepEqual(may(ofNobody), [false, false])
})

test('takes turns on routes that workspace roles may call (D43)', () => {
  const all = [ofService, ofOperator, ofBoth, ofOwner, ofNobody]
  assert.deepEqual(all.map(isForWorkspaces), [false, false, true, true, false])
})

test('does not compile if a service route names a workspace role', () => {
  // @ts-expect-error: an owner has one workspace only.
  const leak: Permission = { scope: 'service', roles: ['operator', 'owner'] }
  // @ts-expect-error: unknown role.
  const unknown: Permission = { scope: 'workspace', roles: ['somebody'] }
  assert.equal(canUse('operator', unknown), false)
  assert.equal(canUse('operator', leak), true)
})
