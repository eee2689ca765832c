import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const sender = await makeSender(service)
const [first, second, special] = [await startSmsc(), await startSmsc(), await startSmsc()]
const carriers = {
  first: await addCarrier(service, first.port),
  second: await addCarrier(service, second.port),
  special: await addCarrier(service, special.port),
}
await addRoute(service, carriers.first, { priority: 1 })
await addRoute(service, carriers.second, { priority: 2 })
let last = 0

async function sendTo(prefix: string, body: Record<string, unknown> = {}) {
  last += 1
  // Changes apply after the next refresh of the carriers.
  await service.settle()
  const sent = await sender.send({ to: `${prefix}${String(last).padStart(10 - prefix.length, '0')}`, ...body })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await service.settle()
  return sent.body.messageId as string
}
const counts = () => [first.taken.length, second.taken.length, special.taken.length]

test('the first priority wins; a longer prefix and the type come before priority', async () => {
  await sendTo('9841')
  assert.deepEqual(counts(), [1, 0, 0])
  const route = await addRoute(service, carriers.special, { prefixes: ['+977985'], types: ['otp'], priority: 9 })
  await sendTo('9851')
  assert.deepEqual(counts(), [2, 0, 0], 'the type does not match')
  await service.manage('PATCH', `/routes/${route}`, { types: null })
  await sendTo('9851')
  assert.deepEqual(counts(), [2, 0, 1])
  await service.manage('DELETE', `/routes/${route}`)
  await sendTo('9851')
  assert.deepEqual(counts(), [3, 0, 1])
})

test('a message accepted after a routing change uses the new routes', async () => {
  const sendAtOnce = async () => {
    last += 1
    const sent = await sender.send({ to: `9861${String(last).padStart(6, '0')}` })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    // Long enough for a worker with old routes to claim the message.
    for (let reads = 0; reads < 20; reads++) await sender.get(sent.body.messageId)
  }
  /** Blocks delivery from reading carriers and routes. */
  const unseen = async (work: () => Promise<void>) => {
    await service.settle()
    await service.db.transaction(async (tx) => {
      await tx.query(sql`select from carrier_bind for update`)
      await work()
    })
    await service.settle()
  }
  for (const given of [{ priority: 0 }, { prefixes: ['+977986'] }]) {
    const before = counts()
    const grown = () => counts().map((count, index) => count - (before[index] ?? 0))
    let route = ''
    await unseen(async () => {
      route = await addRoute(service, carriers.special, given)
      await sendAtOnce()
    })
    assert.deepEqual(grown(), [0, 0, 1])
    await unseen(async () => {
      await service.manage('DELETE', `/routes/${route}`)
      await sendAtOnce()
    })
    assert.deepEqual(grown(), [1, 0, 1])
  }
})

test('a temporary rejection sends the message to the next carrier first', async () => {
  first.plan = () => ({ status: 0x08 })
  const before = second.taken.length
  const id = await sendTo('9841')
  await service.advance(5)
  assert.equal(second.taken.length, before + 1)
  assert.equal((await sender.get(id)).attempts, 2)
  first.plan = () => ({ report: 'DELIVRD' })
})

test('the next carrier takes over from one that is down, without a lost attempt', async () => {
  await service.manage('PATCH', `/carriers/${carriers.first}`, { enabled: false })
  const before = second.taken.length
  const id = await sendTo('9841')
  assert.equal(second.taken.length, before + 1)
  const message = await until(async () => {
    const it = await sender.get(id)
    return it.status === 'delivered' && it
  })
  assert.equal(message.attempts, 1)
  await service.manage('PATCH', `/carriers/${carriers.first}`, { enabled: true })
})

test('D6: messages wait for a carrier that is down, and new routes apply to waiting messages', async () => {
  for (const id of Object.values(carriers)) await service.manage('PATCH', `/carriers/${id}`, { enabled: false })
  await service.settle()
  const before = special.taken.length
  const id = await sendTo('9861')
  assert.equal((await sender.get(id)).status, 'queued')
  await addRoute(service, carriers.special, { prefixes: ['+977986'] })
  await service.manage('PATCH', `/carriers/${carriers.special}`, { enabled: true })
  await service.settle()
  await service.settle()
  assert.equal(special.taken.length, before + 1)
  for (const id of Object.values(carriers)) await service.manage('PATCH', `/carriers/${id}`, { enabled: true })
})

test('D16: promotional messages wait for the local morning with one event; other types do not', async () => {
  // 21:00 in Kathmandu; quiet hours end at 08:00.
  const night = new Date('2026-11-16T15:15:00.000Z')
  await service.advance((night.getTime() - service.clock.now().getTime()) / 1000)
  const id = await sendTo('9841', { type: 'promotional' })
  assert.equal((await sender.get(id)).status, 'queued')
  const other = await sendTo('9841')
  assert.notEqual((await sender.get(other)).status, 'queued')
  await service.advance(11 * 3600 - 60)
  assert.equal((await sender.get(id)).status, 'queued')
  await service.advance(120)
  await until(async () => (await sender.get(id)).status === 'delivered')
  const rows = await service.db.query<{ status: string }>({
    text: 'select webhook_status as status from webhook_event where message_id = $1 order by delivery_id',
    values: [id],
    name: undefined,
  })
  assert.deepEqual(
    rows.map((row) => row.status),
    ['queued', 'sent', 'delivered'],
  )
})

test('every bind shows its state and its error', async () => {
  const up = await service.manage('GET', `/carriers/${carriers.first}`)
  assert.equal(up.body.state.length, 1)
  assert.equal(up.body.state[0].state, 'bound')
  assert.equal(JSON.stringify(up.body).includes('"secret"'), false)
  const nobody = await startSmsc({ bindStatus: () => 0x0e })
  const id = await addCarrier(service, nobody.port, { name: 'Wrong password' })
  await service.settle()
  await service.settle()
  const down = await service.manage('GET', `/carriers/${id}`)
  assert.equal(down.body.state[0].state, 'waiting')
  assert.match(down.body.state[0].lastError, /RINVPASWD/)
})

test('a carrier with a route cannot be removed; names are unique', async () => {
  assert.equal((await service.manage('DELETE', `/carriers/${carriers.first}`)).status, 409)
  const known = { name: `Carrier ${first.port}`, host: 'x', port: 1, systemId: 'a', password: 'b' }
  assert.equal((await service.manage('POST', '/carriers', known)).status, 409)
  const abroad = { country: 'NP', prefixes: ['+9198'], carrierId: carriers.first }
  assert.equal((await service.manage('POST', '/routes', abroad)).status, 400)
})
