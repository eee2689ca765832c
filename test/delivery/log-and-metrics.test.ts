// The log lines and metrics of delivery.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BindLog } from '../../src/delivery/smpp/bind-log.ts'
import { createLog } from '../../src/runtime/log.ts'
import { freePort } from '../harness/free-port.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService, systemClock, type TestService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const ROLES = { HULAKI_ROLES: 'api,delivery' }
const FAILED = 'carrier bind failed, retrying'
const WITHOUT_ROUTE = 'messages waiting without an enabled route'

interface Line {
  msg: string
  carrier?: string
  reason?: string
  messages?: number
  countries?: string[]
}

function linesOf({ logged }: Pick<TestService, 'logged'>, pick: (line: Line) => boolean): Line[] {
  return logged.map((line) => JSON.parse(line) as Line).filter(pick)
}

/** Messages and reasons of one carrier. */
const loggedFor = (service: TestService, name: string) =>
  linesOf(service, (line) => line.carrier === name).map(({ msg, reason }) => [msg, reason])

async function metric({ readMetrics }: TestService, name: string): Promise<number | null> {
  const text = await readMetrics()
  const line = text.split('\n').find((it) => it.startsWith(`hulaki_${name} `))
  return line === undefined ? null : Number(line.split(' ').at(-1))
}

test('logs once that a carrier is down with the reason, is connected, and is lost', async () => {
  const service = await ownService({ env: ROLES, clock: systemClock() })
  const port = await freePort()
  await addCarrier(service, port, { name: 'Far', password: 'hush-123' })
  const refused = [FAILED, `connect ECONNREFUSED 127.0.0.1:${port}`]
  await until(() => loggedFor(service, 'Far').length > 0)
  const failedAt = async () => (await service.manage('GET', '/carriers')).body.items[0].state[0].lastErrorAt
  const first = await until(failedAt)
  await until(async () => (await failedAt()) !== first)
  assert.deepEqual(loggedFor(service, 'Far'), [refused])
  assert.equal(await metric(service, 'delivery_bound_binds{carrier="Far"}'), 0)

  const smsc = await startSmsc({ port })
  await until(() => loggedFor(service, 'Far').length > 1)
  assert.deepEqual(loggedFor(service, 'Far'), [refused, ['carrier connected', undefined]])
  assert.equal(await metric(service, 'delivery_bound_binds{carrier="Far"}'), 1)

  await smsc.close()
  await until(() => loggedFor(service, 'Far').length > 3)
  const [lost, again] = loggedFor(service, 'Far').slice(2)
  assert.equal(lost?.[0], 'carrier connection lost')
  assert.match(lost?.[1] ?? '', /^connection closed: lost/)
  assert.deepEqual(again, refused)
  assert.doesNotMatch(service.logged.join(''), /hush-123/)
})

test('logs a rejected bind with its status', async () => {
  const service = await ownService({ env: ROLES, clock: systemClock() })
  const smsc = await startSmsc({ bindStatus: () => 0x0e })
  await addCarrier(service, smsc.port, { name: 'Strict' })
  await until(() => loggedFor(service, 'Strict').length > 0)
  assert.deepEqual(loggedFor(service, 'Strict'), [[FAILED, 'not bound: bind_refused ESME_RINVPASWD']])
})

test('logs a failing bind again after five minutes, and after a connection in between', () => {
  const logged: string[] = []
  const log = createLog('info', { write: (line) => logged.push(line) })
  let now = 0
  const bind = new BindLog({ log, carrier: { name: 'Far' }, number: 1, monotonicNow: () => now })
  for (; now < 290_000; now += 60_000) bind.failed('refused')
  assert.equal(logged.length, 1)
  bind.failed('refused')
  bind.failed('refused')
  assert.equal(logged.length, 2)
  bind.bound('127.0.0.1:2775')
  bind.lost('connection closed: lost')
  bind.failed('refused')
  assert.equal(logged.length, 5)
})

