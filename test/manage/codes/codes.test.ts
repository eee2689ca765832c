// OTP statistics, events of the fraud guard (D33), and its allow list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeOwner, makeWorkspace, type TestClient } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'
import { ABSENT, clientBody } from '../fixtures.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep,simulator' } })
const { manage, advance, settle } = service
const MINUTES = 60
const HOURS = 3600
const TODAY = '2026-11-16'

async function sendCode(client: TestClient, to: string): Promise<{ messageId: string; code: string }> {
  const { status, body } = await client.otp({ to })
  assert.equal(status, 200, JSON.stringify(body))
  await settle()
  const handset = await until(async () => {
    const { items } = (await manage('GET', '/simulator/messages')).body
    return items.find((it: { to: string }) => it.to === to)
  })
  return { messageId: body.messageId, code: /\d{6}/.exec(handset.text)?.[0] ?? '' }
}

async function readDays(workspaceId: string, query = '') {
  const { status, body } = await manage('GET', `/workspaces/${workspaceId}/codes/funnel${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const counted = (items: { sent: number }[]) => items.filter(({ sent }) => sent > 0)

test('counts an OTP in each stage for the day of its sending, in the time zone of the workspace (D33)', async () => {
  const workspaceId = await makeWorkspace(service)
  const client = await makeClient(service, { workspaceId })
  const early = await sendCode(client, '+9779811000001')
  assert.equal((await client.verify({ to: '+9779811000001', code: early.code })).body.verified, true)
  // Delivered but not verified; then an undelivered OTP, a rejected OTP, and a message that is not an OTP.
  await sendCode(client, '+9779811100001')
  await client.otp({ to: '+9779811200002' })
  await client.otp({ to: '+9779821200003' })
  await client.send({ to: '+9779811300001', type: 'otp', text: 'Your code is in your mail' })
  const tester = await makeClient(service, { workspaceId, mode: 'test', testOtpCode: '123456' })
  await tester.otp({ to: '+9779811400001' })
  assert.equal((await tester.verify({ to: '+9779811400001', code: '123456' })).body.verified, true)
  await settle()
  // Sent two minutes before midnight in Kathmandu, verified two minutes after it.
  await advance(14 * HOURS + 13 * MINUTES - 1)
  const late = await sendCode(client, '+9779812000001')
  await advance(4 * MINUTES)
  assert.equal((await client.verify({ to: '+9779812000001', code: late.code })).body.verified, true)
  await sendCode(client, '+9779812100001')
  const { items, ...rest } = await until(async () => {
    const funnel = await readDays(workspaceId, '?from=2026-11-15&to=2026-11-17')
    return funnel.items.at(-1).delivered === 1 && funnel
  })
  assert.deepEqual(rest, { from: '2026-11-15', to: '2026-11-17', timeZone: 'Asia/Kathmandu', next: null })
  assert.deepEqual(items, [
    { day: '2026-11-15', sent: 0, delivered: 0, verified: 0 },
    { day: '2026-11-16', sent: 5, delivered: 3, verified: 2 },
    { day: '2026-11-17', sent: 1, delivered: 1, verified: 0 },
  ])
  const prefixes = (await manage('GET', `/workspaces/${workspaceId}/codes/by-prefix?from=2026-11-16`)).body
  assert.deepEqual(prefixes, {
    from: '2026-11-16',
    to: '2026-11-17',
    items: [
      { prefix: '+977981', sent: 5, delivered: 4, verified: 2 },
      { prefix: '+977982', sent: 1, delivered: 0, verified: 0 },
    ],
    next: null,
  })
  assert.deepEqual(counted((await readDays(await makeWorkspace(service))).items), [], 'nothing of another workspace')
})

test('returns the latest complete days, and the first day, if there are too many sums (D43)', async () => {
  const workspaceId = await makeWorkspace(service)
  await service.db.query({
    text: `insert into otp_day (workspace_id, day, operator_prefix, stage, codes)
      select $1, date '2026-11-01' - day, '+1' || (10000 + prefix), 'sent', 1
      from generate_series(0, 9) day, generate_series(1, 3000) prefix`,
    values: [workspaceId],
    name: undefined,
  })
  const days = '?from=2026-10-01&to=2026-11-01'
  const { body } = await manage('GET', `/workspaces/${workspaceId}/codes/by-prefix${days}`)
  assert.deepEqual([body.from, body.items.length, body.items[0].sent], ['2026-10-30', 200, 3])
})

test('sums the OTPs of all workspaces by day, prefix and workspace, for the operator only', async () => {
  const [small, large] = [await makeWorkspace(service), await makeWorkspace(service, { name: 'Large' })]
  const add = (workspaceId: string, codes: number) =>
    service.db.query({
      text: `insert into otp_day (workspace_id, day, operator_prefix, stage, codes)
        select $1, '2026-02-02', prefix, stage, case stage when 'sent' then $2::int else $2::int / 2 end
        from unnest(array['', '+9771']) prefix, unnest(array['sent', 'verified']) stage`,
      values: [workspaceId, codes],
      name: undefined,
    })
  await add(small, 2)
  await add(large, 10)
  await service.db.query({
    text: `insert into pumping_finding (id, workspace_id, client_id, scope, rule, reason, strikes, struck_at, held_until, refused, passed)
      values (gen_random_uuid(), $1, $2, '+9771', 'R3', 'Many', 1, '2026-02-02T10:00Z', '2026-02-02T11:00Z', 4, 0)`,
    values: [large, (await makeClient(service, { workspaceId: large })).id],
    name: undefined,
  })
  const read = async (path: string) => (await manage('GET', `/codes/${path}?from=2026-02-01&to=2026-02-02`)).body
  const counts = { sent: 12, delivered: 0, verified: 6 }
  assert.deepEqual(await read('funnel'), {
    from: '2026-02-01',
    to: '2026-02-02',
    items: [
      { day: '2026-02-01', sent: 0, delivered: 0, verified: 0 },
      { day: '2026-02-02', ...counts },
    ],
    next: null,
  })
  assert.deepEqual((await read('by-prefix')).items, [{ prefix: '+9771', ...counts }])
  const workspaces = (await read('by-workspace')).items
  assert.deepEqual(workspaces[0], {
    ...{ workspaceId: large, workspaceName: 'Large', sent: 10, delivered: 0, verified: 5, refused: 4 },
  })
  assert.deepEqual([workspaces.length, workspaces[1].workspaceId, workspaces[1].refused], [2, small, 0])
  const events = (await manage('GET', `/codes/fraud-events?workspace=${large}`)).body.items
  assert.deepEqual([events.length, events[0].workspaceName, events[0].refused], [1, 'Large', 4])
  const { token } = await makeOwner(service, large)
  for (const path of ['funnel', 'by-prefix', 'by-workspace', 'fraud-events'])
    assertRefused(await manage('GET', `/codes/${path}`, undefined, token), 404, 'not_found')
})

test('ends the OTP statistics of the service at the latest day of any workspace', async () => {
  const to = async () => (await manage('GET', '/codes/funnel')).body.to
  const before = await to()
  const tomorrow = new Date(Date.parse(before) + 24 * HOURS * 1000).toISOString().slice(0, 10)
  await service.db.query({
    text: `insert into otp_day (workspace_id, day, operator_prefix, stage, codes) values ($1, $2, '', 'sent', 1)`,
    values: [await makeWorkspace(service), tomorrow],
    name: undefined,
  })
  assert.equal(await to(), tomorrow)
})

test('rejects invalid, too many and reversed days with 400, and a missing workspace with 404', async () => {
  const workspaceId = await makeWorkspace(service)
  for (const path of ['funnel', 'by-prefix']) {
    const ask = (query: string) => manage('GET', `/workspaces/${workspaceId}/codes/${path}?${query}`)
    assertRefused(await ask('from=yesterday'), 400, 'invalid_request', ['from'])
    assertRefused(await ask('from=2026-11-16&to=2026-11-15'), 400, 'invalid_request', ['to'])
    assertRefused(await ask('from=2025-11-15&to=2026-11-16'), 400, 'invalid_request', ['from'])
    assert.equal((await ask('from=2025-11-16&to=2026-11-16')).status, 200)
    assertRefused(await manage('GET', `/workspaces/${ABSENT}/codes/${path}`), 404, 'not_found')
  }
})

async function attack(client: TestClient, block: string, count: number): Promise<number[]> {
  const answers: number[] = []
  for (let index = 0; index < count; index++) answers.push((await client.otp({ to: `${block}${1020 + index}` })).status)
  return answers
}

test('lists fraud events with the number of OTPs that were or would be refused, also after the block expired (D33)', async () => {
  const workspaceId = await makeWorkspace(service)
  const blocking = await makeClient(service, { workspaceId, restrictions: { pumpingGuard: 'block' } })
  const watching = await makeClient(service, { workspaceId })
  assert.deepEqual(await attack(blocking, '+977985111', 8), [200, 200, 200, 200, 200, 429, 429, 429])
  assert.deepEqual(await attack(watching, '+977985222', 7), Array(7).fill(200))
  await advance(26 * HOURS)
  assert.deepEqual((await manage('GET', `/clients/${blocking.id}/fraud-events`)).body.items, [])
  const { items, next } = (await manage('GET', `/workspaces/${workspaceId}/codes/fraud-events`)).body
  assert.equal(next, null)
  const events = items.map((it: Record<string, unknown>) => [it.clientId, it.scope, it.rule, it.refused, it.passed])
  assert.deepEqual(events, [
    [watching.id, '+977985222', 'R1', 0, 2],
    [blocking.id, '+977985111', 'R1', 3, 0],
  ])
  assert.match(items[1].reason, /^5 numbers side by side in \+977985111xxxx in 10 min, 0 verified/)
  assert.equal(Date.parse(items[1].heldUntil) - Date.parse(items[1].struckAt), 900_000)
  const first = (await manage('GET', `/workspaces/${workspaceId}/codes/fraud-events?limit=1`)).body
  const second = (await manage('GET', `/workspaces/${workspaceId}/codes/fraud-events?limit=1&cursor=${first.next}`))
    .body
  assert.deepEqual([...first.items, ...second.items], items)
  assertRefused(await manage('GET', `/workspaces/${ABSENT}/codes/fraud-events`), 404, 'not_found')
})

test('allows a listed number from the next OTP, checks a removed number again, and audits both (D33)', async () => {
  const client = await makeClient(service, { restrictions: { pumpingGuard: 'block' } })
  const at = `/clients/${client.id}/pumping-allowlist`
  await attack(client, '+977985333', 5)
  const send = async () => (await client.otp({ to: '+9779853331700' })).status
  assert.equal(await send(), 200)
  await advance(2 * MINUTES)
  const held = async (to: string) => (await client.otp({ to })).status
  assert.equal(await held('+9779853331026'), 429)
  assert.deepEqual([(await manage('POST', at, { prefix: '+977985333' })).status], [201])
  assert.equal((await manage('POST', at, { prefix: '+977985333' })).status, 201, 'again is as once')
  assert.deepEqual((await manage('GET', at)).body, { items: [{ prefix: '+977985333' }], next: null })
  assert.equal(await held('+9779853331026'), 200)
  assert.equal((await manage('DELETE', `${at}/+977985333`)).status, 204)
  assertRefused(await manage('DELETE', `${at}/+977985333`), 404, 'not_found')
  assert.deepEqual((await manage('GET', at)).body.items, [])
  assert.equal(await held('+9779853331027'), 429)
  const { items } = (await manage('GET', `/workspaces/${client.workspaceId}/audit-log`)).body
  const changes = items.filter((it: { action: string }) => it.action === 'client.changed')
  assert.deepEqual(
    changes.map((it: { details: { pumpingAllowlist: object } }) => it.details.pumpingAllowlist),
    [
      { from: ['+977985333'], to: null },
      { from: null, to: ['+977985333'] },
    ],
  )
})

test('lets only the operator allow all numbers of a country or network (D33)', async () => {
  const client = await makeClient(service, {})
  const { token } = await makeOwner(service, client.workspaceId)
  const at = `/clients/${client.id}/pumping-allowlist`
  for (const prefix of ['+977', '+9779853']) assertRefused(await manage('POST', at, { prefix }, token), 409, 'conflict')
  const patch = { restrictions: { pumpingAllowlist: ['+97798533', '+977'] } }
  assertRefused(await manage('PATCH', `/clients/${client.id}`, patch, token), 409, 'conflict')
  const made = await manage('POST', `/workspaces/${client.workspaceId}/clients`, { ...clientBody, ...patch }, token)
  assertRefused(made, 409, 'conflict')
  assert.equal((await manage('POST', at, { prefix: '+97798533' }, token)).status, 201)
  assert.equal((await manage('POST', at, { prefix: '+977' })).status, 201)
  assert.equal((await manage('POST', at, { prefix: '+97798534' }, token)).status, 201, 'what the operator added stays')
})

test('lets an owner remove but not add numbers if the operator has set the guard (D43)', async () => {
  const client = await makeClient(service, {
    restrictions: { pumpingGuard: 'block', pumpingAllowlist: ['+97798'] },
  })
  const { token } = await makeOwner(service, client.workspaceId)
  const at = `/clients/${client.id}/pumping-allowlist`
  assertRefused(await manage('POST', at, { prefix: '+97797' }, token), 409, 'conflict')
  assert.equal((await manage('POST', at, { prefix: '+977985' }, token)).status, 201, 'it is within what passes already')
  assert.equal((await manage('DELETE', `${at}/+97798`, undefined, token)).status, 204)
  assert.deepEqual((await manage('GET', at, undefined, token)).body.items, [{ prefix: '+977985' }])
})

test('rejects an invalid prefix with 400, and a full list with 409', async () => {
  const numbers = Array.from({ length: 1000 }, (_, index) => `+97798${1000 + index}`)
  const client = await makeClient(service, { restrictions: { pumpingAllowlist: numbers } })
  const at = `/clients/${client.id}/pumping-allowlist`
  for (const prefix of ['97798', '+', '+977-98', '', null])
    assertRefused(await manage('POST', at, { prefix }), 400, 'invalid_request', ['prefix'])
  assertRefused(await manage('POST', at, { prefix: '+97797' }), 409, 'conflict')
  assertRefused(await manage('GET', `/clients/${ABSENT}/pumping-allowlist`), 404, 'not_found')
})

test('deletes sums after 400 days and fraud events after 30', async () => {
  const workspaceId = await makeWorkspace(service)
  const client = await makeClient(service, { workspaceId, restrictions: { pumpingGuard: 'block' } })
  const day = (await readDays(workspaceId)).to
  assert.ok(day >= TODAY)
  await attack(client, '+977985444', 6)
  const look = async () => [
    counted((await readDays(workspaceId, `?from=${day}&to=${day}`)).items).length,
    (await manage('GET', `/workspaces/${workspaceId}/codes/fraud-events`)).body.items.length,
  ]
  assert.deepEqual(await look(), [1, 1])
  await advance(31 * 24 * HOURS)
  assert.deepEqual(await look(), [1, 0])
  await advance(370 * 24 * HOURS)
  assert.deepEqual(await look(), [0, 0])
})
