// Priorities (D16), and expired messages (D14).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../src/runtime/clock.ts'
import { sql } from '../../src/store/database/sql.ts'
import { hold } from '../harness/hold-workspace.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const sender = await makeSender(service)
const carrierId = await addCarrier(service, smsc.port, { enabled: false, window: 5 })
await addRoute(service, carrierId)

let last = 0
const nextNumber = () => `98${String(44_000_000 + ++last)}`

test('D16: no promotional message is sent while transactional messages wait', async () => {
  for (const type of ['promotional', 'transactional']) {
    const sends = Array.from({ length: 30 }, () => sender.send({ to: nextNumber(), type, text: type }))
    for (const { status } of await Promise.all(sends)) assert.equal(status, 200)
    await service.advance(1)
  }
  await service.manage('PATCH', `/carriers/${carrierId}`, { enabled: true })
  await service.settle()
  await until(() => smsc.taken.length === 60)
  assert.deepEqual(
    smsc.taken.map((it) => it.text),
    [...Array(30).fill('transactional'), ...Array(30).fill('promotional')],
  )
})

test('D14: an OTP that expired during its claim is not submitted', async () => {
  const before = smsc.taken.length
  const release = await hold(service, sql`lock table claim in share mode`)
  const { messageId } = (await sender.sendCode(nextNumber())).body
  await until(async () => {
    const waiting = await service.db.query(sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into claim%'`)
    return waiting.length > 0
  })
  assert.ok(service.clock instanceof ManualClock)
  await service.clock.advanceTo(new Date(service.clock.now().getTime() + 305_000), async () => {})
  await release()
  await service.settle()
  assert.equal((await sender.get(messageId)).status, 'failed')
  assert.equal(smsc.taken.length, before)
})
