// Spending of a workspace (D7 to D10): by day, type and client, net of refunds; monthly statements, the ledger, and low balance.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeOwner, makeWorkspace } from '../../harness/client.ts'
import { makePerson } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { OPERATOR_TOKEN, ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'
import { ABSENT } from '../fixtures.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep,simulator' } })
const { manage, advance, settle } = service
const DAY = 86_400
const RATE = { transactional: 0.1, otp: 0.2, promotional: 0.0003 }

type Row = { day: string; clientId: string; type: string } & Record<string, number>

async function usageOf(workspaceId: string, query = ''): Promise<Row[]> {
  return (await manage('GET', `/workspaces/${workspaceId}/usage${query}`)).body.items
}

async function untilStatus(
  client: { get(path: string): Promise<{ body: { status: string } }> },
  id: string,
  is: string,
) {
  await until(async () => (await client.get(`/sms/messages/${id}`)).body.status === is)
}

const refundsIn = async (workspaceId: string) =>
  (await manage('GET', `/workspaces/${workspaceId}/ledger?kind=refund`)).body.items.length

test('subtracts a refund from the day, client and type of its charge, whenever it happens (D10, D11)', async () => {
  const workspaceId = await makeWorkspace(service, { rate: RATE })
  const shop = await makeClient(service, { workspaceId, name: 'Shop' })
  const bank = await makeClient(service, { workspaceId, name: 'Bank' })
  const refused = (await shop.send({ to: '+9779811000003', text: 'x'.repeat(200) })).body
  await shop.send({ to: '+9779811000020' })
  await bank.send({ to: '+9779811000021', type: 'promotional' })
  await settle()
  await untilStatus(shop, refused.messageId, 'failed')
  // No answer to the submission: refunded days later in another month, after its credit expired.
  await advance(13 * DAY)
  const silent = (await bank.send({ to: '+9779811000012' })).body
  await bank.send({ to: '+9779811000022' })
  await advance(4 * DAY)
  await untilStatus(bank, silent.messageId, 'failed')
  assert.equal(await refundsIn(workspaceId), 2)
  const shown = (await usageOf(workspaceId)).map((it) => [
    ...[it.day, it.clientId, it.type],
    ...[it.messages, it.segments, it.cost, it.refunds, it.refunded, it.net],
  ])
  assert.deepEqual(shown, [
    ['2026-11-29', bank.id, 'transactional', 2, 2, 0.2, 1, 0.1, 0.1],
    ['2026-11-16', shop.id, 'transactional', 2, 3, 0.3, 1, 0.2, 0.1],
    ['2026-11-16', bank.id, 'promotional', 1, 1, 0.0003, 0, 0, 0.0003],
  ])
  const month = (await manage('GET', `/workspaces/${workspaceId}/months/2026-11`)).body
  assert.deepEqual(month, {
    month: '2026-11',
    from: '2026-11-01',
    to: '2026-11-30',
    endsAt: '2026-11-30T18:15:00.000Z',
    isOver: true,
    currency: 'NPR',
    total: { messages: 5, segments: 6, cost: 0.5003, refunds: 2, refunded: 0.3, net: 0.2003 },
    clients: [
      {
        clientId: bank.id,
        name: 'Bank',
        ...{ messages: 3, segments: 3, cost: 0.2003, refunds: 1, refunded: 0.1, net: 0.1003 },
        types: [
          { type: 'promotional', messages: 1, segments: 1, cost: 0.0003, refunds: 0, refunded: 0, net: 0.0003 },
          { type: 'transactional', messages: 2, segments: 2, cost: 0.2, refunds: 1, refunded: 0.1, net: 0.1 },
        ],
      },
      {
        clientId: shop.id,
        name: 'Shop',
        ...{ messages: 2, segments: 3, cost: 0.3, refunds: 1, refunded: 0.2, net: 0.1 },
        types: [{ type: 'transactional', messages: 2, segments: 3, cost: 0.3, refunds: 1, refunded: 0.2, net: 0.1 }],
      },
    ],
  })
  assert.deepEqual(await fromLedger(workspaceId, '2026-11-01'), { cost: 0.5003, refunded: 0.3 })
  const december = (await manage('GET', `/workspaces/${workspaceId}/months/2026-12`)).body
  assert.deepEqual([december.isOver, december.total.messages, december.clients], [false, 0, []])
})

