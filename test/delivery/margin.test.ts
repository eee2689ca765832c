// D61: carrier costs and margins, exact over failover, long messages, refunds and late responses, for operators only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeOwner, makeWorkspace } from '../harness/client.ts'
import { makePerson } from '../harness/people.ts'
import { assertRefused } from '../harness/refused.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc, type Taken } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'
import { ABSENT } from '../manage/fixtures.ts'

const RATE = { transactional: 0.1, otp: 0.2, promotional: 0.3 }
const WAIT = { ms: 30_000 }
let last = 0
const nextNumber = (beginning = '+97798') => `${beginning}${String(48_000_000 + ++last)}`

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep' } })
/** Carriers in routing order. */
const [first, second] = [await connect(1), await connect(2)]
await until(() => [first, second].every(({ smsc }) => smsc.sessions.size === 1), WAIT)

async function connect(priority: number) {
  const smsc = await startSmsc()
  const id = await addCarrier(service, smsc.port)
  await addRoute(service, id, { priority })
  return { id, smsc }
}

async function priced(carrierId: string, prices: [string, number][], currency = 'NPR') {
  const list = prices.map(([prefix, price]) => ({ prefix, price }))
  const put = await service.manage('PUT', `/carriers/${carrierId}/prices`, { currency, prices: list })
  assert.equal(put.status, 200, JSON.stringify(put.body))
  await service.settle()
}

const timelineOf = async (id: string, token?: string) =>
  (await service.manage('GET', `/messages/${id}/timeline`, undefined, token)).body

async function untilStatus(id: string, status: string) {
  await until(async () => {
    await service.settle()
    return (await timelineOf(id)).message.status === status
  }, WAIT)
}

const usageOf = async (workspaceId: string, token?: string) =>
  (await service.manage('GET', `/workspaces/${workspaceId}/usage`, undefined, token)).body.items

test("a message costs the sum of its carriers' charges, also after a refund", async () => {
  // The first carrier rejects second segments; a permanent rejection stays.
  const isSecond = ({ text }: Taken) => text.startsWith('2')
  first.smsc.plan = (it) =>
    it.to.endsWith('7') ? { status: 0x0b } : isSecond(it) ? { status: 0x08 } : { report: 'DELIVRD' }
  second.smsc.plan = ({ to }) => (to.endsWith('9') ? { status: 0x0b } : { report: 'DELIVRD' })
  await priced(first.id, [
    ['+977', 0.0101],
    ['+97798', 0.0203],
    ['', 9],
  ])
  await priced(second.id, [['', 0.0404]])
  const workspaceId = await makeWorkspace(service, { rate: RATE })
  const client = await makeClient(service, { workspaceId })
  const send = async (to: string, text: string) => (await client.send({ to, text })).body.messageId as string
  const long = (to: string) => send(to, `${'1'.repeat(153)}${'2'.repeat(100)}`)

  const short = await send('+9779860000001', 'Hello')
  const cheap = await send('+9779760000001', 'Hello')
  const shared = await long('+9779860000011')
  const refused = await send('+9779860000017', 'Hello')
  const half = await long('+9779860000019')
  for (const id of [short, cheap]) await untilStatus(id, 'delivered')
  await untilStatus(refused, 'failed')
  await until(async () => {
    await service.advance(5)
    return (await timelineOf(shared)).message.status === 'delivered'
  }, WAIT)
  await untilStatus(half, 'failed')

  const told = async (id: string) => (await timelineOf(id)).carriers
  assert.deepEqual(await told(short), { segments: 1, cost: 0.0203, margin: 0.0797 })
  assert.deepEqual(await told(cheap), { segments: 1, cost: 0.0101, margin: 0.0899 })
  assert.deepEqual(await told(shared), { segments: 2, cost: 0.0607, margin: 0.1393 })
  assert.deepEqual(await told(refused), { segments: 0, cost: 0, margin: 0 })
  assert.deepEqual(await told(half), { segments: 1, cost: 0.0203, margin: -0.0203 })
  const [day, ...more] = await usageOf(workspaceId)
  assert.deepEqual(more, [])
  assert.deepEqual([day.cost, day.refunded, day.net], [0.7, 0.3, 0.4])
  assert.deepEqual(day.carriers, { segments: 5, cost: 0.1114, margin: 0.2886 })

  const answers = (await timelineOf(shared)).timeline.filter((it: { what: string }) => it.what === 'answer')
  const costs = answers.map((it: { outcome: string; carrierCost: number | null }) => [it.outcome, it.carrierCost])
  assert.deepEqual(costs.sort(), [
    ['accepted', 0.0203],
    ['accepted', 0.0404],
    ['other_carrier', null],
  ])
})