test('measures the queue, submissions and reports', async () => {
  const service = await ownService({ env: ROLES })
  const sender = await makeSender(service)
  const smsc = await startSmsc({ plan: ({ to }) => (to.endsWith('1') ? { report: 'DELIVRD' } : { status: 0x0b }) })
  await sender.send({ to: '9841000001' })
  await sender.send({ to: '9841000002' })
  await service.advance(30)
  assert.equal(await metric(service, 'delivery_queue_messages{type="transactional"}'), 2)
  assert.equal(Math.floor((await metric(service, 'delivery_queue_oldest_due_seconds{type="transactional"}')) ?? 0), 30)

  await addRoute(service, await addCarrier(service, smsc.port))
  await service.settle()
  await until(async () => (await metric(service, 'delivery_reports_total{status="delivered"}')) === 1)
  assert.equal(await metric(service, 'delivery_submissions_total{outcome="accepted"}'), 1)
  assert.equal(await metric(service, 'delivery_submissions_total{outcome="rejected"}'), 1)
  await until(async () => (await metric(service, 'delivery_queue_messages{type="transactional"}')) === 0)
  assert.equal(await metric(service, 'delivery_queue_oldest_due_seconds{type="transactional"}'), 0)
})

test('measures accepted messages, their time until submission, and the conversion of OTPs', async () => {
  const service = await ownService({ env: ROLES })
  const { send, sendCode } = await makeSender(service)
  const smsc = await startSmsc()
  await send({ to: '9841000011' })
  const sent = await sendCode('9841000012')
  assert.equal(sent.status, 200)
  await service.advance(20)
  await addRoute(service, await addCarrier(service, smsc.port))
  await service.settle()
  assert.equal(await metric(service, 'messages_accepted_total{type="transactional"}'), 1)
  assert.equal(await metric(service, 'messages_accepted_total{type="otp"}'), 1)
  assert.equal(await metric(service, 'otp_sent_total'), 1)
  for (const type of ['transactional', 'otp']) {
    assert.equal(await metric(service, `delivery_submit_seconds_count{type="${type}"}`), 1)
    const seconds = await metric(service, `delivery_submit_seconds_sum{type="${type}"}`)
    assert.ok(seconds !== null && seconds >= 20 && seconds < 60, `${seconds}`)
  }
  assert.equal(await metric(service, 'batch_requests_count{lane="accept_otp"}'), 1)
  assert.equal(await metric(service, 'database_pool_waiting{pool="main"}'), 0)
})

test('does not measure a disabled carrier', async () => {
  const service = await ownService({ env: ROLES })
  const smsc = await startSmsc()
  const id = await addCarrier(service, smsc.port, { name: 'Near' })
  await service.settle()
  assert.equal(await metric(service, 'delivery_bound_binds{carrier="Near"}'), 1)
  await service.manage('PATCH', `/carriers/${id}`, { enabled: false })
  await service.settle()
  assert.equal(await metric(service, 'delivery_bound_binds{carrier="Near"}'), null)
})

test('warns once a minute about messages without an enabled route', async () => {
  const service = await ownService({ env: ROLES })
  const sender = await makeSender(service)
  const warnings = () =>
    linesOf(service, (line) => line.msg === WITHOUT_ROUTE).map(({ messages, countries }) => [messages, countries])
  const smsc = await startSmsc()
  const carrierId = await addCarrier(service, smsc.port, { enabled: false })
  await addRoute(service, carrierId, { types: ['transactional'] })
  await service.settle()
  assert.deepEqual(warnings(), [])

  await sender.send({ to: '9841000001' })
  await sender.send({ to: '9841000002' })
  await service.settle()
  assert.deepEqual(warnings(), [[2, ['NP']]])
  await service.advance(50)
  assert.equal(warnings().length, 1)
  await service.advance(20)
  assert.equal(warnings().length, 2)

  await service.manage('PATCH', `/carriers/${carrierId}`, { enabled: true })
  await service.settle()
  await until(() => smsc.taken.length === 2)
  await service.advance(300)
  assert.equal(warnings().length, 2)
})
