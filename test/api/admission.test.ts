// Admission to the v1 API (§5, §8.1, D6, D26, D28, D35, D43): authentication, rate limits, and isolation between tenants.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileNetworkList } from '../../src/domain/network.ts'
import { sql } from '../../src/store/database/sql.ts'
import { clientAt, getBalance, makeClient, makeWorkspace, type TestClient } from '../harness/client.ts'
import { hold } from '../harness/hold-workspace.ts'
import { assertRefused } from '../harness/refused.ts'
import { ownService } from '../harness/service.ts'

const service = await ownService()
const known = await ownService({ beside: service })

const FAR = ['203.0.113.0/24']
const restrict = ({ id }: TestClient, restrictions: object) =>
  service.manage('PATCH', `/clients/${id}`, { restrictions })
const left = ({ headers }: { headers: Headers }) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

describe('the IP allow list', () => {
  test('compiles an allow list of any length once, not for every request (D43)', async () => {
    const networks = Array.from({ length: 20_000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`)
    const client = await makeClient(service)
    const ask = () => Promise.all(Array.from({ length: 100 }, () => client.get('/sms/balance')))
    await ask()
    const without = await cpuOf(ask)
    const once = await cpuOf(() => compileNetworkList(networks))
    await service.db.query(sql`update client set only_networks = ${networks}::text[] where id = ${client.id}`)
    const answers: Awaited<ReturnType<typeof ask>> = []
    const withList = await cpuOf(async () => answers.push(...(await ask())))
    for (const answer of answers) assertRefused(answer, 403, 'ip_not_allowed')
    assert.ok(withList < 2 * without + 20 * once, `${withList} ms; ${without} ms without; ${once} ms to compile`)
  })

  test('applies a change of the allow list to the next request, on every process', async () => {
    const client = await makeClient(service)
    const beside = clientAt(known.url, client)
    for (let time = 0; time < 2; time++) {
      await restrict(client, { ipAllowlist: FAR })
      for (const own of [client, beside]) assertRefused(await own.get('/sms/balance'), 403, 'ip_not_allowed')
      await restrict(client, { ipAllowlist: [...FAR, '127.0.0.0/8', '::1'] })
      for (const own of [client, beside]) assert.equal((await own.get('/sms/balance')).status, 200)
    }
  })
})

describe('the rate limit', () => {
  test('counts a refused request, and answers with the first failed check (D6) within and beyond the limit (D43)', async () => {
    for (const [restriction, code] of [
      ['ipAllowlist', 'ip_not_allowed'],
      ['disabled', 'client_disabled'],
    ] as const) {
      const client = await makeClient(service, { requestsPerSecond: 5 })
      if (restriction === 'disabled') await service.manage('POST', `/clients/${client.id}/disable`)
      else await restrict(client, { ipAllowlist: FAR })
      for (const tokens of [4, 3, 2, 1, 0, 0, 0]) {
        const refused = await client.get('/sms/balance')
        assertRefused(refused, 403, code)
        assert.equal(left(refused), tokens)
      }
      if (restriction === 'disabled') await service.manage('POST', `/clients/${client.id}/enable`)
      else await restrict(client, { ipAllowlist: null })
      assertRefused(await client.get('/sms/balance'), 429, 'rate_limited')
      await service.advance(1)
      assert.equal(left(await client.get('/sms/balance')), 4)
    }
  })

  test('sends rate headers with every response to a known key, and with no other response (D28)', async () => {
    const disabled = await makeClient(service, { requestsPerSecond: 7 })
    await service.manage('POST', `/clients/${disabled.id}/disable`)
    const far = await makeClient(service, { requestsPerSecond: 7, restrictions: { ipAllowlist: FAR } })
    const pending = await makeClient(service, {
      requestsPerSecond: 7,
      workspaceId: await makeWorkspace(service, { status: 'pending' }),
    })
    const client = await makeClient(service, { requestsPerSecond: 7 })
    const answers = [
      await disabled.send(),
      await far.send(),
      await pending.send(),
      await client.post('/sms/send', 'no JSON'),
      await client.send({ text: 'a'.repeat(70_000) }),
      await client.send({ to: '+919812345678' }),
      await client.get('/sms/messages/none'),
      await client.get('/sms/balance'),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 403, 403, 400, 413, 422, 404, 200],
    )
    for (const { headers } of answers) {
      assert.equal(headers.get('ratelimit-policy'), '"client";q=7;w=1')
      assert.match(headers.get('ratelimit') ?? '', /^"client";r=[0-6];t=1$/)
    }
    const unknown = await getBalance(service, 'nobody')
    assertRefused(unknown, 401, 'unauthorized')
    assert.deepEqual([unknown.headers.has('ratelimit'), unknown.headers.has('ratelimit-policy')], [false, false])
  })
})

describe('wrong keys (D35)', () => {
  test('rejects an unknown or rotated key with 401 every time, and accepts a new key immediately on every process', async () => {
    const client = await makeClient(service)
    const rotated = await service.manage('POST', `/clients/${client.id}/rotate-key`)
    for (let time = 0; time < 60; time++)
      for (const apiKey of ['nobody', client.apiKey])
        assertRefused(await getBalance(service, apiKey), 401, 'unauthorized')
    assertRefused(await getBalance(known, client.apiKey), 401, 'unauthorized')
    for (const process of [service, known]) assert.equal((await getBalance(process, rotated.body.apiKey)).status, 200)
  })

  test('does not look up a key again that is known to be wrong', async () => {
    assertRefused(await getBalance(service, 'a wrong key'), 401, 'unauthorized')
    await service.db.query(sql`alter table client rename to client_away`)
    const again = await getBalance(service, 'a wrong key')
    const other = await getBalance(service, 'another')
    await service.db.query(sql`alter table client_away rename to client`)
    assertRefused(again, 401, 'unauthorized')
    assertRefused(other, 500, 'server_error')
    assertRefused(await getBalance(service, 'another'), 401, 'unauthorized')
  })
})

describe('many requests at once (D43)', () => {
  test('refuses no other workspace because of a flood from one client or from unknown keys', async () => {
    const narrow = await ownService({
      beside: service,
      batching: { maxWaiting: 20, maxBatch: 4 },
    })
    const flood = await makeClient(narrow)
    const neighbour = await makeClient(narrow)
    for (const known of [flood, neighbour]) assert.equal((await known.get('/sms/balance')).status, 200)
    const release = await holdBucket(flood)
    const crowd = [
      ...Array.from({ length: 60 }, () => flood.get('/sms/balance')),
      ...Array.from({ length: 60 }, (_, at) => getBalance(narrow, `stranger ${at}`)),
    ]
    assertRefused(await Promise.race(crowd), 503, 'unavailable')
    const innocent = Array.from({ length: 5 }, () => neighbour.get('/sms/balance'))
    assert.equal((await flood.get('/sms/balance')).status, 503, 'whoever fills it is told at once')
    await release()
    assert.deepEqual(
      (await Promise.all(innocent)).map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
    const answers = await Promise.all(crowd)
    assert.ok(answers.filter(({ status }) => status === 503).length >= 120 - 20 - 4)
    await narrow.stop()
  })
})

/** Holds the rate bucket of a client, so that its requests wait for the lock. */
function holdBucket({ id }: TestClient): Promise<() => Promise<void>> {
  return hold(service, sql`select 1 from request_bucket where client_id = ${id} for update`)
}

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
