// Partitions the tables of D44 while others read and write them: the table becomes the first partition of a new one with its name.
import { DAY_MS } from '../../domain/durations.ts'
import { startOfMonth } from '../../domain/service/months.ts'
import { lowestIdOf, timeOfId } from '../../runtime/ids.ts'
import type { Log } from '../../runtime/log.ts'
import type { OwnConnection, Tx } from './db.ts'
import { firstPartitionOf, PARTITION_KEYS, PARTITIONED_TABLES, type PartitionedTable } from './partitions.ts'
import { sql } from './sql.ts'

/** The conversion ends before the first partition does, also on a slow disk. */
const MARGIN_MS = 7 * DAY_MS
const PROGRESS_MS = 10_000

interface Options {
  now: Date
  /** The end of the first partition of a table; by default the end of the month, or of the next one in its last week. */
  firstEnds?: Readonly<Partial<Record<PartitionedTable, string>>>
  log?: Log
  /** How often the log shows that a long step continues. */
  progressMs?: number
  /** Runs a step with a bounded wait for locks, and again if that was too short. */
  withLock: (name: string, step: (tx: Tx) => Promise<void>) => Promise<void>
}

/** Returns the number of tables that were converted. Repeatable after a kill: each step is complete or absent. */
export async function partitionTables(connection: OwnConnection, options: Options): Promise<number> {
  const { now, firstEnds = {}, log, progressMs = PROGRESS_MS, withLock } = options
  const plain = await connection.query<{ name: PartitionedTable; rows: number; megabytes: number }>(sql`
    select relname as name, greatest(reltuples, 0)::float8 as rows,
      round(pg_relation_size(oid) / 1000000.0)::float8 as megabytes
    from pg_class
    where relnamespace = quote_ident(current_schema())::regnamespace and relkind = 'r' and relname = any(${PARTITIONED_TABLES}::text[])
    order by relpages`)
  for (const [index, { name: table, rows, megabytes }] of plain.entries()) {
    const startedAt = performance.now()
    const seconds = () => Math.round((performance.now() - startedAt) / 1000)
    const step = `${index + 1} of ${plain.length}`
    const until = new Date(firstEnds[table] ?? (await chooseFirstEnd(connection, table, now)))
    if (rows > 100_000) log?.info({ table, rows, step }, 'partitioning table')
    await withLock(table, (tx) => limitKeys(tx, table, until))
    const showProgress = () => log?.info({ table, megabytes, seconds: seconds() }, 'reading table to be partitioned')
    // PostgreSQL does not show how far a validation is.
    const timer = setInterval(showProgress, progressMs)
    await validateChecks(connection, table).finally(() => clearInterval(timer))
    await withLock(table, (tx) => convert(tx, table))
    log?.debug({ table, step, seconds: seconds() }, 'table partitioned')
  }
  return plain.length
}

/** After the newest row, because this machine's clock may be slow. */
async function chooseFirstEnd(connection: OwnConnection, table: PartitionedTable, now: Date): Promise<Date> {
  const text = `select ${PARTITION_KEYS[table]} as id from ${table} order by 1 desc limit 1`
  const [newest] = await connection.query<{ id: string }>({ text, values: [], name: undefined })
  const latest = Math.max(now.getTime(), newest ? timeOfId(newest.id).getTime() : 0)
  return startOfMonth(new Date(latest + MARGIN_MS), 1)
}

/** Lets PostgreSQL attach the table as a partition without reading it under a lock. */
async function limitKeys(tx: Tx, table: PartitionedTable, until: Date): Promise<void> {
  const key = PARTITION_KEYS[table]
  await tx.script(`
    alter table ${table} drop constraint if exists ${limitOf(table)};
    alter table ${table} add constraint ${limitOf(table)} check (${key} is not null and ${key} < '${lowestIdOf(until)}') not valid`)
}

function limitOf(table: PartitionedTable): string {
  return `${table}_until`
}

