// What is required to use a link, and who may create a password link.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canRecover, checkLinkEntry, type LinkInput, type Purpose } from '../../../src/domain/people/invitation.ts'
import { Refusal } from '../../../src/domain/refusals.ts'

const NOTHING: LinkInput = { email: null, name: null, password: null, signedIn: null }
const first: Purpose = { kind: 'operator', email: null }
const member: Purpose = { kind: 'member', email: 'asha@example.com', workspaceId: 'w', role: 'viewer' }
const here = { id: 'p', hasAccess: true }
const removed = { id: 'p', hasAccess: false }

function judged(...given: Parameters<typeof checkLinkEntry>): unknown {
  const entry = checkLinkEntry(...given)
  return entry instanceof Refusal ? entry.code : entry
}

test('lets the first operator in without input, and requires a password from invited people', () => {
  const password = 'x'
  const open = { as: 'new', id: null, email: 'operator@localhost', name: 'Operator', password: null }
  assert.deepEqual(judged(first, null, NOTHING), open)
  assert.equal(judged(member, null, NOTHING), 'invalid_request')
  const asha = { as: 'new', email: 'asha@example.com', name: 'asha', password }
  assert.deepEqual(judged(member, null, { ...NOTHING, password }), { ...asha, id: null })
  assert.deepEqual(judged(member, removed, { ...NOTHING, password }), { ...asha, id: 'p' }, 'as a new person')
  // The address of an invitation cannot change.
  assert.deepEqual(judged(member, null, { ...NOTHING, password, email: 'other@example.com' }), { ...asha, id: null })
})

test('never signs in as an existing person by a link alone', () => {
  assert.equal(judged(member, here, NOTHING), 'invalid_request')
  assert.equal(judged(member, here, { ...NOTHING, signedIn: 'another' }), 'invalid_request')
  assert.deepEqual(judged(member, here, { ...NOTHING, signedIn: 'p' }), { as: 'known', id: 'p', proof: 'none' })
  const proof = { password: 'x' }
  assert.deepEqual(judged(member, here, { ...NOTHING, ...proof }), { as: 'known', id: 'p', proof })
  assert.equal(judged(first, here, { ...NOTHING, ...proof, email: 'asha@example.com' }), 'conflict')
})

test('lets an owner create a password link only for a person without other access, or if it is mailed', () => {
  const owner = { isOperator: false, workspaceId: 'w' }
  const operator = { isOperator: true, workspaceId: null }
  const only = { isOperator: false, workspaceIds: ['w'] }
  const elsewhere = { isOperator: false, workspaceIds: ['w', 'v'] }
  const powerful = { isOperator: true, workspaceIds: ['w'] }
  const may = [only, elsewhere, powerful].map((it) => canRecover(owner, it, false))
  assert.deepEqual(may, [true, false, false])
  for (const it of [only, elsewhere, powerful]) {
    assert.ok(canRecover(operator, it, false))
    assert.ok(canRecover(owner, it, true))
  }
})
