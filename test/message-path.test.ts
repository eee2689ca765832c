// The full path with every role in one process: accepted, submitted, reported, charged or refunded, with webhooks, for every outcome of
// docs/reference/simulator.md.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { makeClient } from './harness/client.ts'
import { dumpDatabase } from './harness/dump-database.ts'
import { ownService } from './harness/service.ts'
import { type Endpoint, startEndpoint } from './webhooks/endpoints.ts'

const HOUR = 3600
const MONTHLY_CREDIT = 1000
const PRICE = 1.5

const service = await ownService({
  env: {
    HULAKI_ROLES: 'api,delivery,webhooks,upkeep,simulator',
    HULAKI_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    HULAKI_WEBHOOK_CA_FILE: fileURLToPath(new URL('webhooks/certificates/ca.cert.pem', import.meta.url)),
  },
})
const endpoint = await startEndpoint({ after } as TestContext, (response) => response.writeHead(204).end())
await impatient()

interface Way {
  /** The expected result and its time. */
  seconds: number
  status: string
  error?: string
  attempts?: number
  dlr?: string
  /** Seconds after creation. */
  sentAt?: number
  counters: { sent: number; delivered: number; failed: number }
  isRefunded?: boolean
  events: string[]
}

const delivered: Way = {
  seconds: 0,
  status: 'delivered',
  dlr: 'DELIVRD',
  sentAt: 0,
  counters: { sent: 1, delivered: 1, failed: 0 },
  events: ['sent', 'delivered'],
}
const undelivered: Way = {
  seconds: 0,
  status: 'undelivered',
  sentAt: 0,
  counters: { sent: 1, delivered: 0, failed: 1 },
  events: ['sent', 'undelivered'],
}
const failed: Way = {
  seconds: 0,
  status: 'failed',
  counters: { sent: 0, delivered: 0, failed: 1 },
  isRefunded: true,
  events: ['failed'],
}

const ways = new Map<string, Way>([
  ['01', delivered],
  ['02', { ...undelivered, error: 'delivery_failed', dlr: 'UNDELIV' }],
  ['03', { ...failed, error: 'carrier_rejected' }],
  [
    '04',
    {
      ...failed,
      seconds: 5 + 15 + 60 + 300 + 900,
      error: 'network_unavailable',
      attempts: 6,
      events: ['queued', 'failed'],
    },
  ],
  ['05', { ...delivered, seconds: 5, attempts: 2, sentAt: 5, events: ['queued', 'sent', 'delivered'] }],
  ['06', { ...undelivered, seconds: 72 * HOUR, error: 'delivery_timeout' }],
  ['07', delivered],
  ['08', delivered],
  ['09', delivered],
  ['10', { ...failed, error: 'invalid_number' }],
  [
    '11',
    {
      ...undelivered,
      status: 'rejected',
      error: 'carrier_rejected',
      dlr: 'REJECTD',
      events: ['sent', 'failed'],
    },
  ],
  ['12', { ...failed, seconds: 72 * HOUR, error: 'delivery_timeout' }],
  ['13', { ...delivered, seconds: 1 + 2 + 4, sentAt: 1 + 2 + 4, events: ['queued', 'sent', 'delivered'] }],
  ['14', { ...delivered, seconds: 30 }],
])

for (const [digits, expected] of ways) {
  test(`D11-D17: a message to a number with the last digits ${digits} is ${expected.status} ${expected.error ?? ''}`, async () => {
    const client = await makeClient(service, { webhookUrl: hookOf(endpoint, digits) })
    const { status, body } = await client.send({ to: `98412345${digits}` })
    assert.equal(status, 200, JSON.stringify(body))
    await pass(expected.seconds)
    const message = (await client.get(`/sms/messages/${body.messageId}`)).body
    assert.deepEqual(
      { status: message.status, error: message.error, attempts: message.attempts, dlr: message.dlr?.status },
      { status: expected.status, error: expected.error ?? '', attempts: expected.attempts ?? 1, dlr: expected.dlr },
    )
    assert.deepEqual(timesOf(message), {
      submittedAt: expected.sentAt ?? null,
      sentAt: expected.sentAt ?? null,
      deliveredAt: expected.status === 'delivered' ? expected.seconds : null,
      // §6.2: `rejected` sends a `failed` event, so it has failedAt too.
      failedAt: ['failed', 'rejected'].includes(expected.status) ? expected.seconds : null,
    })
    const { balance, counters } = (await client.get('/sms/balance')).body
    assert.deepEqual(counters, expected.counters)
    assert.equal(balance, expected.isRefunded ? MONTHLY_CREDIT : MONTHLY_CREDIT - PRICE)
    const statuses = eventsOf(digits).filter((event) => event.type === 'message.status')
    assert.deepEqual(
      statuses.map((event) => event.status),
      expected.events,
    )
  })
}

test('§6.2: the client gets the reply of 07 with the message it answers', async () => {
  const client = await makeClient(service, { webhookUrl: hookOf(endpoint, 'reply') })
  // Another workspace used the number above, so its reply would be unassigned (D18).
  const { body } = await client.send({ to: '9841234607' })
  await pass(0)
  const inbound = eventsOf('reply').find((event) => event.type === 'message.inbound')
  assert.deepEqual(
    { ...inbound, id: null, at: null },
    { type: 'message.inbound', id: null, from: '+9779841234607', text: 'YES', at: null, inReplyTo: body.messageId },
  )
})