test('carrier costs are hidden from owners, developers and viewers', async () => {
  const carrierId = first.id
  await priced(carrierId, [['', 0.0123]])
  const workspaceId = await makeWorkspace(service, { rate: RATE })
  const client = await makeClient(service, { workspaceId })
  const sent = (await client.send({ to: nextNumber() })).body.messageId
  await untilStatus(sent, 'delivered')
  const { token } = await makeOwner(service, workspaceId)
  assert.equal((await usageOf(workspaceId))[0].carriers.cost, 0.0123)
  assert.match(JSON.stringify(await timelineOf(sent)), /0\.0123/)
  const exported = (await service.manage('GET', `/workspaces/${workspaceId}/usage.csv?month=2026-11`)).body
  assert.match(exported, /currency,carrierSegments,carrierCost\r\n.*,NP,1,1,0\.1,0,0,0\.1,NPR,1,0\.0123\r\n$/)
  const at = `/workspaces/${workspaceId}`
  const seen = [
    ...[`${at}/usage`, `${at}/months/2026-11`, `${at}/usage.csv?month=2026-11`, `${at}/messages`, `${at}/ledger`, at],
    ...[`/messages/${sent}/timeline`],
  ]
  for (const path of seen) {
    const { status, body } = await service.manage('GET', path, undefined, token)
    assert.equal(status, 200, path)
    assert.doesNotMatch(JSON.stringify(body), /0\.0123|0\.0877|carriers|margin|carrierCost/i, path)
  }
  for (const role of ['owner', 'developer', 'viewer'] as const) {
    const person = await makePerson(service, { workspaceId, role })
    for (const path of [`${at}/usage`, `/messages/${sent}/timeline`]) {
      const { status, body } = await person.browser.ask('GET', path)
      assert.equal(status, 200, `${role} ${path}`)
      assert.doesNotMatch(JSON.stringify(body), /0\.0123|carriers|margin|carrierCost/i, `${role} ${path}`)
    }
  }
  assertRefused(await service.manage('GET', `/carriers/${carrierId}/prices`, undefined, token), 404, 'not_found')
})

test('price lists are validated completely, have one currency, and count for workspaces with that currency', async () => {
  const at = `/carriers/${first.id}/prices`
  const unpriced = await addCarrier(service, 9, { enabled: false })
  const none = (await service.manage('GET', `/carriers/${unpriced}/prices`)).body
  assert.deepEqual(none, { currency: null, prices: [], updatedAt: null })
  const wrong = await service.manage('PUT', at, {
    currency: 'rupees',
    prices: [
      { prefix: '977', price: 1 },
      { prefix: '+977', price: 0.00001 },
      { prefix: '+1', price: -1 },
    ],
  })
  assert.equal(wrong.status, 400)
  assert.equal(wrong.body.details.length, 4, JSON.stringify(wrong.body))
  const twice = await service.manage('PUT', at, {
    currency: 'NPR',
    prices: ['', '+977', '', '+977'].map((prefix) => ({ prefix, price: 1 })),
  })
  assert.deepEqual(
    twice.body.details.map((it: { path: unknown[] }) => it.path.join('.')),
    ['prices.2.prefix', 'prices.3.prefix'],
  )
  const many = Array.from({ length: 1001 }, (_, index) => ({ prefix: `+977${index}`, price: 1 }))
  assert.equal((await service.manage('PUT', at, { currency: 'NPR', prices: many })).status, 400)
  assert.equal((await service.manage('PUT', at, { currency: 'NPR', prices: many.slice(1) })).body.prices.length, 1000)
  assertRefused(
    await service.manage('PUT', `/carriers/${ABSENT}/prices`, { currency: 'NPR', prices: [] }),
    404,
    'not_found',
  )
  const dollars = { currency: 'USD', prices: [{ prefix: '', price: 0.01 }] }
  assertRefused(await service.manage('PUT', `/carriers/${second.id}/prices`, dollars), 409, 'conflict')

  await priced(second.id, [])
  await priced(first.id, [['', 0.01]], 'USD')
  const workspaceId = await makeWorkspace(service, { rate: RATE })
  const client = await makeClient(service, { workspaceId })
  const sent = (await client.send({ to: nextNumber() })).body.messageId
  await untilStatus(sent, 'delivered')
  assert.deepEqual((await timelineOf(sent)).carriers, { segments: 0, cost: 0, margin: 0.1 })
  const audited = (await service.manage('GET', '/audit-log')).body.items
  assert.ok(audited.some((it: { action: string }) => it.action === 'carrier.prices_changed'))
})

test('D15: a report that replaces a lost response adds the cost once', async () => {
  const { id: carrierId, smsc } = first
  smsc.plan = () => ({ answer: 'never' })
  await service.manage('PATCH', `/carriers/${carrierId}`, { answerSeconds: 1, breakAfterUnanswered: null })
  await until(() => smsc.sessions.size === 1, WAIT)
  await priced(carrierId, [['', 0.05]])
  const workspaceId = await makeWorkspace(service, { rate: RATE })
  const client = await makeClient(service, { workspaceId })
  const sent = (await client.send({ to: nextNumber() })).body.messageId
  await until(async () => {
    await service.settle()
    const { timeline } = await timelineOf(sent)
    return timeline.some((it: { outcome?: string }) => it.outcome === 'unknown')
  }, WAIT)
  assert.equal((await timelineOf(sent)).carriers.cost, 0)
  const taken = smsc.taken.at(-1)
  assert.ok(taken)
  await smsc.reportOn(taken, 'DELIVRD', { id: 'nobody-knows-it' })
  await until(async () => {
    await service.advance(10)
    return (await timelineOf(sent)).message.status === 'delivered'
  }, WAIT)
  assert.deepEqual((await timelineOf(sent)).carriers, { segments: 1, cost: 0.05, margin: 0.05 })
  assert.equal((await usageOf(workspaceId))[0].carriers.cost, 0.05)
})
