// On a terminal of 80 columns: every list, the timeline of a message and the status of the service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnyJson, type Command, pathIds } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { pretend, pretendAnswers } from './pretend.ts'
import { typist } from './typed.ts'

const WIDTH = 80
const idOf = (digit: number) => `0199a000-0000-7000-8000-00000000000${digit}`
const AT = '2026-11-16T04:00:00.123Z'
const LONG =
  'Your order 4711 is on its way and arrives today between 3 and 5 pm. Track it: https://example.com/orders/4711'
const STATE = { number: 1, mode: 'transceiver', state: 'bound', inFlight: 3, segmentsPerSecond: 12.5 }
const HEALTH = { state: 'broken', since: AT, reason: 'no response for 10 s, last error ESME_RTHROTTLED' }

/** A realistic, long value of each field; fields by suffix below. */
const VALUES: Record<string, AnyJson> = {
  ...{
    id: idOf(1),
    clientId: idOf(2),
    workspaceId: idOf(3),
    carrierId: idOf(4),
    messageId: idOf(5),
    inReplyTo: idOf(6),
  },
  ...{
    name: 'Himal Bank Mobile Banking',
    clientName: 'Himal Bank Mobile Banking',
    email: 'sita.sharma@himalbank.example.com',
  },
  ...{
    to: '+9779800000001',
    from: '+9779841234567',
    text: LONG,
    reason: 'the text is not clear enough',
    type: 'transactional',
  },
  ...{
    status: 'undelivered',
    error: 'network_unavailable',
    failureReason: 'retries_exhausted',
    state: 'waiting',
    event: 'message.status',
  },
  ...{
    action: 'client.webhook_secret_rotated',
    actor: 'sita.sharma@himalbank.example.com',
    subject: idOf(7),
    address: '203.0.113.77',
  },
  ...{
    details: { before: 'https://hooks.example.com/sms', after: null },
    note: 'Invoice 2026-0471, paid by bank transfer',
  },
  ...{ url: 'https://hooks.himalbank.example.com/sms/delivery/events/v2', method: 'POST', route: '/v1/sms/otp/verify' },
  ...{
    successRate: 0.61234,
    attempts: 88_123,
    latest: { error: null, statusCode: 502, milliseconds: 31 },
    waiting: 1234,
  },
  ...{
    balance: 123_456.7891,
    amount: -1234.5678,
    charged: 12.5,
    cost: 1234.5,
    net: 1200.25,
    refunded: 34.25,
    messages: 123_456,
  },
  ...{
    code: 'destination_not_supported',
    scope: '+97798',
    rule: 'pumping',
    keyPrefix: 'svc_live_3f9a',
    prefix: 'svc_live_3f9a',
  },
  ...{
    kind: 'smpp',
    host: 'smpp.everest.example.net',
    port: 2775,
    binds: 2,
    health: HEALTH,
    enabled: true,
    priority: 10,
  },
  ...{
    prefixes: ['+97798', '+97797', '+97796'],
    types: ['transactional', 'otp'],
    country: 'NP',
    overflow: false,
    weight: 100,
  },
  ...{ title: 'Example provider of bulk SMS', receipts: 'callback', isVerified: false },
  ...{
    reference: '3f9a1c5be7d2480690ab',
    cause: { kind: 'other_format', idFormat: { answer: 'hex', receipt: 'decimal' } },
  },
  ...{ timeZone: 'Asia/Kathmandu', quietHours: { from: '20:00', to: '08:00' }, policy: 'weighted', plan: 'business' },
  ...{
    currency: 'NPR',
    mode: 'live',
    brandName: 'Himal',
    role: 'developer',
    day: '2026-11-16',
    does: 'accepts, then reports undelivered',
  },
  message: { to: '+9779800000001', outcome: 'accepted' },
}
const BY_COMMAND: Record<string, AnyJson> = {
  'carrier list': { state: [STATE, STATE] },
  'carrier presets': {
    values: [
      { name: 'baseUrl', default: null },
      { name: 'senderId', default: 'x' },
      { name: 'account', default: null },
    ],
    secrets: [{ name: 'apiKey' }, { name: 'password' }],
  },
  'carrier tests': { binds: [{ number: 1, mode: 'transceiver', state: 'bound' }] },
}

function itemOf({ name, columns = [] }: Command): AnyJson {
  const fields = [...columns, ...Object.keys(VALUES)]
  const value = (field: string) => VALUES[field] ?? (/(At|Until|Since)$/.test(field) || field === 'at' ? AT : 1234)
  return { ...Object.fromEntries(fields.map((field) => [field, value(field)])), ...BY_COMMAND[name] }
}

