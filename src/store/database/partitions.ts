// The tables that are partitioned by month (D44). Old data is deleted by dropping its month, which costs little and leaves no dead rows.
import { startOfMonth } from '../../domain/service/months.ts'
import { lowestIdOf, timeOfId } from '../../runtime/ids.ts'
import type { OwnConnection, Queries, Tx } from './db.ts'
import { sql } from './sql.ts'

/** With the column whose UUIDv7 has the time. The parts of a message are in the month of the message. */
export const PARTITION_KEYS = {
  message: 'id',
  submission: 'message_id',
  report: 'message_id',
  inbound_message: 'id',
  audit_entry: 'id',
} as const

export type PartitionedTable = keyof typeof PARTITION_KEYS

export const PARTITIONED_TABLES = Object.keys(PARTITION_KEYS) as PartitionedTable[]

/** The partition of everything from before the table was partitioned. */
export function firstPartitionOf(table: PartitionedTable): string {
  return `${table}_first`
}

export interface Partition {
  table: PartitionedTable
  name: string
  /** Its ids are below the lowest id of this time. */
  until: Date
  /** Its removal was interrupted. */
  isDetaching: boolean
}

/** Ordered by time. */
export async function listPartitions(db: Queries): Promise<Partition[]> {
  const rows = await db.query<Omit<Partition, 'until'> & { bound: string }>(sql`
    select parent.relname as "table", child.relname as name, inhdetachpending as "isDetaching",
      substring(pg_get_expr(child.relpartbound, child.oid) from $$TO [(]'([0-9a-f-]{36})'[)]$$) as bound
    from pg_inherits
      join pg_class parent on parent.oid = inhparent and parent.relkind = 'p'
      join pg_class child on child.oid = inhrelid
    where parent.relnamespace = quote_ident(current_schema())::regnamespace
    order by bound`)
  return rows.map(({ bound, ...partition }) => ({ ...partition, until: timeOfId(bound) }))
}

/** What a copy of the tables needs: times as ISO texts. */
export interface PartitionEnds {
  /** The end of the oldest partition of each table. */
  firstEnds: Partial<Record<PartitionedTable, string>>
  /** The end of the newest partition; null without partitions. */
  lastEnd: string | null
}

export async function readPartitionEnds(db: Queries): Promise<PartitionEnds> {
  const partitions = await listPartitions(db)
  const firstEnds: PartitionEnds['firstEnds'] = {}
  for (const { table, until } of partitions) firstEnds[table] ??= until.toISOString()
  return { firstEnds, lastEnd: partitions.at(-1)?.until.toISOString() ?? null }
}

/** All statements on a table wait behind a change that waits for its lock, and no statement may be delayed for a second. */
export const MAX_LOCK_WAIT_MS = 500

/**
 * Adds partitions until `until`, one month per transaction: a clock that is years ahead would exhaust the lock table of the server otherwise.
 * `inTransaction` is one transaction. Returns the names of the partitions.
 */
export async function addPartitionsUntil(
  db: Queries,
  until: Date,
  inTransaction: (step: (tx: Tx) => Promise<void>) => Promise<void>,
): Promise<string[]> {
  const added: string[] = []
  for (let month = endOfPartitions(await listPartitions(db)); month < until; month = startOfMonth(month, 1)) {
    await inTransaction(async (tx) => {
      added.push(...(await addPartitions(tx, startOfMonth(month, 1))))
    })
  }
  return added
}

/** One process creates partitions at a time. */
const LOCK = 0x68_75_6c_62

/**
 * Adds a partition per month until `until`. Returns their names. No statement of the service waits for it, except on `workspace` for
 * milliseconds (the foreign key of the audit log).
 */
