// GET message, balance and coverage (§4.4 to §4.7), and their authentication (§5).
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { clientAt, makeClient, makeWorkspace } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { call, ownService } from '../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,upkeep' } })
const known = await ownService({ beside: service, env: { HULAKI_ROLES: 'api' } })
const client = await makeClient(service)
const api = `${service.url}/api/sms/v1`

/** Incomplete escapes, invalid escapes, invalid UTF-8, and a valid escape beside them. */
const BROKEN_ESCAPES = ['%zz', '%', '%e', '%ff', '%c0%af', '%E0%A4%A', '%25%zz']

describe('GET /sms/messages/{id}', () => {
  test('returns every field of a message, and nothing internal (§2.1)', async () => {
    const { body } = await client.send({ text: 'Namaste सीता', senderId: 'HIMAL' })
    const message = await client.get(`/sms/messages/${body.messageId}`)
    assert.equal(message.status, 200)
    assert.deepEqual(message.body, {
      _id: body.messageId,
      to: '+9779841234567',
      from: 'HIMAL',
      text: 'Namaste सीता',
      type: 'transactional',
      encoding: 'UCS2',
      segments: 1,
      cost: 1.5,
      status: 'queued',
      error: '',
      attempts: 0,
      submittedAt: null,
      sentAt: null,
      deliveredAt: null,
      failedAt: null,
      createdAt: service.clock.now().toISOString(),
      updatedAt: service.clock.now().toISOString(),
    })
  })

  test('answers for the message of another client byte for byte like for an unknown id (§4.4)', async () => {
    const sibling = await makeClient(service, { workspaceId: client.workspaceId })
    const stranger = await makeClient(service)
    const { messageId } = (await client.send()).body
    const answers = await Promise.all([
      sibling.get(`/sms/messages/${messageId}`),
      stranger.get(`/sms/messages/${messageId}`),
      stranger.get('/sms/messages/01890000-0000-7000-8000-000000000000'),
      stranger.get('/sms/messages/not-a-uuid'),
      stranger.get(`/sms/messages/${'long'.repeat(1000)}`),
      ...BROKEN_ESCAPES.map((id) => stranger.get(`/sms/messages/${id}`)),
    ])
    for (const answer of answers) {
      assertRefused(answer, 404, 'not_found')
      assert.equal(JSON.stringify(answer.body), JSON.stringify(answers[0]?.body))
      const names = [...answer.headers.keys()].sort()
      assert.deepEqual(names, [...(answers[0]?.headers.keys() ?? [])].sort())
    }
  })
})

test('answers 401 without a key for a path with an invalid escape (§5.2)', async () => {
  for (const id of BROKEN_ESCAPES) {
    const url = `${service.url}/api/sms/v1/sms/messages/${id}`
    assertRefused(await call(url, { method: 'GET' }), 401, 'unauthorized')
  }
})

describe('GET /sms/balance', () => {
  test('returns balance, prices, allowed types, counters of the client, and status (§2.3)', async () => {
    const workspaceId = await makeWorkspace(service, { plan: 'standard', monthlyCredit: 12.3456 })
    const own = await makeClient(service, { workspaceId })
    assert.deepEqual((await own.get('/sms/balance')).body, {
      balance: 12.3456,
      currency: 'NPR',
      rate: { transactional: 1.5, otp: 1.2, promotional: 1 },
      allowedTypes: ['transactional', 'otp'],
      counters: { sent: 0, delivered: 0, failed: 0 },
      workspaceStatus: 'active',
    })
  })

  test('expires the balance and grants new credit at the end of the month, by a read or a sweep (D9)', async () => {
    const own = await makeClient(service)
    await own.send()
    assert.equal((await own.get('/sms/balance')).body.balance, 998.5)
    const endsAt = new Date('2026-11-30T18:15:00Z')
    await service.advance((endsAt.getTime() - service.clock.now().getTime()) / 1000 - 1)
    assert.equal((await own.get('/sms/balance')).body.balance, 998.5)
    await service.advance(1)
    assert.equal((await own.get('/sms/balance')).body.balance, 1000)
    const kinds = await service.db.query<{ kind: string }>(sql`
      select kind from ledger_entry where workspace_id = ${own.workspaceId} order by id`)
    assert.deepEqual(
      kinds.map((row) => row.kind),
      ['grant', 'reservation', 'expiry', 'grant'],
    )
  })
})