test('§2.2: an OTP from the handset is verified once', async () => {
  const client = await makeClient(service)
  const { body } = await client.otp({ to: '9841000001' })
  await pass(0)
  const [newest] = await handsetMessages()
  assert.equal(newest.to, '+9779841000001')
  const code = /^Himal: (\d{6}) is your verification code/.exec(newest.text)?.[1] ?? assert.fail(newest.text)
  assert.doesNotMatch(await dumpDatabase(service.address), new RegExp(`\\b${code}\\b`), 'D21: no readable OTP on disk')
  assert.deepEqual((await client.verify({ to: '9841000001', code })).body, { success: true, verified: true })
  assert.equal((await client.verify({ to: '9841000001', code })).body.reason, 'no_active_otp')
  const message = (await client.get(`/sms/messages/${body.messageId}`)).body
  assert.deepEqual([message.status, message.text, message.cost], ['delivered', '(OTP hidden)', 1.2])
})

test('D14: a temporarily rejected OTP is retried until it expires, then refunded', async () => {
  const client = await makeClient(service)
  const { body } = await client.otp({ to: '9841000004' })
  await pass(2 + 4 + 8 + 16 + 32)
  const message = (await client.get(`/sms/messages/${body.messageId}`)).body
  assert.deepEqual([message.status, message.error, message.attempts], ['failed', 'network_unavailable', 6])
  assert.equal((await client.get('/sms/balance')).body.balance, MONTHLY_CREDIT)
})

test('D3, D13: a long message in any script arrives complete and is delivered with its last part', async () => {
  const client = await makeClient(service)
  const texts = ['€uro {} '.repeat(60), 'नमस्ते 😀 '.repeat(30)]
  for (const text of texts) {
    const { body } = await client.send({ to: '9841000001', text })
    await pass(0)
    assert.equal((await handsetMessages())[0].text, text)
    const message = (await client.get(`/sms/messages/${body.messageId}`)).body
    assert.equal(message.status, 'delivered')
    assert(message.segments > 2)
  }
})

test('D11: a temporary rejection of a long message costs one attempt, not one per part', async () => {
  const client = await makeClient(service)
  const { body } = await client.send({ to: '9841000005', text: 'x'.repeat(400) })
  await pass(5)
  const message = (await client.get(`/sms/messages/${body.messageId}`)).body
  assert.deepEqual([message.status, message.segments, message.attempts], ['delivered', 3, 2])
})

test('docs/reference/simulator.md matches the outcomes above', () => {
  const page = readFileSync(new URL('../docs/reference/simulator.md', import.meta.url), 'utf8')
  const rows = page.matchAll(/^\| `(\d\d)`.*?\|.*?\| (.*?) \|(.*?)\| (yes|no) \|$/gm)
  const promised = Array.from(rows, ([, digits, status, error, refunded]) => [
    digits,
    status?.replaceAll('`', ''),
    error?.replaceAll('`', '').trim(),
    refunded === 'yes',
  ])
  const proven = Array.from(ways, ([digits, expected]) => [
    digits,
    expected.status,
    expected.error ?? '',
    expected.isRefunded ?? false,
  ])
  assert.deepEqual(promised, proven)
})

/** Advances the clock slightly beyond the given time and settles. */
async function pass(seconds: number): Promise<void> {
  const { status, body } = await service.advance(seconds + 0.002)
  assert.equal(status, 200, JSON.stringify(body))
}

/** A short response timeout, because socket timeouts use real time. */
async function impatient(): Promise<void> {
  const { items } = (await service.manage('GET', '/carriers')).body
  assert.deepEqual(
    items.map((carrier: { name: string }) => carrier.name),
    ['Simulator'],
  )
  const { status } = await service.manage('PATCH', `/carriers/${items[0].id}`, { answerSeconds: 1 })
  assert.equal(status, 200)
}

function hookOf({ port }: Endpoint, name: string): string {
  return `https://127.0.0.1:${port}/${name}`
}

function eventsOf(name: string) {
  const attempts = endpoint.received.filter((attempt) => attempt.target === `/${name}`)
  const inOrder = attempts.sort((one, other) => (deliveryOf(one) < deliveryOf(other) ? -1 : 1))
  return inOrder.map((attempt) => JSON.parse(attempt.body.toString()))
}

function deliveryOf({ headers }: Endpoint['received'][number]): string {
  return String(headers['x-svc-delivery'])
}

async function handsetMessages() {
  return (await service.manage('GET', '/simulator/messages')).body.items
}

/** Whole seconds since the creation of the message. */
function timesOf(message: Record<string, string | null>) {
  const since = (at: string | null | undefined) =>
    at ? Math.floor((Date.parse(at) - Date.parse(message.createdAt ?? '')) / 1000) : null
  const { submittedAt, sentAt, deliveredAt, failedAt } = message
  return {
    submittedAt: since(submittedAt),
    sentAt: since(sentAt),
    deliveredAt: since(deliveredAt),
    failedAt: since(failedAt),
  }
}