/** Reads the whole table, and blocks no reader and no writer. */
async function validateChecks(connection: OwnConnection, table: PartitionedTable): Promise<void> {
  const checks = await connection.query<{ name: string }>(sql`
    select conname as name from pg_constraint where conrelid = ${table}::regclass and contype = 'c' and not convalidated`)
  for (const { name } of checks) await connection.script(`alter table ${table} validate constraint ${name}`)
}

interface Definition {
  /** The bound of the first partition. */
  until: string
  constraints: { name: string; definition: string }[]
  indexes: { name: string; definition: string }[]
  triggers: string[]
}

/** Changes catalogs only, so the table is locked for milliseconds. */
async function convert(tx: Tx, table: PartitionedTable): Promise<void> {
  const first = firstPartitionOf(table)
  await lockForConversion(tx, table)
  const { until, constraints, indexes, triggers } = await describe(tx, table)
  const statements = [
    `alter table ${table} rename to ${first}`,
    // The names go to the new table. A constraint renames its index.
    ...constraints.map(({ name }) => `alter table ${first} rename constraint ${name} to ${renamed(name, table)}`),
    ...indexes.map(({ name }) => `alter index ${name} rename to ${renamed(name, table)}`),
    `create table ${table} (like ${first} including defaults including storage) partition by range (${PARTITION_KEYS[table]})`,
    ...constraints.map(({ name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
    ...indexes.map(({ definition }) => definition),
    ...triggers,
    // Constraints of a partition have the names of its table, or a check would be there twice.
    ...constraints
      .filter(({ definition }) => definition.startsWith('CHECK'))
      .map(({ name }) => `alter table ${first} rename constraint ${renamed(name, table)} to ${name}`),
    `alter table ${table} attach partition ${first} for values from (minvalue) to ('${until}')`,
    `alter table ${first} drop constraint ${limitOf(table)}`,
  ]
  await tx.script(statements.join(';\n'))
}

/** The wait for the table itself holds up the writers of what it references, which are locked by then. */
const SECOND_WAIT_MS = 50

/** Actions lock the workspace before the audit log; the opposite order would time out again and again under load. */
async function lockForConversion(tx: Tx, table: PartitionedTable): Promise<void> {
  const referenced = await tx.query<{ name: string }>(sql`
    select distinct confrelid::regclass::text as name from pg_constraint
    where conrelid = ${table}::regclass and contype = 'f' order by 1`)
  const locks = referenced.map(({ name }) => `lock table ${name} in share row exclusive mode`)
  const shorter = locks.length > 0 ? [`set local lock_timeout = ${SECOND_WAIT_MS}`] : []
  await tx.script([...locks, ...shorter, `lock table ${table} in access exclusive mode`].join(';'))
}

function renamed(name: string, table: PartitionedTable): string {
  return `${firstPartitionOf(table)}${name.startsWith(table) ? name.slice(table.length) : `_${name}`}`
}

async function describe(tx: Tx, table: PartitionedTable): Promise<Definition> {
  const [limit] = await tx.query<{ until: string }>(sql`
    select substring(pg_get_constraintdef(oid) from '[0-9a-f-]{36}') as until from pg_constraint
    where conrelid = ${table}::regclass and conname = ${limitOf(table)}`)
  if (!limit) throw new Error(`table ${table} has no limit`)
  const constraints = await tx.query<{ name: string; definition: string }>(sql`
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${table}::regclass and contype in ('c', 'p', 'u', 'f') and conname <> ${limitOf(table)}
    order by conname`)
  const indexes = await tx.query<{ name: string; definition: string }>(sql`
    select relname as name, pg_get_indexdef(indexrelid) as definition
    from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = ${table}::regclass and not exists (select from pg_constraint where conindid = indexrelid)
    order by relname`)
  const triggers = await tx.query<{ definition: string }>(sql`
    select pg_get_triggerdef(oid) as definition from pg_trigger where tgrelid = ${table}::regclass and not tgisinternal`)
  return { ...limit, constraints, indexes, triggers: triggers.map(({ definition }) => definition) }
}