describe('GET coverage', () => {
  test('returns country, allowed, live and coming soon (§2.4)', async () => {
    const { body } = await client.get('/sms/coverage')
    assert.deepEqual(body, {
      country: 'NP',
      allowed: ['NP'],
      live: [{ code: 'NP', name: 'Nepal' }],
      comingSoon: [
        { code: 'BD', name: 'Bangladesh' },
        { code: 'IN', name: 'India' },
      ],
    })
  })

  test('accepts sends to a country immediately when it becomes live, unless the workspace excludes it (§2.4)', async () => {
    const narrow = await makeClient(service, {
      workspaceId: await makeWorkspace(service, { allowedCountries: ['NP'] }),
    })
    await service.manage('PUT', '/countries/IN', { name: 'India', state: 'live' })
    assert.deepEqual((await client.get('/sms/coverage')).body.allowed, ['IN', 'NP'])
    assert.deepEqual((await narrow.get('/sms/coverage')).body.allowed, ['NP'])
    assert.equal((await client.send({ to: '+919812345678' })).status, 200)
    assertRefused(await narrow.send({ to: '+919812345678' }), 422, 'destination_not_supported')
    await service.manage('PUT', '/countries/IN', { name: 'India', state: 'comingSoon' })
  })

  test('uses one allowed list for the coverage, for every 422, and for every send (D41)', async () => {
    await service.manage('PUT', '/countries/IN', { name: 'India', state: 'live' })
    for (const [numberPrefixes, allowed] of [
      [['+97798'], ['NP']],
      [
        ['+9', '+880'],
        ['IN', 'NP'],
      ],
      [
        ['+9198', '+97798'],
        ['IN', 'NP'],
      ],
      [['+1'], []],
      [['+9771', '+97795'], []],
      [['+9771', '+9198'], ['IN']],
      [null, ['IN', 'NP']],
    ] as const) {
      const own = await makeClient(service, { restrictions: { numberPrefixes } })
      assert.deepEqual((await own.get('/sms/coverage')).body.allowed, allowed)
      const isAllowed = (country: string) => allowed.some((it) => it === country)
      for (const [to, country] of [
        ['+9779841234567', 'NP'],
        ['+9779641234567', 'NP'],
        ['+919812345678', 'IN'],
        ['+919712345678', 'IN'],
        ['+8801712345678', 'BD'],
      ] as const) {
        const isWithin = numberPrefixes === null || numberPrefixes.some((prefix) => to.startsWith(prefix))
        const sent = await own.send({ to })
        if (isAllowed(country) && isWithin) assert.equal(sent.status, 200, JSON.stringify(sent.body))
        else if (isAllowed(country)) assertRefused(sent, 403, 'prefix_not_allowed')
        else {
          assertRefused(sent, 422, 'destination_not_supported')
          assert.deepEqual(sent.body.details, { country, allowed })
          assert.deepEqual((await own.otp({ to })).body.details, { country, allowed })
        }
      }
    }
    await service.manage('PUT', '/countries/IN', { name: 'India', state: 'comingSoon' })
  })

  test('allows any origin to read the public coverage, and no other endpoint (D41)', async () => {
    const url = `${service.url}/api/sms/coverage`
    const headers = { origin: 'https://shop.example' }
    assert.equal((await fetch(url, { headers })).headers.get('access-control-allow-origin'), '*')
    const asks = { ...headers, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-trace' }
    const preflight = await fetch(url, { method: 'OPTIONS', headers: asks })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET')
    assert.equal(preflight.headers.get('access-control-allow-headers'), '*')
    assert.equal((await client.get('/sms/coverage', headers)).headers.get('access-control-allow-origin'), null)
  })

  test('serves the public coverage without a key, cacheable for 5 minutes (§4.7)', async () => {
    const answer = await call(`${service.url}/api/sms/coverage`, { method: 'GET' })
    assert.deepEqual(Object.keys(answer.body), ['live', 'comingSoon'])
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=300')
  })
})

describe('authentication', () => {
  const paths = [
    ['POST', '/sms/send'],
    ['POST', '/sms/otp/send'],
    ['POST', '/sms/otp/verify'],
    ['GET', '/sms/messages/01890000-0000-7000-8000-000000000000'],
    ['GET', '/sms/balance'],
    ['GET', '/sms/coverage'],
  ] as const
  for (const [method, path] of paths) {
    test(`rejects ${method} ${path} without a key or with a wrong key with 401 (§5.2)`, async () => {
      const missing = await call(api + path, { method })
      assertRefused(missing, 401, 'unauthorized')
      assert.equal(missing.body.error, 'Missing x-api-key')
      const wrong = await call(api + path, { method, headers: { 'x-api-key': `svc_live_${'0'.repeat(48)}` } })
      assertRefused(wrong, 401, 'unauthorized')
      assert.equal(wrong.body.error, 'Invalid API key')
    })
  }

  test('rejects an empty, doubled, very long or altered key with 401, and ignores white space around a key (§5.2)', async () => {
    const withKey = (key: string) => call(`${api}/sms/balance`, { method: 'GET', headers: { 'x-api-key': key } })
    assert.equal((await withKey('')).body.error, 'Missing x-api-key')
    for (const key of [
      `${client.apiKey}, ${client.apiKey}`,
      'x'.repeat(5000),
      client.apiKey.toUpperCase(),
      `${client.apiKey}0`,
    ]) {
      assertRefused(await withKey(key), 401, 'unauthorized')
    }
    assert.equal((await withKey(`  ${client.apiKey} `)).status, 200)
  })

  test('rejects a rotated key on the next request on every process, and accepts the new key immediately (§5.1)', async () => {
    const own = await makeClient(service)
    const beside = clientAt(known.url, own)
    assert.equal((await beside.get('/sms/balance')).status, 200)
    const rotated = await service.manage('POST', `/clients/${own.id}/rotate-key`)
    assertRefused(await beside.get('/sms/balance'), 401, 'unauthorized')
    assertRefused(await own.get('/sms/balance'), 401, 'unauthorized')
    assert.equal((await clientAt(known.url, { ...own, apiKey: rotated.body.apiKey }).get('/sms/balance')).status, 200)
  })

  test('shares the rate limit between all processes (§8.1)', async () => {
    const own = await makeClient(service, { requestsPerSecond: 10 })
    const beside = clientAt(known.url, own)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 ? own : beside).get('/sms/balance')),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 10)
  })

  test('answers 404 not_found for an unknown path; with a known key it counts towards the rate limit (D28, D43)', async () => {
    const own = await makeClient(service, { requestsPerSecond: 5 })
    const unknown = [
      () => own.get('/sms/nothing'),
      () => own.get('/sms/send'),
      () => own.post('/sms/balance', {}),
      () => own.get('/%zz'),
      () => own.get(''),
    ]
    for (const [index, ask] of unknown.entries()) {
      const answer = await ask()
      assertRefused(answer, 404, 'not_found')
      assert.equal(answer.headers.get('ratelimit'), `"client";r=${4 - index};t=1`)
    }
    assertRefused(await own.get('/sms/balance'), 429, 'rate_limited')
    const url = `${service.url}/api/sms/v1/sms/nothing`
    for (const headers of [undefined, { 'x-api-key': 'nobody' }]) {
      const answer = await call(url, { method: 'GET', ...(headers && { headers }) })
      assertRefused(answer, 404, 'not_found')
      assert.equal(answer.headers.has('ratelimit'), false)
    }
  })
})

