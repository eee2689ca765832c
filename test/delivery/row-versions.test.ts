// What a delivered message costs in rows: each row version is written, logged, indexed and vacuumed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const MESSAGES = 400

interface Versions {
  inserted: number
  updated: number
  /** Updates that wrote no index entry. */
  hot: number
  deleted: number
}

test('a delivered message of one segment writes its own row three times, one submission, and shares all other rows', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' }, clock: systemClock() })
  const smsc = await startSmsc({ plan: () => ({ report: 'DELIVRD' }) })
  await addRoute(service, await addCarrier(service, smsc.port, { window: 200 }))
  const sender = await makeSender(service, { monthlyCredit: 10_000 })
  const versions = async () => {
    const rows = await service.db.query<Versions & { name: string }>({
      text: `select relname as name, n_tup_ins::int as inserted, n_tup_upd::int as updated, n_tup_hot_upd::int as hot, n_tup_del::int as deleted
        from pg_stat_user_tables`,
      values: [],
      name: undefined,
    })
    return new Map(rows.map(({ name, ...row }) => [name, row]))
  }
  const before = await versions()
  const sent = await Promise.all(
    Array.from({ length: MESSAGES }, (_, n) => sender.send({ to: `98${String(46_000_000 + n)}` })),
  )
  assert(sent.every(({ status }) => status === 200))
  const delivered = () =>
    service.db.query<{ n: number }>({
      text: `select count(*)::int as n from message where status = 'delivered'`,
      values: [],
      name: undefined,
    })
  await until(async () => (await delivered())[0]?.n === MESSAGES)
  const written = async (table: string): Promise<Versions> => {
    const [was, is] = [before.get(table), (await versions()).get(table)]
    assert(is, table)
    const grown = (kind: keyof Versions) => is[kind] - (was?.[kind] ?? 0)
    return { inserted: grown('inserted'), updated: grown('updated'), hot: grown('hot'), deleted: grown('deleted') }
  }
  // A connection reports its counts within a second after its last transaction.
  await until(async () => {
    const { inserted, updated } = await written('message')
    return inserted >= MESSAGES && updated >= 2 * MESSAGES
  })
  await until(async () => (await written('submission')).inserted >= MESSAGES)

  const message = await written('message')
  assert.deepEqual([message.inserted, message.updated, message.deleted], [MESSAGES, 2 * MESSAGES, 0])
  // 0 if an updated column is indexed. The pages have room for one update of each row; for the second, earlier versions must have been removed, which
  // depends on time.
  assert(message.hot >= 0.4 * message.updated, `${message.hot} of ${message.updated} updates wrote no index entry`)
  assert.deepEqual(await written('submission'), { inserted: MESSAGES, updated: 0, hot: 0, deleted: 0 })
  assert.deepEqual(await written('report'), { inserted: 0, updated: 0, hot: 0, deleted: 0 })
  for (const table of [
    'delivery_queue',
    'claim',
    'ledger_entry',
    'client_counter',
    'message_quarter_hour',
    'usage_day',
  ]) {
    const { inserted, updated, deleted } = await written(table)
    assert(
      inserted + updated + deleted <= MESSAGES,
      `${table}: ${inserted} inserted, ${updated} updated, ${deleted} deleted`,
    )
  }
})
