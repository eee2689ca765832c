// Authentication of the management API: the operator token, and owner tokens until they are revoked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { makeOwner, makeWorkspace } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { call, ownService, START } from '../harness/service.ts'
import { ABSENT } from './fixtures.ts'

const service = await ownService()
const second = await ownService({ beside: service })
const { manage, url } = service
const workspaceId = await makeWorkspace(service)

test('rejects a missing token, another scheme and an unknown token with 401, also for unknown paths', async () => {
  for (const path of ['/workspaces', '/service', `/workspaces/${workspaceId}`, '/nothing/here']) {
    const ask = (authorization?: string) =>
      call(`${url}/api/manage/v1${path}`, { method: 'GET', headers: authorization ? { authorization } : {} })
    assertRefused(await ask(), 401, 'unauthorized')
    assertRefused(await ask('Basic b3BlcmF0b3I6eA=='), 401, 'unauthorized')
    assertRefused(await ask('Bearer '), 401, 'unauthorized')
    assertRefused(await ask('Bearer operator-token-of-the-test'), 401, 'unauthorized')
  }
})

test('shows an owner token once, and only its name afterwards', async () => {
  const { id, token } = await makeOwner(service, workspaceId)
  assert.match(token, /^hulaki_owner_[0-9a-f]{48}$/)
  const { items } = (await manage('GET', `/workspaces/${workspaceId}/owner-tokens`)).body
  const listed = items.find((it: { id: string }) => it.id === id)
  const never = { expiresAt: null, lastUsedAt: null, revokedAt: null }
  const createdAt = START.toISOString()
  assert.deepEqual(listed, { id, workspaceId, name: 'Asha', role: 'owner', createdAt, ...never })
  assert.equal((await manage('GET', `/workspaces/${workspaceId}`, undefined, token)).status, 200)
})

test('rejects a revoked token on the next request on every process; a second revocation changes nothing', async () => {
  const { id, token } = await makeOwner(service, workspaceId)
  const path = `/workspaces/${workspaceId}/owner-tokens/${id}`
  // Ids increase strictly within a process; between two processes the clock must advance.
  await service.advance(1)
  assert.equal((await second.manage('DELETE', path)).status, 204)
  for (const process of [service, second]) {
    assertRefused(await process.manage('GET', `/workspaces/${workspaceId}`, undefined, token), 401, 'unauthorized')
  }
  assert.equal((await manage('DELETE', path)).status, 204)
  const { items } = (await manage('GET', `/workspaces/${workspaceId}/audit-log`)).body
  const entries = items.filter((it: { subject: string; action: string }) => it.subject === id)
  assert.deepEqual(
    entries.map((it: { action: string }) => it.action),
    ['owner_token.revoked', 'owner_token.created'],
  )
})

test('rejects tokens without a name with 400, and of a missing or another workspace with 404', async () => {
  const tokens = `/workspaces/${workspaceId}/owner-tokens`
  assertRefused(await manage('POST', tokens, {}), 400, 'invalid_request', ['name'])
  assertRefused(await manage('POST', `/workspaces/${ABSENT}/owner-tokens`, { name: 'x' }), 404, 'not_found')
  assertRefused(await manage('GET', `/workspaces/${ABSENT}/owner-tokens`), 404, 'not_found')
  assertRefused(await manage('DELETE', `${tokens}/${ABSENT}`), 404, 'not_found')
  const { id } = await makeOwner(service, workspaceId)
  const elsewhere = await makeWorkspace(service)
  assertRefused(await manage('DELETE', `/workspaces/${elsewhere}/owner-tokens/${id}`), 404, 'not_found')
})

test('rejects a wrong token with 401 every time with one look-up, and accepts a valid token immediately on every process (D35)', async () => {
  const ask = (token: string, process = service) =>
    process.manage('GET', `/workspaces/${workspaceId}`, undefined, token)
  for (let times = 0; times < 110; times++) assertRefused(await ask('a-guess'), 401, 'unauthorized')
  await service.db.query(sql`alter table owner_token rename to owner_token_away`)
  const [again, other] = [await ask('a-guess'), await ask('another-guess')]
  await service.db.query(sql`alter table owner_token_away rename to owner_token`)
  assertRefused(again, 401, 'unauthorized')
  assertRefused(other, 500, 'server_error')
  const { token } = await makeOwner(service, workspaceId)
  for (const process of [service, second]) assert.equal((await ask(token, process)).status, 200)
})