describe('the first failed check decides the response (D6)', () => {
  test('key, client, address, rate, workspace, body, idempotency, service, type, number, template, segments, balance', async () => {
    const workspaceId = await makeWorkspace(service, {
      status: 'pending',
      monthlyCredit: 0,
      templatesRequired: true,
      plan: 'standard',
    })
    const own = await makeClient(service, {
      workspaceId,
      requestsPerSecond: 1,
      restrictions: { ipAllowlist: ['203.0.113.1'], types: ['otp'], numberPrefixes: ['+97798'] },
    })
    await service.manage('POST', `/clients/${own.id}/disable`)
    const key = { 'idempotency-key': 'D6' }
    const earlier = await makeClient(service)
    await earlier.send({}, key)
    const all = { to: '+97714412345', text: 'x'.repeat(1000), type: 'promotional' }
    const attempt = (body: unknown = all, headers = {}) => own.post('/sms/send', body, headers)
    const patch = (fields: object) => service.manage('PATCH', `/clients/${own.id}`, fields)
    const steps: [string, () => Promise<unknown>, unknown?][] = [
      ['client_disabled', () => service.manage('POST', `/clients/${own.id}/enable`)],
      ['ip_not_allowed', () => patch({ restrictions: { ipAllowlist: null } })],
      ['rate_limited', () => patch({ requestsPerSecond: 10_000 }).then(() => service.advance(1))],
      ['workspace_pending', () => service.manage('PATCH', `/workspaces/${workspaceId}`, { status: 'active' })],
      [
        'invalid_request',
        () => service.manage('PATCH', '/service', { smsEnabled: false }),
        { ...all, text: undefined },
      ],
      ['sms_disabled', () => service.manage('PATCH', '/service', { smsEnabled: true })],
      ['forbidden', () => Object.assign(all, { type: 'transactional' }) && Promise.resolve()],
      ['type_not_allowed', () => patch({ restrictions: { types: null } })],
      ['invalid_number', () => Object.assign(all, { to: '+919812345678' }) && Promise.resolve()],
      ['destination_not_supported', () => Object.assign(all, { to: '+9779741234567' }) && Promise.resolve()],
      ['prefix_not_allowed', () => patch({ restrictions: { numberPrefixes: null } })],
      ['invalid_request', () => Object.assign(all, { text: 'short' }) && patch({ restrictions: { dailyCap: 0 } })],
      ['template_required', () => service.manage('PATCH', `/workspaces/${workspaceId}`, { templatesRequired: false })],
      ['daily_cap', () => patch({ restrictions: { dailyCap: null, hourlyCapPerNumber: 0 } })],
      ['number_cap', () => patch({ restrictions: { hourlyCapPerNumber: null } })],
      ['insufficient_balance', () => service.manage('POST', `/workspaces/${workspaceId}/credits`, { amount: 10 })],
    ]
    for (const [code, mend, body] of steps) {
      const answer = await attempt(body ?? all)
      assert.equal(answer.body.code, code, JSON.stringify(answer.body))
      await mend()
    }
    assert.equal((await attempt(all, key)).status, 200)
  })
})
