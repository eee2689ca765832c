// A bound carrier that accepts nothing counts as down: its messages are rerouted, and single messages probe it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../src/runtime/clock.ts'
import { sql } from '../../src/store/database/sql.ts'
import { assertRefused } from '../harness/refused.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService, type TestService, type TestServiceOptions } from '../harness/service.ts'
import { type Plan, type Smsc, startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const SUBMIT_FAILED = 0x45
const DELIVERED: Plan = { report: 'DELIVRD' }
const BROKEN = 'carrier failing'
const HEALED = 'carrier recovered'

/** A first carrier controlled by the test, and a healthy second one. */
async function twoCarriers(options: TestServiceOptions, { settings = {}, plan }: { settings?: object; plan: Plan }) {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' }, ...options })
  const [first, second] = [await startSmsc({ plan: () => plan }), await startSmsc()]
  const firstId = await addCarrier(service, first.port, { name: 'First', ...settings })
  await addRoute(service, firstId, { priority: 1 })
  await addRoute(service, await addCarrier(service, second.port, { name: 'Second' }), { priority: 2 })
  await until(() => first.sessions.size === 1 && second.sessions.size === 1)
  return { service, first, second, firstId, sender: await makeSender(service) }
}

const healthOf = async (service: TestService, id: string) =>
  (await service.manage('GET', `/carriers/${id}`)).body.health
const toldOf = ({ logged }: TestService, what: string) =>
  logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith(what))
const numbersOf = ({ taken }: Smsc) => new Set(taken.map(({ to }) => to))

let last = 0
const nextNumber = () => `98${String(45_000_000 + ++last).padStart(8, '0')}`

test('OTPs go to the healthy carrier, unknown ones next, and the silent carrier reconnects', async () => {
  const settings = { answerSeconds: 1 }
  const plan: Plan = { answer: 'never' }
  const { service, first, second, firstId, sender } = await twoCarriers({}, { settings, plan })
  const [link] = first.sessions
  const startedAt = service.clock.now()
  const codes = await Promise.all(Array.from({ length: 20 }, () => sender.sendCode(nextNumber())))
  for (const { body } of codes) {
    await until(async () => {
      await service.advance(0.1)
      return (await sender.get(body.messageId)).status === 'delivered'
    })
  }
  assert.equal(numbersOf(second).size, 20)
  // On a slow machine the clock advances further, which allows more probes.
  const probes = 1 + Math.floor((service.clock.now().getTime() - startedAt.getTime()) / 5_000)
  assert(
    first.taken.length <= 10 + probes,
    `it got ${first.taken.length}: a window of 10, and ${probes} probes at most`,
  )
  assert.equal(numbersOf(first).size, first.taken.length, 'no number was submitted there twice')
  // A peer with open requests takes time to close.
  await until(() => [...first.sessions].some((session) => session !== link && session.state === 'bound'))

  const health = await until(async () => {
    const it = await healthOf(service, firstId)
    return it.state === 'broken' && it
  })
  assert.equal(health.reason, 'no response to 5 submissions in a row')
  assert(service.clock.now().getTime() - new Date(health.since).getTime() < 60_000)
  assert.deepEqual(
    toldOf(service, BROKEN).map(({ carrier, reason }) => [carrier, reason]),
    [['First', health.reason]],
  )
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text()
  assert.match(await metrics(), /^hulaki_delivery_carrier_working\{carrier="First"\} 0$/m)
  assert.match(await metrics(), /^hulaki_delivery_carrier_working\{carrier="Second"\} 1$/m)

  first.plan = () => DELIVERED
  await until(async () => {
    await sender.sendCode(nextNumber())
    await service.advance(1)
    return (await healthOf(service, firstId)).state === 'working'
  })
  assert.deepEqual(
    toldOf(service, HEALED).map(({ carrier }) => carrier),
    ['First'],
  )
  await until(async () => /carrier="First"\} 1$/m.test(await metrics()))
})

test('ten seconds of silence open the circuit, long before the response timeout', async () => {
  const { service, first, second, firstId, sender } = await twoCarriers({}, { plan: { answer: 'never' } })
  for (let count = 0; count < 6; count++) await sender.sendCode(nextNumber())
  await until(() => first.taken.length === 6)
  assert.equal((await healthOf(service, firstId)).state, 'working')
  assert(service.clock instanceof ManualClock)
  await service.clock.advanceTo(new Date(service.clock.now().getTime() + 10_000), async () => {})
  await until(async () => (await healthOf(service, firstId)).reason === 'no response for 10 s')
  await sender.sendCode(nextNumber())
  await until(() => second.taken.length === 1)
  assert.equal(first.taken.length, 6)
  // The six submissions may still get a response: nothing was closed or resent.
  assert.equal(first.sessions.size, 1)
  first.disconnect()
})

