// Statements of the message path read the partitions of their own messages, however many months are kept (D44). The plans are those that
// PostgreSQL chooses for a statement that it has executed often.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preparePartitions } from '../../../src/actions/service/keep-partitions.ts'
import { DAY_MS } from '../../../src/domain/durations.ts'
import type { Db } from '../../../src/store/database/db.ts'
import { PARTITIONED_TABLES } from '../../../src/store/database/partitions.ts'
import { Pipeline } from '../../../src/store/database/pipeline.ts'
import type { Statement } from '../../../src/store/database/sql.ts'
import { makeClient } from '../../harness/client.ts'
import { ownService, START } from '../../harness/service.ts'

const MONTHS = 14
/** PostgreSQL plans a statement five times with its values before it compares these plans with one for all values. */
const EXECUTIONS = 8

/** Statements that may name all months, by their beginning. */
const UNBOUNDED: readonly [RegExp, why: string][] = [
  [/^with due as materialized/, 'a claim looks up each message in its own partition'],
  [/^select \* from \(\(select workspace_id/, 'a list reads from the newest month until the page is full'],
  [/^select id from message where id > \(select swept_to/, 'reads the first message after a mark, from its month on'],
  [/^with known as \(/, 'finds the latest messages to the sender of a reply, from a recent id on'],
  [/^select count\(\*\) filter/, 'counts messages from a recent id on'],
  [/^select carrier_id as "carrierId", count\(distinct/, 'counts unknown outcomes from a recent id on'],
]

test('D44: with 14 months, the statements of a message path and of its look-up name one month per table', async (t) => {
  const adds = t.mock.method(Pipeline.prototype, 'add')
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,webhooks,simulator' } })
  await preparePartitions(service.db, new Date(START.getTime() + MONTHS * 31 * DAY_MS))
  const client = await makeClient(service)
  adds.mock.resetCalls()
  const { body: sent } = await client.send({ to: '+9779841000001' })
  // A delivered one, a retried one, one without answer, one with two receipts.
  for (const end of ['02', '03', '05', '06', '07', '09', '11', '12']) {
    await client.send({ to: `+97798410000${end}`, text: 'Hello '.repeat(40) })
    await service.settle()
  }
  await service.advance(80 * 3600)
  for (const path of [`/messages/${sent.messageId}/timeline`, '/now', '/messages', '/messages?q=Hello'])
    assert.equal((await service.manage('GET', path)).status, 200, path)
  assert.equal((await client.get(`/sms/messages/${sent.messageId}`)).status, 200)

  const statements = new Map(adds.mock.calls.map(({ arguments: [it] }) => [it.text, it]))
  const seen = new Set<string>()
  const wide: string[] = []
  for (const statement of statements.values()) {
    const text = statement.text.replaceAll(/\s+/g, ' ').trim()
    if (!/^(select|with|insert|update|delete) /.test(text)) continue
    if (UNBOUNDED.some(([beginning]) => beginning.test(text))) continue
    const partitions = await partitionsIn(service.db, statement)
    for (const table of PARTITIONED_TABLES) {
      const named = partitions.filter((it) => new RegExp(`^${table}_(first|[0-9])`).test(it))
      if (named.length > 1) wide.push(`${table}: ${text}`)
      if (named.length > 0) seen.add(table)
    }
  }
  assert.deepEqual(wide, [])
  assert.deepEqual([...seen].toSorted(), ['message', 'report', 'submission'])
})

/** The partitions in the plan of a statement. */
async function partitionsIn(db: Db, { text, values }: Statement): Promise<string[]> {
  if (!PARTITIONED_TABLES.some((table) => text.includes(table))) return []
  return db.ownConnection(async (connection) => {
    await connection.script(`prepare statement as ${text}`)
    const execution = `execute statement${values.length > 0 ? `(${values.map(literalOf).join(', ')})` : ''}`
    let plan: { 'QUERY PLAN': string }[] = []
    for (let n = 0; n < EXECUTIONS; n += 1)
      plan = await connection.query({ text: `explain ${execution}`, values: [], name: undefined })
    const relations = plan.flatMap((row) => / on (\w+)/.exec(row['QUERY PLAN'])?.[1] ?? [])
    return [...new Set(relations)].filter(
      (name) => !/(key|workspace|number|reference|rare|status|unknown|idx)$/.test(name),
    )
  })
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return `'${textOf(value).replaceAll("'", "''")}'`
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (Array.isArray(value))
    return `{${value.map((it) => (it === null ? 'null' : JSON.stringify(textOf(it)))).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
