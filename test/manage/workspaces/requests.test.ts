// The request log of the v1 API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskUnknownKey } from '../../../src/domain/workspaces/api-key.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { makeClient, makeOwner } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { call, ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,upkeep' } })
const client = await makeClient(service)
const other = await makeClient(service, { workspaceId: client.workspaceId })
const neighbour = await makeClient(service)
const owner = await makeOwner(service, client.workspaceId)
const path = `/workspaces/${client.workspaceId}/requests`
const asOwner = async (query = '') => (await service.manage('GET', `${path}${query}`, undefined, owner.token)).body
const listed = (count: number, query = '?outcome=refused') =>
  until(async () => {
    const { items } = await asOwner(query)
    return items.length === count && items
  })

test('lists requests with code, request id, key and client, by outcome, code, client, id and time', async () => {
  const beganAt = performance.now()
  const sent = await client.send({ to: '9841000001' })
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
    keyHint: client.apiKey.slice(0, 15),
    method: 'POST',
    route: '/api/sms/v1/sms/send',
    status: 400,
    code: 'invalid_request',
    isSampled: false,
    at: '2026-11-16T04:00:00.000Z',
  })
  assert.deepEqual([missing.clientId, missing.code, missing.status], [other.id, 'not_found', 404])
  assert.equal(missing.route, '/api/sms/v1/sms/messages/:id')
  assert.deepEqual(
    (await asOwner(`?client=${other.id}`)).items.map((it: { code: string }) => it.code),
    ['not_found'],
  )
  assert.deepEqual((await asOwner('?code=rate_limited')).items, [])
  const [success] = await listed(1, '?outcome=successful')
  assert.deepEqual([success.status, success.code, success.isSampled], [200, null, false])
  assert.equal(success.id, sent.headers.get('x-request-id'))
  const idsOf = async (query: string) => (await asOwner(query)).items.map((it: { id: string }) => it.id)
  assert.deepEqual(await idsOf(''), [missing.id, refused.id, success.id])
  assert.deepEqual(await idsOf(`?request-id=${success.id}`), [success.id])
  assert.deepEqual(await idsOf('?from-date=2026-11-16T04:00:01Z'), [missing.id])
  assert.deepEqual(await idsOf('?to-date=2026-11-16T04:00:01Z'), [refused.id, success.id])
  assert.deepEqual(await idsOf('?from-date=2026-11-16&to-date=2026-11-16'), [missing.id, refused.id, success.id])
  assert.deepEqual(await idsOf('?outcome=successful&code=not_found'), [])
  const backwards = await service.manage('GET', `${path}?from-date=2026-11-17&to-date=2026-11-16`)
  assertRefused(backwards, 400, 'invalid_request', ['to-date'])
  const pages = await Promise.all([asOwner('?limit=2'), asOwner(`?limit=2&cursor=${refused.id}`)])
  assert.deepEqual([pages[0].next, pages[1].items.length, pages[1].next], [refused.id, 1, null])
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

interface UnknownKeys {
  address: string
  keyHint: string | null
  requests: number
}

test('logs requests of a disabled client in its workspace, and of an unknown key by address and masked for the operator', async () => {
  const before = (await asOwner('?outcome=refused')).items.length
  await service.manage('POST', `/clients/${other.id}/disable`)
  const ask = (headers: Record<string, string>) =>
    call(`${service.url}/api/sms/v1/sms/balance`, { method: 'GET', headers })
  await ask({ 'x-api-key': `svc_live_${'0a1b2c3d'.repeat(6)}` })
  await ask({ 'x-api-key': 'a-secret-of-somebody' })
  await ask({})
  await other.get('/sms/balance')
  const [last] = await listed(before + 1)
  assert.deepEqual([last.code, last.clientId], ['client_disabled', other.id])
  const [unknown] = await service.db.query<{ count: number }>(
    sql`select count(*) from refused_request where code = 'unauthorized'`,
  )
  assert.equal(unknown?.count, 0)
  const rows: UnknownKeys[] = await until(async () => {
    const { items } = (await service.manage('GET', '/requests/unknown-keys')).body
    return items[0]?.requests === 3 && items
  })
  assert.deepEqual(
    rows.map(({ address, keyHint, requests }) => [address, keyHint, requests]),
    [['127.0.0.1', 'svc_live_0a1b2c…', 3]],
  )
  assert.deepEqual((await service.manage('GET', '/requests/unknown-keys?address=192.0.2.1')).body.items, [])
  assertRefused(await service.manage('GET', '/requests/unknown-keys', undefined, owner.token), 404, 'not_found')
})