/** The sums of a month from the ledger. */
async function fromLedger(workspaceId: string, period: string): Promise<{ cost: number; refunded: number }> {
  const { items } = (await manage('GET', `/workspaces/${workspaceId}/ledger?limit=200`)).body
  const sum = (kind: string) =>
    items
      .filter((it: { kind: string; period: string }) => it.kind === kind && it.period === period)
      .reduce((e4: number, it: { amount: number }) => e4 + Math.round(it.amount * 10_000), 0) / 10_000
  return { cost: sum('reservation'), refunded: sum('refund') }
}

test('charges a month that another process has closed only for its own days (D9)', async () => {
  const workspaceId = await makeWorkspace(service, { rate: RATE })
  const client = await makeClient(service, { workspaceId })
  // The clock of the process that closed the month is ahead.
  await service.db.query({
    text: `update workspace set period = period + interval '1 month', period_ends_at = period_ends_at + interval '1 month'
      where id = $1`,
    values: [workspaceId],
    name: undefined,
  })
  const { period } = (await manage('GET', `/workspaces/${workspaceId}`)).body
  const { messageId } = (await client.send({ to: '+9779811000003' })).body
  await settle()
  await untilStatus(client, messageId, 'failed')
  const { total } = (await manage('GET', `/workspaces/${workspaceId}/months/${period.slice(0, 7)}`)).body
  assert.deepEqual(total, { messages: 1, segments: 1, cost: 0.1, refunds: 1, refunded: 0.1, net: 0 })
  assert.deepEqual(await fromLedger(workspaceId, period), { cost: 0.1, refunded: 0.1 })
})

