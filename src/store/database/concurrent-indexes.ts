// Creates and drops indexes while others write: outside a transaction, and repeatable after a kill.
import assert from 'node:assert/strict'
import type { OwnConnection } from './db.ts'
import { sql } from './sql.ts'

interface IndexChange {
  statement: string
  name: string
  isDrop: boolean
}

const CHANGE = /^(?:create (?:unique )?index|(drop) index) concurrently (\w+)/i

/** The statements of a migration that only changes indexes concurrently; null for any other migration. */
export function concurrentIndexChanges(migration: string): IndexChange[] | null {
  const statements = migration
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  if (!statements.some((statement) => CHANGE.test(statement))) return null
  return statements.map((statement) => {
    const [, drop, name] = CHANGE.exec(statement) ?? []
    assert(name, `this statement needs a separate migration: ${statement}`)
    return { statement, name, isDrop: drop !== undefined }
  })
}

/** Runs a step with a bounded wait for locks. */
type WithLock = (statement: string) => Promise<void>

/** A killed attempt leaves an invalid index, which PostgreSQL updates but never reads. */
export async function changeIndex(
  connection: OwnConnection,
  { statement, name, isDrop }: IndexChange,
  withLock: WithLock,
): Promise<void> {
  const [index] = await connection.query<{ isValid: boolean; isPartitioned: boolean }>(sql`
    select indisvalid as "isValid", relkind = 'I' as "isPartitioned"
    from pg_index join pg_class on pg_class.oid = indexrelid where indexrelid = to_regclass(${name})`)
  const table = isDrop ? null : tableOf(statement)
  if (table && (await partitionsOf(connection, table)))
    return index?.isValid ? undefined : buildOnPartitions(connection, { statement, name, table }, withLock)
  if (index?.isPartitioned) return withLock(`drop index ${name}`)
  if (index && (isDrop || !index.isValid)) await connection.script(`drop index concurrently ${name}`)
  if (!isDrop && !index?.isValid) await connection.script(statement)
}

const TABLE = /^(create (?:unique )?index) concurrently \w+ on (\w+) (.*)$/is

function tableOf(statement: string): string {
  const table = TABLE.exec(statement)?.[2]
  assert(table, `this statement cannot be read: ${statement}`)
  return table
}

/** null for a table without partitions. */
async function partitionsOf(connection: OwnConnection, table: string): Promise<string[] | null> {
  const [found] = await connection.query<{ partitions: string[] }>(sql`
    select array(select inhrelid::regclass::text from pg_inherits where inhparent = pg_class.oid) as partitions
    from pg_class where oid = to_regclass(${table}) and relkind = 'p'`)
  return found?.partitions ?? null
}

/** PostgreSQL builds no index of a partitioned table concurrently. So it is built on each partition; the table itself is then locked for milliseconds. */
async function buildOnPartitions(
  connection: OwnConnection,
  { statement, name, table }: { statement: string; name: string; table: string },
  withLock: WithLock,
): Promise<void> {
  const [, create, , columns] = TABLE.exec(statement) ?? []
  const nameOn = (partition: string) => `${partition}_${name}`.slice(0, MAX_NAME)
  const buildOn = async (partition: string) => {
    const [index] = await connection.query<{ isValid: boolean }>(sql`
      select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${nameOn(partition)})`)
    if (index && !index.isValid) await connection.script(`drop index concurrently ${nameOn(partition)}`)
    if (!index?.isValid)
      await connection.script(`${create} concurrently ${nameOn(partition)} on ${partition} ${columns}`)
  }
  for (const partition of (await partitionsOf(connection, table)) ?? []) await buildOn(partition)
  await withLock(`${create} if not exists ${name} on only ${table} ${columns}`)
  // Read again: a partition that was added before the statement above lacks the index.
  for (const partition of (await partitionsOf(connection, table)) ?? []) {
    await buildOn(partition)
    await withLock(`alter index ${name} attach partition ${nameOn(partition)}`)
  }
}

const MAX_NAME = 63
