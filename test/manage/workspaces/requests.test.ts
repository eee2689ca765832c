// The request log of the v1 API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/store/database/sql.ts'
import { makeClient, makeOwner } from '../../harness/client.ts'
import { call, ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,upkeep' } })
const client = await makeClient(service)
const other = await makeClient(service, { workspaceId: client.workspaceId })
const neighbour = await makeClient(service)
const owner = await makeOwner(service, client.workspaceId)
const path = `/workspaces/${client.workspaceId}/requests`
const asOwner = async (query = '') => (await service.manage('GET', `${path}${query}`, undefined, owner.token)).body
const listed = (count: number, query = '') =>
  until(async () => {
    const { items } = await asOwner(query)
    return items.length === count && items
  })

test('lists refused requests with code, request id and client, and counts successful ones', async () => {
  const beganAt = performance.now()
  await client.send({ to: '9841000001' })
  const wrong = await client.send({ to: '12' })
  const answeredWithinMs = Math.ceil(performance.now() - beganAt)
  await service.advance(1)
  await other.get('/sms/messages/0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20')
  await neighbour.send({ to: '12' })
  const [missing, refused, ...rest] = await listed(2)
  assert.deepEqual(rest, [])
  const { milliseconds, ...shown } = refused
  assert.ok(milliseconds >= 0 && milliseconds <= answeredWithinMs)
  assert.deepEqual(shown, {
    id: wrong.headers.get('x-request-id'),
    clientId: client.id,
    method: 'POST',
    route: '/api/sms/v1/sms/send',
    status: 400,
    code: 'invalid_request',
    at: '2026-11-16T04:00:00.000Z',
  })
  assert.deepEqual([missing.clientId, missing.code, missing.status], [other.id, 'not_found', 404])
  assert.equal(missing.route, '/api/sms/v1/sms/messages/:id')
  assert.deepEqual(
    (await asOwner(`?client=${other.id}`)).items.map((it: { code: string }) => it.code),
    ['not_found'],
  )
  assert.deepEqual((await asOwner('?code=rate_limited')).items, [])
  const errors = await asOwner('/errors')
  assert.deepEqual(errors.requests, { answered: 1, refused: 2, failed: 0 })
  assert.deepEqual(
    errors.items.map(({ code, requests }: { code: string; requests: number }) => [code, requests]),
    [
      ['not_found', 1],
      ['invalid_request', 1],
    ],
  )
})

test('logs requests of a disabled client in its workspace, and of an unknown key nowhere', async () => {
  const before = (await asOwner()).items.length
  await service.manage('POST', `/clients/${other.id}/disable`)
  await call(`${service.url}/api/sms/v1/sms/balance`, { method: 'GET', headers: { 'x-api-key': 'svc_live_wrong' } })
  await other.get('/sms/balance')
  const [last] = await listed(before + 1)
  assert.deepEqual([last.code, last.clientId], ['client_disabled', other.id])
  const [unknown] = await service.db.query<{ count: number }>(
    sql`select count(*) from refused_request where code = 'unauthorized'`,
  )
  assert.equal(unknown?.count, 0)
})

test('stores no body, key or number', async () => {
  const rows = await service.db.query(sql`
    select to_jsonb(it) as kept from refused_request it union all select to_jsonb(it) from request_count it`)
  const kept = JSON.stringify(rows)
  for (const secret of [client.apiKey.slice(-20), '9841000001', '9841234567', 'Namaste'])
    assert.equal(kept.includes(secret), false)
})

test('counts all of many refusals, and lists a bounded number (D43)', async () => {
  const flood = await makeClient(service, { requestsPerSecond: 1 })
  for (let sent = 0; sent < 1_200; sent += 100)
    await Promise.all(Array.from({ length: 100 }, () => flood.get('/sms/balance')))
  const at = `/workspaces/${flood.workspaceId}/requests/errors`
  const { items } = await until(async () => {
    const { body } = await service.manage('GET', at)
    return body.items[0]?.requests >= 1_199 && body
  })
  assert.deepEqual([items[0].code, items[0].requests], ['rate_limited', 1_199])
  const [kept] = await service.db.query<{ count: number }>(
    sql`select count(*) from refused_request where workspace_id = ${flood.workspaceId}`,
  )
  assert.equal(kept?.count, 1_000)
})

test('keeps the log for seven days', async () => {
  await service.advance(7 * 86_400 + 3_600)
  const left = await service.db.query(sql`
    select from refused_request union all select from request_count where hour < '2026-11-17'`)
  assert.deepEqual(left, [])
})