async function csvOf(path: string, token = OPERATOR_TOKEN) {
  const response = await fetch(`${service.url}/api/manage/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
  // As bytes, because text() removes the byte order mark.
  const text = Buffer.from(await response.arrayBuffer()).toString()
  return { status: response.status, headers: response.headers, text }
}

test('exports a month by day, client, type and country, without formulas, with readable Devanagari', async () => {
  const workspaceId = await makeWorkspace(service, { rate: RATE })
  const { token } = await makeOwner(service, workspaceId)
  const hostile = await makeClient(service, { workspaceId, name: '=HYPERLINK("http://x","y")' })
  const month = (await manage('GET', `/workspaces/${workspaceId}`)).body.period.slice(0, 7)
  await hostile.send({ to: '+9779811000020' })
  const failed = (await hostile.send({ to: '+9779811000003', type: 'promotional' })).body
  await settle()
  await untilStatus(hostile, failed.messageId, 'failed')
  const [{ day } = { day: '' }] = await usageOf(workspaceId)
  // Usage before countries were stored.
  await service.db.query({
    text: `insert into usage_day (workspace_id, client_id, day, type, messages, segments, cost_e4)
      values ($1, $2, $3, 'otp', 1, 1, 2000)`,
    values: [workspaceId, hostile.id, day],
    name: undefined,
  })
  const { status, headers, text } = await csvOf(`/workspaces/${workspaceId}/usage.csv?month=${month}`, token)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.equal(headers.get('content-disposition'), `attachment; filename="usage-${month}.csv"`)
  const name = `"'=HYPERLINK(""http://x"",""y"")"`
  assert.equal(
    text,
    [
      '\ufeffday,clientId,client,type,country,messages,segments,cost,refunds,refunded,net,currency',
      `${day},${hostile.id},${name},otp,,1,1,0.2,0,0,0.2,NPR`,
      `${day},${hostile.id},${name},promotional,NP,1,1,0.0003,1,0.0003,0,NPR`,
      `${day},${hostile.id},${name},transactional,NP,1,1,0.1,0,0,0.1,NPR`,
      '',
    ].join('\r\n'),
  )
  const empty = await csvOf(`/workspaces/${workspaceId}/usage.csv?month=2020-02`)
  assert.equal(empty.text.split('\r\n').length, 2, 'a month without messages has a head and no more')
})

test('exports every ledger entry once, oldest first, in the time zone of the workspace, up to the balance', async () => {
  const workspaceId = await makeWorkspace(service, { rate: RATE, monthlyCredit: 5 })
  const { token } = await makeOwner(service, workspaceId)
  const client = await makeClient(service, { workspaceId })
  await manage('POST', `/workspaces/${workspaceId}/credits`, { amount: 2.5, note: '=Invoice, 7' })
  const failed = (await client.send({ to: '+9779811000003' })).body
  await settle()
  await untilStatus(client, failed.messageId, 'failed')
  // More than a page.
  await service.db.query({
    text: `insert into ledger_entry (workspace_id, id, period, kind, amount_e4, balance_e4, at)
      select $1, ('0199a000-0000-7000-8000-' || lpad(to_hex(entry), 12, '0'))::uuid, '2025-10-01', 'topUp', 1, entry, '2025-10-01'
      from generate_series(1, 2500) entry`,
    values: [workspaceId],
    name: undefined,
  })
  const old = await csvOf(`/workspaces/${workspaceId}/ledger.csv?from=2025-09-30&to=2025-10-02`)
  const balances = old.text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => Number(line.split(',')[4]))
  assert.deepEqual(
    balances,
    Array.from({ length: 2500 }, (_, at) => (at + 1) / 10_000),
  )
  const { status, headers, text } = await csvOf(`/workspaces/${workspaceId}/ledger.csv`, token)
  assert.equal(status, 200)
  assert.match(
    headers.get('content-disposition') ?? '',
    /^attachment; filename="ledger-20\d\d-\d\d-\d\d-20\d\d-\d\d-\d\d.csv"$/,
  )
  const [head, ...lines] = text.split('\r\n').slice(0, -1)
  assert.equal(head, '\ufeffid,at,kind,amount,balance,currency,period,messageId,messages,note,expiresAt')
  const cells = lines.map((line) => line.split(','))
  assert.deepEqual(
    cells.map((it) => it.slice(2, 6)),
    [
      ['grant', '5', '5', 'NPR'],
      ['topUp', '2.5', '7.5', 'NPR'],
      ['reservation', '-0.1', '7.4', 'NPR'],
      ['refund', '0.1', '7.5', 'NPR'],
    ],
  )
  const { periodEndsAt } = (await manage('GET', `/workspaces/${workspaceId}`)).body
  assert.ok(lines.at(1)?.includes(`,,,"'=Invoice, 7",20`), text)
  const expiries = lines.map((line) => line.slice(line.lastIndexOf(',') + 1))
  assert.deepEqual(
    expiries.map((it) => it && new Date(it).toISOString()),
    [periodEndsAt, periodEndsAt, '', ''],
  )
  assert.match(expiries.at(0) ?? '', /-01T00:00:00\.000\+05:45$/)
  assert.equal(cells.at(3)?.[7], failed.messageId)
  for (const [, at] of cells) assert.match(at ?? '', /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:45$/)
  const viewer = await makePerson(service, { workspaceId, role: 'viewer' })
  for (const file of ['ledger.csv', 'usage.csv?month=2026-11'])
    assertRefused(await viewer.browser.ask('GET', `/workspaces/${workspaceId}/${file}`), 404, 'not_found')
  const years = await manage('GET', `/workspaces/${workspaceId}/ledger.csv?from=2024-01-01&to=2026-01-01`)
  assertRefused(years, 400, 'invalid_request', ['from'])
})

test('rejects an invalid month with 400, and a missing workspace with 404', async () => {
  const workspaceId = await makeWorkspace(service)
  for (const month of ['2026-13', '2026-1', '26-11', '2026', '1969-12', '12026-11']) {
    assertRefused(await manage('GET', `/workspaces/${workspaceId}/months/${month}`), 400, 'invalid_request', ['month'])
    const csv = `/workspaces/${workspaceId}/usage.csv?month=${month}`
    assertRefused(await manage('GET', csv), 400, 'invalid_request', ['month'])
  }
  assertRefused(await manage('GET', `/workspaces/${ABSENT}/months/2026-11`), 404, 'not_found')
  assertRefused(await manage('GET', `/workspaces/${ABSENT}/usage.csv?month=2026-11`), 404, 'not_found')
})

test('lists the ledger by kind and day of the workspace, also among thousands of reservations', async () => {
  const workspaceId = await makeWorkspace(service, { rate: RATE })
  const client = await makeClient(service, { workspaceId })
  const topUp = (note: string) => manage('POST', `/workspaces/${workspaceId}/credits`, { amount: 1, note })
  const today = async () => (await usageOf(workspaceId))[0]?.day ?? ''
  await topUp('first')
  await client.send({ to: '+9779811000020' })
  const first = await today()
  await advance(DAY)
  await topUp('second')
  await client.send({ to: '+9779811000021' })
  const second = await today()
  const list = async (query: string) => {
    const { status, body } = await manage('GET', `/workspaces/${workspaceId}/ledger?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.items.map((it: { kind: string; note: string | null }) => it.note ?? it.kind)
  }
  assert.notEqual(first, second)
  assert.deepEqual(await list('kind=topUp'), ['second', 'first'])
  assert.deepEqual(await list('kind=topUp&kind=grant'), ['second', 'first', 'grant'])
  assert.deepEqual(await list(`kind=topUp&kind=reservation&to=${first}`), ['reservation', 'first'])
  assert.deepEqual(await list(`from=${second}`), ['reservation', 'second'])
  assert.deepEqual(await list(`from=${first}&to=${first}`), ['reservation', 'first', 'grant'])
  assert.deepEqual(await list(`from=${second}&kind=grant`), [])
  const page = (await manage('GET', `/workspaces/${workspaceId}/ledger?kind=topUp&limit=1`)).body
  assert.equal(page.items[0].note, 'second')
  assert.deepEqual(await list(`kind=topUp&cursor=${page.next}`), ['first'])
  assertRefused(
    await manage('GET', `/workspaces/${workspaceId}/ledger?from=${second}&to=${first}`),
    400,
    'invalid_request',
    ['to'],
  )
  assertRefused(await manage('GET', `/workspaces/${workspaceId}/ledger?kind=gift`), 400, 'invalid_request')
})

