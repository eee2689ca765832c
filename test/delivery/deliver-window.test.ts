// Receipts never wait for submission responses, which matters for an SMSC with a deliver window of 1.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { inLongTransaction } from '../harness/hold-workspace.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { type Plan, startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const RECEIPTS = 20

test('with a deliver window of 1, receipts are acknowledged while responses are being recorded', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' }, clock: systemClock() })
  const smsc = await startSmsc({ plan: () => ({}), window: 1 })
  await addRoute(service, await addCarrier(service, smsc.port))
  const sender = await makeSender(service)
  const sendOne = async (index: number) => {
    const { body } = await sender.send({ to: `98${48_000_000 + index}` })
    return body.messageId as string
  }
  const ids = await Promise.all(Array.from({ length: RECEIPTS }, (_, index) => sendOne(index)))
  for (const id of ids) await until(async () => (await sender.get(id)).status === 'sent')
  const reported = [...smsc.taken]

  const answered = Promise.withResolvers<void>()
  smsc.plan = (): Plan => ({ answer: answered.promise, report: 'DELIVRD' })
  const stuck = await sendOne(RECEIPTS)
  await until(() => smsc.taken.length === RECEIPTS + 1)
  // Meanwhile no later response is recorded either.
  await inLongTransaction(service, async (tx) => {
    await tx.query(sql`select from message where id = ${stuck} for update`)
    answered.resolve()
    await until(async () => {
      const waiting = await tx.query(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      return waiting.length > 0
    })
    const outcomes = await Promise.all(reported.map((it) => smsc.reportOn(it, 'DELIVRD')))
    assert.deepEqual(outcomes, Array(RECEIPTS).fill(0))
    const [row] = await tx.query<{ count: number }>(sql`select count(*) from message where status = 'delivered'`)
    assert.equal(row?.count, RECEIPTS)
  })
  await until(async () => (await sender.get(stuck)).status === 'delivered')
})
