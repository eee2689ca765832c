// Overflow and weights of routes, over real SMPP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

/** Messages claimed at the old rate before the change. */
const SHARED_BURST = 2

let last = 0
const nextNumber = () => `98${String(47_000_000 + ++last).padStart(8, '0')}`

/** Two carriers with a route each. */
async function two(settings: { carrier?: object; route: object }[]) {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' }, clock: systemClock() })
  const smscs = [await startSmsc(), await startSmsc()] as const
  const carriers: string[] = []
  for (const [index, { port }] of smscs.entries()) {
    const carrierId = await addCarrier(service, port, { ...settings[index]?.carrier })
    await addRoute(service, carrierId, { ...settings[index]?.route })
    carriers.push(carrierId)
  }
  await until(() => smscs.every((smsc) => smsc.sessions.size === 1))
  const rate = { transactional: 1, otp: 1, promotional: 1 }
  const workspaceId = await makeWorkspace(service, { rate, monthlyCredit: 100_000 })
  const client = await makeClient(service, { workspaceId, brandName: 'Brand' })
  const send = async (count: number) => {
    const sent = await Promise.all(Array.from({ length: count }, () => client.send({ to: nextNumber() })))
    for (const { status, body } of sent) assert.equal(status, 200, JSON.stringify(body))
  }
  return { service, smscs, carriers, send }
}

test('messages above the rate go to the next carrier if the route overflows, otherwise they wait', async () => {
  const slow = { segmentsPerSecond: 10 }
  const { service, smscs, carriers, send } = await two([
    { carrier: slow, route: { priority: 1 } },
    { route: { priority: 2 } },
  ])
  const [first, second] = smscs
  const begunAt = performance.now()
  await send(100)
  await until(() => first.taken.length >= 30)
  assert(performance.now() - begunAt > 2_000, 'limited by its rate')
  assert.equal(second.taken.length, 0)
  // Slow enough that messages remain for the other carrier on any machine.
  await service.manage('PATCH', `/carriers/${carriers[0]}`, { segmentsPerSecond: 1 })
  const slowSince = performance.now()
  const tookBefore = first.taken.length
  const [route] = (await service.manage('GET', '/routes')).body.items.filter(
    (it: { priority: number }) => it.priority === 1,
  )
  assert.equal(route.overflow, false)
  const changed = await service.manage('PATCH', `/routes/${route.id}`, { overflow: true })
  assert.deepEqual([changed.status, changed.body.overflow], [200, true])
  await until(() => first.taken.length + second.taken.length === 100)
  const atItsRate = 1 + SHARED_BURST + (performance.now() - slowSince) / 1000
  const tookSince = first.taken.length - tookBefore
  assert(atItsRate >= tookSince, `${tookSince} went to the first, which allows ${atItsRate}`)
  assert(second.taken.length > 0)

  // With free capacity the first carrier gets messages again.
  await service.manage('PATCH', `/carriers/${carriers[0]}`, { segmentsPerSecond: 10 })
  let count = 100
  await until(async () => {
    const before = second.taken.length
    await send(1)
    count += 1
    await until(() => first.taken.length + second.taken.length === count)
    return second.taken.length === before
  })
})

test('routes of equal priority share by weight, also for single messages', async () => {
  const { smscs, send } = await two([{ route: { weight: 3 } }, { route: { weight: 1 } }])
  const [first, second] = smscs
  const all = () => first.taken.length + second.taken.length
  await send(200)
  await until(() => all() === 200)
  for (let count = 1; count <= 40; count++) {
    await send(1)
    await until(() => all() === 200 + count)
  }
  const part = first.taken.length / all()
  assert(part > 0.65 && part < 0.85, `${first.taken.length} and ${second.taken.length}`)
})

test('a carrier that is down leaves its share to the other', async () => {
  const { smscs, send, service, carriers } = await two([{ route: { weight: 1 } }, { route: { weight: 1 } }])
  const [first, second] = smscs
  await service.manage('PATCH', `/carriers/${carriers[0]}`, { enabled: false })
  await until(() => first.sessions.size === 0)
  await send(20)
  await until(() => second.taken.length === 20)
})