function wordsFor(command: Command): string[] {
  const ids = pathIds(command)
  const placed = command.positionals.map((name) =>
    ids.includes(name) ? idOf(9) : (command.options[name]?.choices?.[0] ?? 'x'),
  )
  const required = Object.entries(command.options).flatMap(([name, { isRequired, choices }]) =>
    isRequired ? [`--${name}`, choices?.[0] ?? '2026-11-16'] : [],
  )
  return [...command.name.split(' '), ...placed, ...required]
}

function nameOf(path: string): string | null {
  const [, kind] = /^\/(clients|workspaces|carriers)\/[^/]+$/.exec(path) ?? []
  return kind ? ({ clients: 'Web shop', workspaces: 'Himal Bank', carriers: 'Everest' }[kind] ?? null) : null
}

function assertFits(out: string, what: string): void {
  for (const line of out.split('\n')) assert.ok([...line].length <= WIDTH, `${what}: ${[...line].length}: ${line}`)
}

test('every list fits 80 columns, with names of clients, workspaces and carriers', async (context) => {
  const lists = COMMANDS.filter(({ columns }) => columns)
  assert.ok(lists.length > 30)
  for (const command of lists) {
    const item = itemOf(command)
    const url = await pretendAnswers(context, (path) => {
      const name = nameOf(path)
      return [200, JSON.stringify(name === null ? { items: [item, item], next: null } : { id: idOf(2), name })]
    })
    const words = wordsFor(command)
    const { out, code, err } = await typist(url, { width: WIDTH, now: () => new Date(AT) })(...words)
    assert.equal(code, 0, `${command.name}: ${err}`)
    assertFits(out, command.name)
    for (const [field, name] of [
      ['clientId', 'Web shop'],
      ['workspaceId', 'Himal Bank'],
      ['carrierId', 'Everest'],
    ] as const)
      if ((command.brief ?? command.columns)?.includes(field)) assert.ok(out.includes(name), `${command.name}: ${name}`)
    if ((command.brief ?? command.columns)?.includes('id'))
      assert.ok(out.includes(idOf(1)), `${command.name}: whole id`)
    assert.doesNotMatch(out, /\d{4}-\d\d-\d\dT\d\d:/, `${command.name}: times are local and short`)
    const json = await typist(url, { width: WIDTH, now: () => new Date(AT) })(...words, '--json')
    assert.deepEqual(json.json().items[0], JSON.parse(JSON.stringify(item)), `${command.name}: --json is complete`)
  }
})

test('the timeline of a message fits 80 columns, with names and the time of each event', async (context) => {
  const message = {
    ...itemOf({ name: '', columns: [] } as unknown as Command),
    segments: 2,
    encoding: 'GSM7',
    createdAt: AT,
  }
  const waiting = { for: 'network_down', since: AT, until: null, endsAt: AT, reason: 'ECONNREFUSED' }
  const timeline = [
    { at: AT, what: 'accepted', segments: 2, reserved: 3 },
    {
      at: AT,
      what: 'submission',
      carrierId: idOf(4),
      outcome: 'rejected',
      code: '0x0000000A ESME_RINVSRCADR',
      text: LONG,
    },
  ]
  const url = await pretendAnswers(context, (path) => {
    const name = nameOf(path)
    return [
      200,
      JSON.stringify(name === null ? { message, waitsUntil: null, waiting, timeline, carriers: null } : { name }),
    ]
  })
  const { out } = await typist(url, { width: WIDTH, now: () => new Date(AT) })('message', 'show', idOf(1))
  assertFits(out, 'message show')
  assert.match(out, /^client +Web shop \(0199a000-/m)
  assert.match(out, /^waiting +Waiting: the carrier is disconnected \(ECONNREFUSED\)\. The message/m)
  assert.match(out, /^\d\d:\d\d:\d\d\.123 {2}submission carrier=Everest outcome=rejected/m)
})

test('a month fits 80 columns, with a line for each client and type', async (context) => {
  const spending = { messages: 123_456, segments: 123_456, cost: 12_345.5, refunds: 10, refunded: 15, net: 12_330.5 }
  const types = ['otp', 'transactional'].map((type) => ({ type, ...spending }))
  const clients = [
    { clientId: idOf(1), name: 'Web shop', ...spending, types },
    { clientId: idOf(2), name: 'App', ...spending, types: types.slice(1) },
  ]
  const month = { month: '2026-11', from: '2026-11-01', to: '2026-11-30', endsAt: AT, isOver: true, total: spending }
  const url = await pretendAnswers(context, () => [200, JSON.stringify({ ...month, clients })])
  const { out } = await typist(url, { width: WIDTH })('month', 'show', idOf(3), '2026-11')
  assertFits(out, 'month show')
  const [, table = ''] = out.split('\n\n')
  const rows = table.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))
  assert.deepEqual(rows, [
    ['CLIENT', 'TYPE', 'MESSAGES'],
    ['Web shop', 'otp', '123456'],
    ['Web shop', 'transactional', '123456'],
    ['Web shop', 'all', '123456'],
    ['App', 'transactional', '123456'],
  ])
  const piped = (await typist(url)('month', 'show', idOf(3), '2026-11')).out
  assert.match(piped, new RegExp(`^${idOf(2)} +App`, 'm'))
  assert.doesNotMatch(piped, / all /, 'no line that a sum would count twice')
})