test('masks unknown keys: a text in another format may be any secret', () => {
  assert.equal(maskUnknownKey(`svc_live_${'0a1b2c3d'.repeat(6)}`), 'svc_live_0a1b2c…')
  assert.equal(maskUnknownKey('my_own_password_123'), '…')
  assert.equal(maskUnknownKey('hulaki_owner_0123456789'), 'hula…')
  assert.equal(maskUnknownKey('\u0000é key of somebody else'), '??\u003fk…')
})

test('lists the requests of all workspaces for the operator, with names, by workspace', async () => {
  const list = async (query: string) => (await service.manage('GET', `/requests${query}`)).body.items
  const all = await list('?limit=200')
  const ofNeighbour = all.filter((it: { clientId: string }) => it.clientId === neighbour.id)
  assert.equal(ofNeighbour.length, 1)
  const { workspaceId, workspaceName, clientName, code } = ofNeighbour[0]
  assert.deepEqual([workspaceId, workspaceName, clientName], [neighbour.workspaceId, 'Himal Bank', 'Himal app'])
  assert.equal(code, 'invalid_request')
  assert.deepEqual(await list(`?workspace=${neighbour.workspaceId}`), ofNeighbour)
  assert.ok(all.some((it: { status: number }) => it.status === 200))
  const pages = [await service.manage('GET', '/requests?limit=3')]
  pages.push(await service.manage('GET', `/requests?limit=200&cursor=${pages[0]?.body.next}`))
  assert.deepEqual(
    pages.flatMap((it) => it.body.items),
    all,
  )
  assertRefused(await service.manage('GET', '/requests', undefined, owner.token), 404, 'not_found')
})

test('lists a sample of many successes, says so, and delays no other workspace (D43)', async () => {
  const busy = await makeClient(service, { requestsPerSecond: 1_000 })
  await Promise.all(Array.from({ length: 100 }, () => busy.get('/sms/balance')))
  const at = `/workspaces/${busy.workspaceId}/requests`
  const { items } = await until(async () => {
    const { body } = await service.manage('GET', `${at}?limit=200`)
    return body.items.length > 60 && body
  })
  assert.deepEqual([items.length, items.filter((it: { isSampled: boolean }) => it.isSampled).length], [61, 1])
  await until(async () => (await service.manage('GET', `${at}/errors`)).body.requests.answered === 100)
})

test('stores no body, key or number', async () => {
  const rows = await service.db.query(sql`
    select to_jsonb(it) as kept from refused_request it union all select to_jsonb(it) from request_count it
    union all select to_jsonb(it) from successful_request it union all select to_jsonb(it) from unknown_key_request it`)
  const kept = JSON.stringify(rows)
  for (const secret of [client.apiKey.slice(-20), '0a1b2c3d0a', 'secret-of', '9841000001', '9841234567', 'Namaste'])
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

test('a page with a rare client reads a bounded number of requests and continues (D43)', async () => {
  const { id, workspaceId } = await makeClient(service)
  const rare = await makeClient(service, { workspaceId })
  await service.db.query(sql`
    insert into successful_request (workspace_id, id, client_id, key_hint, method, route, status, milliseconds, is_sampled, at)
    select ${workspaceId}::uuid, ('019a8000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
      case n when 1 then ${rare.id} else ${id} end::uuid, 'svc_live_000000', 'GET', '/', 200, 1, false, now()
    from generate_series(1, 12000) as n`)
  const first = (await service.manage('GET', `/workspaces/${workspaceId}/requests?client=${rare.id}`)).body
  assert.deepEqual([first.items.length, first.next === null], [0, false])
  const at = `/workspaces/${workspaceId}/requests?client=${rare.id}&cursor=${first.next}`
  const second = (await service.manage('GET', at)).body
  assert.deepEqual([second.items.length, second.next], [1, null])
})

test('keeps the log for seven days', async () => {
  await service.advance(7 * 86_400 + 3_600)
  const left = await service.db.query(sql`
    select from refused_request union all select from request_count where hour < '2026-11-17'
    union all select from successful_request union all select from unknown_key_request`)
  assert.deepEqual(left, [])
})
