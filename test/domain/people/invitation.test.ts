// What whoever has a link must bring along, and who may make one to a new password.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Brought, judgeEntry, mayRecover, type Purpose } from '../../../src/domain/people/invitation.ts'
import { Refusal } from '../../../src/domain/refusals.ts'

const NOTHING: Brought = { email: null, name: null, password: null, signedIn: null }
const first: Purpose = { kind: 'operator', email: null }
const member: Purpose = { kind: 'member', email: 'asha@example.com', workspaceId: 'w', role: 'viewer' }
const here = { id: 'p', hasAccess: true }
const removed = { id: 'p', hasAccess: false }

function judged(...given: Parameters<typeof judgeEntry>): unknown {
  const entry = judgeEntry(...given)
  return entry instanceof Refusal ? entry.code : entry
}

test('the first operator may come with nothing; whoever is invited chooses a password', () => {
  const password = 'x'
  const open = { as: 'new', id: null, email: 'operator@localhost', name: 'Operator', password: null }
  assert.deepEqual(judged(first, null, NOTHING), open)
  assert.equal(judged(member, null, NOTHING), 'invalid_request')
  const asha = { as: 'new', email: 'asha@example.com', name: 'asha', password }
  assert.deepEqual(judged(member, null, { ...NOTHING, password }), { ...asha, id: null })
  assert.deepEqual(judged(member, removed, { ...NOTHING, password }), { ...asha, id: 'p' }, 'as somebody new')
  // The address of an invitation is the one it was made for.
  assert.deepEqual(judged(member, null, { ...NOTHING, password, email: 'other@example.com' }), { ...asha, id: null })
})

test('nobody becomes somebody who is here already by a link alone', () => {
  assert.equal(judged(member, here, NOTHING), 'invalid_request')
  assert.equal(judged(member, here, { ...NOTHING, signedIn: 'another' }), 'invalid_request')
  assert.deepEqual(judged(member, here, { ...NOTHING, signedIn: 'p' }), { as: 'known', id: 'p', proof: 'none' })
  const proof = { password: 'x' }
  assert.deepEqual(judged(member, here, { ...NOTHING, ...proof }), { as: 'known', id: 'p', proof })
  assert.equal(judged(first, here, { ...NOTHING, ...proof, email: 'asha@example.com' }), 'conflict')
})

test('an owner makes a link to a new password only for who is nowhere else, or where it is mailed and not shown', () => {
  const owner = { isOperator: false, workspaceId: 'w' }
  const operator = { isOperator: true, workspaceId: null }
  const only = { isOperator: false, workspaceIds: ['w'] }
  const elsewhere = { isOperator: false, workspaceIds: ['w', 'v'] }
  const powerful = { isOperator: true, workspaceIds: ['w'] }
  const may = [only, elsewhere, powerful].map((it) => mayRecover(owner, it, false))
  assert.deepEqual(may, [true, false, false])
  for (const it of [only, elsewhere, powerful]) {
    assert.ok(mayRecover(operator, it, false))
    assert.ok(mayRecover(owner, it, true))
  }
})