test('the figures of a carrier show shares as percentages', async (context) => {
  const figures = { accepted: 7, rejected: 0, unanswered: 0, delivered: 5, undelivered: 2, deliveryRatio: 5 / 7 }
  const none = { ...figures, deliveryRatio: null, prefix: '' }
  const url = await pretendAnswers(context, () => [200, JSON.stringify({ total: figures, prefixes: [none] })])
  for (const width of [WIDTH, null]) {
    const { out } = await typist(url, { width })('carrier', 'figures', idOf(4))
    assert.match(out, /71\.4 %/)
    assert.doesNotMatch(out, /0\.714|null/)
  }
})

test('the status of the service fits 80 columns, and shows incidents before queues and carriers', async (context) => {
  const now = {
    ...{ at: AT, verdict: 'outage', smsEnabled: true, processes: 2 },
    rates: { accepted: 1.5, segmentsAccepted: 0, segmentsRejected: 2, delivered: 0, undelivered: 0 },
    lanes: [{ lane: 'otp', waiting: 120_000, isEstimate: true, oldestDueAt: AT }],
    carriers: [
      {
        id: idOf(4),
        name: 'Everest',
        health: HEALTH,
        state: [STATE, { ...STATE, state: 'waiting' }],
        deliveryRatio: 0.9876,
      },
    ],
    unmatchedReceipts: { count: 3, latest: [] },
    failedWebhooks: { count: 0, latest: [] },
    findings: [],
    incidents: [{ severity: 'outage', code: 'carrier_broken', what: `Everest accepts nothing. ${LONG} ${LONG}` }],
  }
  const url = await pretendAnswers(context, () => [200, JSON.stringify(now)])
  const { out } = await typist(url, { width: WIDTH, now: () => new Date(AT) })('service', 'now')
  assertFits(out, 'service now')
  assert.match(out, /^status +outage$/m)
  assert.match(out, /^outage {4}Everest accepts nothing\./m)
  assert.match(out, /^otp +about 120000 +\d+ Nov \d\d:\d\d$/m)
  assert.match(out, /^Everest +1\/2 +6 +98\.7 % +broken since/m)
  assert.ok(out.indexOf('Everest accepts') < out.indexOf('QUEUE'))
  const piped = await typist(url)('service', 'now')
  assert.match(piped.out, /^lanes 1 +lane=otp waiting=120000/m)
})

test('the findings of doctor wrap at 80 columns', async (context) => {
  const url = await pretend(context, ({ url = '' }, response) => {
    const finding = { state: 'ok', what: `Everest works. ${LONG}` }
    const body = url.endsWith('/doctor')
      ? { ok: true, verdict: 'operational', findings: [finding], incidents: [] }
      : { status: 'ok' }
    response.writeHead(200).end(JSON.stringify(body))
  })
  const { out } = await typist(url, { width: WIDTH })('doctor')
  assertFits(out, 'doctor')
  assert.match(out, /^ok {4}Everest works\..*\n {6}\S/m)
})

test('a name that several objects have lists the candidates with their workspaces', async (context) => {
  const items = [1, 2].map((digit) => ({ id: idOf(digit), name: 'Web shop', workspaceId: idOf(digit + 2) }))
  const url = await pretendAnswers(context, (path) => {
    if (path === '/names') return [200, JSON.stringify({ items, next: null })]
    return [200, JSON.stringify({ name: path.endsWith(idOf(3)) ? 'Himal Bank' : 'Everest Air' })]
  })
  const { code, err } = await typist(url)('client', 'show', 'Web shop')
  assert.equal(code, 1)
  assert.match(err, new RegExp(`${idOf(1)} of workspace Himal Bank, ${idOf(2)} of workspace Everest Air`))
})
