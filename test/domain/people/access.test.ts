// D67: which tokens a person's access includes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { includesRole, WORKSPACE_ROLES } from '../../../src/domain/people/permission.ts'

test('gives a member the roles at or below their own, in that workspace only', () => {
  for (const [at, own] of WORKSPACE_ROLES.entries())
    for (const [other, role] of WORKSPACE_ROLES.entries()) {
      const access = { isOperator: false, memberships: [{ workspaceId: 'a', role: own }] }
      assert.equal(includesRole(access, { workspaceId: 'a', role }), at <= other, `${own} ${role}`)
      assert.equal(includesRole(access, { workspaceId: 'b', role }), false)
      assert.equal(includesRole(access, { workspaceId: null, role: 'operator' }), false)
    }
})

test('gives an operator every role everywhere, and a person without membership none', () => {
  const places = [
    { workspaceId: null, role: 'operator' },
    { workspaceId: 'a', role: 'owner' },
  ] as const
  for (const place of places) {
    assert.equal(includesRole({ isOperator: true, memberships: [] }, place), true)
    assert.equal(includesRole({ isOperator: false, memberships: [] }, place), false)
  }
})
