// A throttling carrier gets less, never nothing; a full inbox affects one subscriber only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'
import { burst, makeSender, nextNumber, QUEUE_FULL } from './burst.ts'

const THROTTLED = 0x58
const secondsSince = (at: number) => (performance.now() - at) / 1000

test('one 0x58 costs a second, and an OTP goes first afterwards', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
  const held = Promise.withResolvers<void>()
  let count = 0
  const smsc = await startSmsc({ plan: () => (++count === 1 ? { status: THROTTLED, answer: held.promise } : {}) })
  // With a window of one, everything waits for the first response.
  await addRoute(service, await addCarrier(service, smsc.port, { window: 1 }))
  const client = await makeSender(service)
  await client.send({ to: nextNumber() })
  await until(() => smsc.taken.length === 1)
  const others = await Promise.all(Array.from({ length: 20 }, () => client.send({ to: nextNumber() })))
  for (const { status } of others) assert.equal(status, 200)
  const code = nextNumber()
  assert.equal((await client.otp({ to: code })).status, 200)
  const begunAt = performance.now()
  held.resolve()
  await until(() => smsc.taken.length > 1)
  assert(secondsSince(begunAt) > 0.99, `it paused for ${secondsSince(begunAt)} s`)
  assert(smsc.taken[1]?.to.endsWith(code), 'the OTP goes first')
  // The clock is stopped: only the throttled message waits for a later time.
  await until(() => smsc.taken.length === 22)
  await service.advance(60)
  assert.equal(smsc.taken.length, 23)
})

test('if most inboxes are full, the account slows down as if throttled', async () => {
  const numbers = Array.from({ length: 300 }, nextNumber)
  const { smsc, begunAt } = await burst({ numbers, plan: () => ({ status: QUEUE_FULL }), settings: { window: 10 } })
  await until(() => smsc.taken.length >= 60)
  assert(secondsSince(begunAt) > 1, `${secondsSince(begunAt)} s`)
})

test('the simulator: a throttled number (13) does not block others', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
  const client = await makeSender(service)
  const statusOf = async (id: string) => (await client.get(`/sms/messages/${id}`)).body.status
  const throttled = (await client.send({ to: '9846000013' })).body.messageId
  await until(async () => {
    await service.settle()
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    return /^hulaki_delivery_submissions_total\{outcome="throttled"\} 1$/m.test(metrics)
  })
  assert.equal(await statusOf(throttled), 'queued')
  const since = service.clock.now().getTime()
  const sent = await Promise.all(Array.from({ length: 50 }, (_, index) => client.send({ to: `98460${100 + index}01` })))
  for (const { status } of sent) assert.equal(status, 200)
  await until(async () => {
    await service.advance(1)
    const [row] = await service.db.query<{ count: number }>(sql`
      select count(*) from message where status = 'delivered' and id <> ${throttled}`)
    return row?.count === 50
  })
  const seconds = (service.clock.now().getTime() - since) / 1000
  assert(seconds <= 4, `the others took ${seconds} s of the clock`)
  await until(async () => {
    await service.advance(1)
    return (await statusOf(throttled)) === 'delivered'
  })
})