test('a streak of rejections opens the circuit: rerouting, single probes, and the first success closes it', async () => {
  const { service, first, second, firstId, sender } = await twoCarriers({}, { plan: { status: SUBMIT_FAILED } })
  const sent = await Promise.all(Array.from({ length: 60 }, () => sender.send({ to: nextNumber() })))
  await service.settle()
  const { state, reason } = await healthOf(service, firstId)
  assert.equal(state, 'broken')
  assert.match(reason, /^20 submissions in a row rejected, last status ESME_RSUBMITFAIL$/)
  const tried = first.taken.length
  assert(tried >= 20 && tried < 30, `${tried}: a streak plus the window`)
  assert.equal(second.taken.length, 60 - tried)

  await service.advance(5)
  for (const { body } of sent) {
    await until(async () => (await sender.get(body.messageId)).status === 'delivered')
  }
  assert.equal(first.taken.length, tried, 'no rejected message is resent there')
  const sendFive = async () => {
    await Promise.all(Array.from({ length: 5 }, () => sender.send({ to: nextNumber() })))
    await service.settle()
  }
  // Other messages may pass before one becomes the probe.
  const untilTried = (times: number) =>
    until(async () => {
      await sendFive()
      assert(first.taken.length <= tried + times, 'one at a time')
      return first.taken.length === tried + times
    })
  await untilTried(1)
  await service.advance(9)
  await sendFive()
  assert.equal(first.taken.length, tried + 1, 'the next probe not before ten seconds')
  await service.advance(1)
  await untilTried(2)

  first.plan = () => DELIVERED
  await service.advance(20)
  await until(async () => {
    await sendFive()
    return (await healthOf(service, firstId)).state === 'working'
  })
  const before = first.taken.length
  await sendFive()
  assert.equal(first.taken.length, before + 5)
  assert.deepEqual([toldOf(service, BROKEN).length, toldOf(service, HEALED).length], [1, 1])
})

test('rejected numbers and texts never open the circuit, and null limits disable it', async () => {
  const settings = { breakAfterRefused: null }
  const { service, first, firstId, sender } = await twoCarriers({}, { settings, plan: { status: SUBMIT_FAILED } })
  const sendAll = async (count: number) => {
    await Promise.all(Array.from({ length: count }, () => sender.send({ to: nextNumber() })))
    await service.settle()
  }
  await sendAll(60)
  assert.equal(first.taken.length, 60)
  await service.manage('PATCH', `/carriers/${firstId}`, { breakAfterRefused: 20 })
  for (const status of [0x0b, 0x65, 0x401]) {
    first.plan = () => ({ status })
    await sendAll(60)
  }
  assert.equal((await healthOf(service, firstId)).state, 'working')
  assert.deepEqual(toldOf(service, BROKEN), [])
})

test('a carrier that fails in the process that holds it counts as failing in all processes', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
  const elsewhere = await addCarrier(service, 9, { name: 'Elsewhere', enabled: false })
  const here = await startSmsc()
  await addRoute(service, elsewhere, { priority: 1 })
  await addRoute(service, await addCarrier(service, here.port), { priority: 2 })
  const now = service.clock.now()
  // Simulates another process.
  await service.db.query(sql`
    update carrier_bind set process_id = ${elsewhere}, leased_until = '2100-01-01', state = 'bound', is_working = true,
      bound_at = ${now}, health_since = ${now} where carrier_id = ${elsewhere}`)
  await service.manage('PATCH', `/carriers/${elsewhere}`, { enabled: true })
  await service.settle()
  assert.equal((await healthOf(service, elsewhere)).state, 'working')
  const sender = await makeSender(service)
  const { body } = await sender.sendCode(nextNumber())
  await service.settle()
  assert.equal((await sender.get(body.messageId)).status, 'queued', 'left for the other process')
  await service.db.query(sql`
    update carrier_bind set is_working = false, broken_reason = 'no response for 10 s' where carrier_id = ${elsewhere}`)
  await service.settle()
  assert.deepEqual(await healthOf(service, elsewhere), {
    state: 'broken',
    reason: 'no response for 10 s',
    since: now.toISOString(),
  })
  await until(async () => (await sender.get(body.messageId)).status === 'delivered')
  assert.equal(here.taken.length, 1)
})

test('D40: OTPs are rejected after 30 s while the only carrier is broken, except when a probe is due', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
  const smsc = await startSmsc({ plan: () => ({ status: SUBMIT_FAILED }) })
  const carrierId = await addCarrier(service, smsc.port)
  await addRoute(service, carrierId)
  await until(() => smsc.sessions.size === 1)
  await service.settle()
  const sender = await makeSender(service)
  await Promise.all(Array.from({ length: 30 }, () => sender.sendCode(nextNumber())))
  await service.settle()
  assert.equal((await healthOf(service, carrierId)).state, 'broken')
  // By now it is probed once a minute.
  await service.advance(140)
  await service.advance(31)
  assertRefused(await sender.sendCode(nextNumber()), 503, 'unavailable')
  // The waiting OTPs have expired, so nothing is left to probe with.
  await service.advance(301)
  smsc.plan = () => DELIVERED
  const { messageId } = await until(async () => {
    await service.settle()
    const { status, body } = await sender.sendCode(nextNumber())
    return status === 200 && body
  })
  await service.settle()
  await until(async () => (await sender.get(messageId)).status === 'delivered')
  assert.equal((await healthOf(service, carrierId)).state, 'working')
})