test('reads at most 10 000 entries for a page of the ledger, and continues behind them (D43)', async () => {
  const workspaceId = await makeWorkspace(service)
  await service.db.query({
    text: `insert into ledger_entry (workspace_id, id, period, kind, amount_e4, balance_e4, at)
      select $1, ('0199a000-0000-7000-8000-' || lpad(to_hex(entry), 12, '0'))::uuid, '2025-10-01', 'topUp', 1, 1, '2025-10-01'
      from generate_series(1, 12000) entry`,
    values: [workspaceId],
    name: undefined,
  })
  const ask = async (query: string) => (await manage('GET', `/workspaces/${workspaceId}/ledger?${query}`)).body
  const first = await ask('kind=reservation')
  assert.deepEqual(first.items, [])
  assert.ok(first.next)
  assert.deepEqual(await ask(`kind=reservation&cursor=${first.next}`), { items: [], next: null })
  assert.equal((await ask('kind=grant')).items.length, 1, 'what has an index is found without a walk')
})

test('reports a low balance below the highest alert of the owner, and never without an alert', async () => {
  const workspaceId = await makeWorkspace(service, { monthlyCredit: 10, rate: RATE })
  const { token } = await makeOwner(service, workspaceId)
  const at = `/workspaces/${workspaceId}/credit-alerts`
  const look = async () => (await manage('GET', `/workspaces/${workspaceId}`, undefined, token)).body.creditAlerts
  assert.deepEqual(await look(), { below: [], isLow: false, clientId: null })
  const set = await manage('PUT', at, { below: [2.5, 10, 2.5] }, token)
  assert.deepEqual([set.status, set.body.creditAlerts], [200, { below: [10, 2.5], isLow: false, clientId: null }])
  const client = await makeClient(service, { workspaceId })
  await client.send({ to: '+9779811000020' })
  assert.deepEqual(await look(), { below: [10, 2.5], isLow: true, clientId: null })
  await manage('PUT', at, { below: [9.9] }, token)
  assert.deepEqual(await look(), { below: [9.9], isLow: false, clientId: null })
  await manage('PUT', at, { below: [9.9001] }, token)
  assert.equal((await look()).isLow, true)
  await manage('PUT', at, { below: [] }, token)
  assert.deepEqual(await look(), { below: [], isLow: false, clientId: null })
  const { items } = (await manage('GET', `/workspaces/${workspaceId}/audit-log`)).body
  const changes = items.filter((it: { action: string }) => it.action === 'workspace.credit_alerts_set')
  assert.deepEqual(changes.at(-1)?.details, { below: { from: [], to: [10, 2.5] } })
  assert.equal(changes.length, 4)
  for (const below of [[-1], ['5'], [0.00001], 5, null, undefined, [1, 2, 3, 4, 5, 6]])
    assert.equal((await manage('PUT', at, { below }, token)).status, 400, JSON.stringify(below))
  assertRefused(await manage('PUT', `/workspaces/${ABSENT}/credit-alerts`, { below: [1] }), 404, 'not_found')
})