async function addPartitions(tx: Tx, until: Date): Promise<string[]> {
  await tx.query(sql`
    select set_config('lock_timeout', ${String(MAX_LOCK_WAIT_MS)}, true), pg_advisory_xact_lock(${LOCK}::bigint)`)
  const partitions = await listPartitions(tx)
  const added: string[] = []
  for (const table of PARTITIONED_TABLES) {
    const newest = newestOf(partitions, table)
    for (let from = newest.until; from < until; from = startOfMonth(from, 1)) {
      const month = from.toISOString().slice(0, 7).replace('-', '_')
      const name = `${table}_${month}`
      await addPartition(tx, { table, name, like: newest.name, from, until: startOfMonth(from, 1) })
      added.push(name)
    }
  }
  return added
}

/** Every table has partitions until this time. */
function endOfPartitions(partitions: readonly Partition[]): Date {
  const ends = PARTITIONED_TABLES.map((table) => newestOf(partitions, table).until.getTime())
  return new Date(Math.min(...ends))
}

function newestOf(partitions: readonly Partition[], table: PartitionedTable): Partition {
  const newest = partitions.findLast((partition) => partition.table === table)
  if (!newest) throw new Error(`table ${table} has no partition`)
  return newest
}

interface NewPartition {
  table: PartitionedTable
  name: string
  like: string
  from: Date
  until: Date
}

/** Created beside the table and then attached, because `create table ... partition of` would lock the table for all. */
async function addPartition(tx: Tx, { table, name, like, from, until }: NewPartition): Promise<void> {
  const [model] = await tx.query<{ options: string[] | null; statistics: string[]; triggers: string[] }>(sql`
    select reloptions as options,
      array(select format('alter column %I set statistics %s', attname, attstattarget) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attstattarget >= 0) as statistics,
      array(select pg_get_triggerdef(pg_trigger.oid, true) from pg_trigger
        where tgrelid = pg_class.oid and not tgisinternal) as triggers
    from pg_class where oid = ${like}::regclass`)
  if (!model) throw new Error(`partition ${like} is missing`)
  const { options, statistics, triggers } = model
  const statements = [
    `create table ${name} (like ${like} including defaults including constraints including storage)${options ? ` with (${options.join(', ')})` : ''}`,
    ...(statistics.length > 0 ? [`alter table ${name} ${statistics.join(', ')}`] : []),
    ...triggers.map((trigger) => trigger.replace(` ON ${like} `, ` ON ${name} `)),
    `alter table ${table} attach partition ${name} for values from ('${lowestIdOf(from)}') to ('${lowestIdOf(until)}')`,
  ]
  await tx.script(statements.join(';\n'))
}

/** One process drops partitions at a time. */
const DROP_LOCK = 0x68_75_6c_64

/** Until the connection closes, this process drops partitions. False if another one does. Removing large files may take any time. */
export async function beginDrops(connection: OwnConnection): Promise<boolean> {
  await connection.withoutTimeouts()
  await connection.script(`set lock_timeout = ${MAX_LOCK_WAIT_MS}`)
  const [lock] = await connection.query<{ isAcquired: boolean }>(sql`
    select pg_try_advisory_lock(${DROP_LOCK}::bigint) as "isAcquired"`)
  return lock?.isAcquired ?? false
}

/** Removes a partition while others read and write its table. An interrupted removal is completed by the next call. */
export async function dropPartition(connection: OwnConnection, { table, name, isDetaching }: Partition): Promise<void> {
  await connection.script(`alter table ${table} detach partition ${name} ${isDetaching ? 'finalize' : 'concurrently'}`)
  await dropTable(connection, name)
}

export async function dropTable(connection: OwnConnection, name: string): Promise<void> {
  await connection.script(`drop table ${name}`)
}

/** Partitions that were detached, but not dropped, because the process ended in between. */
export async function listDetached(db: Queries): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = quote_ident(current_schema())::regnamespace and relkind = 'r' and not relispartition
      and relname ~ ('^(' || array_to_string(${PARTITIONED_TABLES}::text[], '|') || ')_(first|[0-9]{4}_[0-9]{2})$')`)
  return rows.map(({ name }) => name)
}
