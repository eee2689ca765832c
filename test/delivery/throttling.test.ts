// A carrier that throttles is given less, for a while, and never nothing; an inbox that is full is one subscriber's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { startTestService, systemClock, type TestService } from '../harness/service.ts'
import { type SmscOptions, startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const THROTTLED = 0x58
const QUEUE_FULL = 0x14

let last = 0
const nextNumber = () => `98${String(46_000_000 + ++last).padStart(8, '0')}`

async function makeSender(service: TestService) {
  const rate = { transactional: 1, otp: 1, promotional: 1 }
  const workspaceId = await makeWorkspace(service, { rate, monthlyCredit: 100_000 })
  return makeClient(service, { workspaceId, brandName: 'Brand', requestsPerSecond: 1000 })
}

/** Everything is in the queue before the carrier may have any of it: a burst. */
async function burst({
  numbers,
  plan,
  settings = {},
}: {
  numbers: string[]
  plan: SmscOptions['plan'] & {}
  settings?: object
}) {
  const service = await startTestService({ env: { HULAKI_ROLES: 'api,delivery' }, clock: systemClock() })
  const smsc = await startSmsc({ plan })
  const carrierId = await addCarrier(service, smsc.port, { enabled: false, window: 100, ...settings })
  await addRoute(service, carrierId)
  const client = await makeSender(service)
  for (let from = 0; from < numbers.length; from += 200) {
    const answers = await Promise.all(numbers.slice(from, from + 200).map((to) => client.send({ to })))
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
  }
  await service.manage('PATCH', `/carriers/${carrierId}`, { enabled: true })
  await until(() => smsc.taken.length > 0)
  return { service, smsc, client, begunAt: performance.now() }
}

const secondsSince = (at: number) => (performance.now() - at) / 1000

test('one 0x58 in a burst costs a second and half of the speed: the carrier is not muted, and a code goes before the rest', async () => {
  const service = await startTestService({ env: { HULAKI_ROLES: 'api,delivery' }, clock: systemClock() })
  let count = 0
  const smsc = await startSmsc({ plan: () => (++count === 1 ? { status: THROTTLED } : {}) })
  await addRoute(service, await addCarrier(service, smsc.port))
  const client = await makeSender(service)
  await client.send({ to: nextNumber() })
  await until(() => smsc.taken.length === 1)
  const begunAt = performance.now()
  const others = await Promise.all(Array.from({ length: 40 }, () => client.send({ to: nextNumber() })))
  for (const { status } of others) assert.equal(status, 200)
  const code = nextNumber()
  assert.equal((await client.otp({ to: code })).status, 200)
  await until(() => smsc.taken.some(({ to }) => to.endsWith(code)))
  assert(secondsSince(begunAt) < 3, `the code waited for ${secondsSince(begunAt)} s`)
  await until(() => smsc.taken.length >= 42)
  assert(secondsSince(begunAt) < 10, `the rest took ${secondsSince(begunAt)} s`)
})

test('thirty full inboxes are thirty messages that wait: 1 300 others go out as if they were not there', async () => {
  const full = new Set(Array.from({ length: 30 }, nextNumber))
  const others = Array.from({ length: 1_300 }, nextNumber)
  // The worst: all of them one after the other, before anybody else.
  const numbers = [...full, ...others]
  const isFull = (to: string) => full.has(to.slice(4))
  const { smsc, begunAt } = await burst({ numbers, plan: ({ to }) => (isFull(to) ? { status: QUEUE_FULL } : {}) })
  await until(() => smsc.taken.filter(({ to }) => !isFull(to)).length === others.length)
  const seconds = secondsSince(begunAt)
  assert(seconds < 8, `${seconds} s`)
  smsc.plan = () => ({ report: 'DELIVRD' })
  await until(() => smsc.taken.filter(({ to }) => isFull(to)).length >= 60)
})

test('where most numbers say that there is no room, it is the account: it slows down as if it were throttled', async () => {
  const numbers = Array.from({ length: 300 }, nextNumber)
  const { smsc, begunAt } = await burst({ numbers, plan: () => ({ status: QUEUE_FULL }), settings: { window: 10 } })
  await until(() => smsc.taken.length >= 40)
  await until(() => smsc.taken.length >= 60)
  assert(secondsSince(begunAt) > 1, `${secondsSince(begunAt)} s`)
})

test('the simulator: a number that is throttled (13) mutes nobody else', async () => {
  const service = await startTestService({
    env: { HULAKI_ROLES: 'api,delivery,simulator' },
    clock: systemClock(),
  })
  const client = await makeSender(service)
  const isDone = async (id: string) => (await client.get(`/sms/messages/${id}`)).body.status === 'delivered'
  const throttled = (await client.send({ to: '9846000013' })).body.messageId
  await until(async () => (await client.get(`/sms/messages/${throttled}`)).body.status === 'queued')
  const begunAt = performance.now()
  const sent = await Promise.all(Array.from({ length: 50 }, (_, index) => client.send({ to: `98460${100 + index}01` })))
  for (const { body } of sent) await until(() => isDone(body.messageId))
  assert(secondsSince(begunAt) < 4, `${secondsSince(begunAt)} s`)
  await until(() => isDone(throttled))
})
