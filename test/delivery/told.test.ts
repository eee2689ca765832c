// What an operator sees of delivery without asking each carrier: the log and the metrics.
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
const CANNOT = 'a carrier cannot be bound; it is tried again and again'
const UNSERVED = 'messages wait where no carrier that is switched on serves'

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

/** Without what changes from run to run. */
const saidOf = (service: TestService, name: string) =>
  linesOf(service, (line) => line.carrier === name).map(({ msg, reason }) => [msg, reason])

async function metric({ readMetrics }: TestService, name: string): Promise<number | null> {
  const text = await readMetrics()
  const line = text.split('\n').find((it) => it.startsWith(`hulaki_${name} `))
  return line === undefined ? null : Number(line.split(' ').at(-1))
}

test('a carrier that is down is told once, with the reason; so is that it is bound, and that it is lost', async () => {
  const service = await ownService({ env: ROLES, clock: systemClock() })
  const port = await freePort()
  await addCarrier(service, port, { name: 'Far', password: 'hush-123' })
  const refused = [CANNOT, `connect ECONNREFUSED 127.0.0.1:${port}`]
  await until(() => saidOf(service, 'Far').length > 0)
  const failedAt = async () => (await service.manage('GET', '/carriers')).body.items[0].state[0].lastErrorAt
  const first = await until(failedAt)
  await until(async () => (await failedAt()) !== first)
  assert.deepEqual(saidOf(service, 'Far'), [refused])
  assert.equal(await metric(service, 'delivery_bound_binds{carrier="Far"}'), 0)

  const smsc = await startSmsc({ port })
  await until(() => saidOf(service, 'Far').length > 1)
  assert.deepEqual(saidOf(service, 'Far'), [refused, ['a carrier is bound', undefined]])
  assert.equal(await metric(service, 'delivery_bound_binds{carrier="Far"}'), 1)

  await smsc.close()
  await until(() => saidOf(service, 'Far').length > 3)
  const [lost, again] = saidOf(service, 'Far').slice(2)
  assert.equal(lost?.[0], 'the link to a carrier is lost')
  assert.match(lost?.[1] ?? '', /^the link ended: lost/)
  assert.deepEqual(again, refused)
  assert.doesNotMatch(service.logged.join(''), /hush-123/)
})

test('a bind that the carrier refuses is told with the status', async () => {
  const service = await ownService({ env: ROLES, clock: systemClock() })
  const smsc = await startSmsc({ bindStatus: () => 0x0e })
  await addCarrier(service, smsc.port, { name: 'Strict' })
  await until(() => saidOf(service, 'Strict').length > 0)
  assert.deepEqual(saidOf(service, 'Strict'), [[CANNOT, 'not bound: bind_refused ESME_RINVPASWD']])
})

test('a bind that cannot be made is told again after five minutes, and when it had been bound since', () => {
  const logged: string[] = []
  const log = createLog('info', { write: (line) => logged.push(line) })
  let now = 0
  const bind = new BindLog({ log, carrier: { name: 'Far' }, number: 1, monotonicNow: () => now })
  for (; now < 290_000; now += 60_000) bind.failed('nobody there')
  assert.equal(logged.length, 1)
  bind.failed('nobody there')
  bind.failed('nobody there')
  assert.equal(logged.length, 2)
  bind.bound('127.0.0.1:2775')
  bind.lost('the link ended: lost')
  bind.failed('nobody there')
  assert.equal(logged.length, 5)
})

test('the queue, the submissions and the reports are measured', async () => {
  const service = await ownService({ env: ROLES })
  const sender = await makeSender(service)
  const smsc = await startSmsc({ plan: ({ to }) => (to.endsWith('1') ? { report: 'DELIVRD' } : { status: 0x0b }) })
  await sender.send({ to: '9841000001' })
  await sender.send({ to: '9841000002' })
  await service.advance(30)
  assert.equal(await metric(service, 'delivery_queue_messages'), 2)
  assert.equal(Math.floor((await metric(service, 'delivery_queue_oldest_due_seconds')) ?? 0), 30)

  await addRoute(service, await addCarrier(service, smsc.port))
  await service.settle()
  await until(async () => (await metric(service, 'delivery_reports_total{status="delivered"}')) === 1)
  assert.equal(await metric(service, 'delivery_submissions_total{outcome="accepted"}'), 1)
  assert.equal(await metric(service, 'delivery_submissions_total{outcome="rejected"}'), 1)
  await until(async () => (await metric(service, 'delivery_queue_messages')) === 0)
  assert.equal(await metric(service, 'delivery_queue_oldest_due_seconds'), 0)
})

test('a carrier that is switched off is not measured any more', async () => {
  const service = await ownService({ env: ROLES })
  const smsc = await startSmsc()
  const id = await addCarrier(service, smsc.port, { name: 'Near' })
  await service.settle()
  assert.equal(await metric(service, 'delivery_bound_binds{carrier="Near"}'), 1)
  await service.manage('PATCH', `/carriers/${id}`, { enabled: false })
  await service.settle()
  assert.equal(await metric(service, 'delivery_bound_binds{carrier="Near"}'), null)
})

test('messages that no carrier serves are warned of, once a minute, until one does', async () => {
  const service = await ownService({ env: ROLES })
  const sender = await makeSender(service)
  const warnings = () =>
    linesOf(service, (line) => line.msg === UNSERVED).map(({ messages, countries }) => [messages, countries])
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
