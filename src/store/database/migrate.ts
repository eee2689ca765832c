// Migrates the schema to the version of this code, and rejects a schema that this code does not support.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { partitionsNeededUntil } from '../../domain/service/retention.ts'
import type { Log } from '../../runtime/log.ts'
import { changeIndex, concurrentIndexChanges } from './concurrent-indexes.ts'
import { type Db, type OwnConnection, type Queries, retryDecision, sqlState, type Tx } from './db.ts'
import { partitionTables } from './partition-tables.ts'
import { addPartitionsUntil, MAX_LOCK_WAIT_MS, type PartitionEnds } from './partitions.ts'
import { sql } from './sql.ts'
import { findDamage, findObstacle, foreign } from './usable.ts'

/** The schema cannot be used; the message is one sentence for a person. */
export class SchemaError extends Error {}

interface Migration {
  number: number
  name: string
  text: string
  checksum: string
}

const FOLDER = join(import.meta.dirname, 'migrations')
const BRIDGE = join(import.meta.dirname, 'bridge-from-0054.sql')
/** SHA-256 over the numbers and checksums of the migrations 1 to 54. */
const BRIDGED = '9a600024eeb017c344ea3ed2af7a77cd739fdbdc343643d753e38288ba704303'
const LOCK = 0x68_75_6c_61
const LOCK_POLL_MS = 50
const LOCK_POLLS_PER_LINE = 200
/** The pause after a lock timeout, as a multiple of the wait. */
const RETRY_WAITS = 6
const NOTICE_MS = 4000
const OLDEST_SERVER = 15
const DUPLICATE_TABLE = '42P07'

interface MigrateOptions {
  stopping?: AbortSignal
  log?: Log
  folder?: string
  /** How long a migration waits for a lock on a table. */
  lockMs?: number
  /** How long processes of the version before 0.1.0 have to stop their work before the bridge changes tables. */
  noticeMs?: number
  /** Creates the schema that a copy of another database needs (D81). */
  copyOf?: { revision: readonly AppliedMigration[]; partitions: PartitionEnds }
}

/** Many processes may start at once: one migrates, and the others wait until it is done. Returns the number of applied migrations. */
export async function migrate(db: Db, now: Date, options: MigrateOptions = {}): Promise<number> {
  const migrations = migrationsFor(options)
  const startedAt = performance.now()
  const time = () => new Date(now.getTime() + performance.now() - startedAt)
  // The advisory lock belongs to the connection and is released with it.
  return db.ownConnection(async (connection) => {
    await connection.withoutTimeouts()
    await checkServer(connection)
    await acquireLock(connection, options)
    const obstacle = options.copyOf ? null : await findObstacle(connection, createdTables(migrations))
    if (obstacle !== null) throw new SchemaError(obstacle)
    const applied = await appliedMigrations(connection)
    const isBridged = await bridgeDatabase(connection, { migrations, applied, time, options })
    const missing = isBridged ? migrations.slice(1) : missingMigrations(migrations, applied)
    await rejectDamage(
      connection,
      migrations.filter((it) => !missing.includes(it)),
    )
    const applyAll = async (some: Migration[]) => {
      for (const migration of some)
        await retryOnLock(() => apply(connection, migration, time, options.lockMs), migration.name, options)
    }
    // Later migrations may stop processes of the previous version, so the long conversion of tables comes before them.
    await applyAll(missing.filter(({ number }) => number <= FIRST_PARTITIONED))
    if (migrations.some(({ number }) => number >= FIRST_PARTITIONED)) await keepPartitioned(connection, time, options)
    await applyAll(missing.filter(({ number }) => number > FIRST_PARTITIONED))
    return missing.length + (isBridged ? 1 : 0)
  })
}

async function rejectDamage(connection: OwnConnection, applied: readonly Migration[]): Promise<void> {
  const damage = applied.length === 0 ? null : await findDamage(connection, createdTables(applied))
  if (damage !== null) throw new SchemaError(damage)
}

function migrationsFor({ folder = FOLDER, copyOf }: MigrateOptions): Migration[] {
  const latest = copyOf ? latestOf(copyOf.revision) : Number.POSITIVE_INFINITY
  return readMigrations(folder).filter(({ number }) => number <= latest)
}

/** After this migration, tables are partitioned (D44). */
const FIRST_PARTITIONED = 118

async function keepPartitioned(connection: OwnConnection, time: () => Date, options: MigrateOptions): Promise<void> {
  const withLock = (name: string, step: (tx: Tx) => Promise<unknown>) =>
    retryOnLock(() => withLockTimeout(connection, step, options.lockMs), name, options)
  const { firstEnds, lastEnd } = options.copyOf?.partitions ?? { firstEnds: {}, lastEnd: null }
  await partitionTables(connection, { now: time(), firstEnds, withLock, ...(options.log && { log: options.log }) })
  const until = lastEnd === null ? partitionsNeededUntil(time()) : new Date(lastEnd)
  await addPartitionsUntil(connection, until, (step) => withLock('partitions', step))
}

/** The previous version can work with the schema of a migration with this suffix. */
const ONLINE = '_online.sql'

export const isOnline = (name: string): boolean => name.endsWith(ONLINE)

export interface SchemaState {
  /** The first migration of a newer version that this version cannot work with, or null. */
  newer: string | null
  isMovedAway: boolean
}

/** `known` is the latest migration of this version. */
export async function readSchemaState(db: Queries, known: number): Promise<SchemaState> {
  const [state] = await db.query<SchemaState>(sql`
    select to_regclass('moved_away') is not null as "isMovedAway",
      (select name from schema_migration where number > ${known} and right(name, ${ONLINE.length}) <> ${ONLINE}
       order by number limit 1) as newer`)
  return state ?? { newer: null, isMovedAway: false }
}

/** The number of the latest migration of this version. */
export function latestMigration(): number {
  return latestOf(readMigrations(FOLDER))
}

function latestOf(migrations: readonly { number: number }[]): number {
  return Math.max(0, ...migrations.map(({ number }) => number))
}

/** The migrations of a database that this version can copy. */
export async function readRevision(db: Queries): Promise<AppliedMigration[]> {
  await checkServer(db)
  const applied = await appliedMigrations(db)
  if (applied.length === 0) throw new SchemaError('The database has no tables of Hulaki.')
  checkRevision(applied)
  return applied
}

/** Throws if this version cannot create the schema of that revision. `subject` begins the error. */
export function checkRevision(revision: readonly AppliedMigration[], subject = 'The database'): void {
  const known = readMigrations(FOLDER)
  if (revision.some(({ number }) => number < Math.min(...known.map((it) => it.number))))
    throw new SchemaError(`${subject} is of a version of Hulaki before 0.1.0; start version 0.1.0 with it once.`)
  missingMigrations(known, revision, subject)
}

/** The tables of a revision. */
export function tablesOf(revision: readonly AppliedMigration[]): string[] {
  const latest = latestOf(revision)
  const migrations = readMigrations(FOLDER).filter(({ number }) => number <= latest)
  return [...createdTables(migrations), 'schema_migration']
}

/** Polls, because a wait inside the database could not be aborted. */
async function acquireLock(connection: OwnConnection, { stopping, log }: MigrateOptions): Promise<void> {
  for (let polls = 1; !(await tryLockMigrations(connection)); polls++) {
    stopping?.throwIfAborted()
    if (polls % LOCK_POLLS_PER_LINE === 0) log?.info('waiting for another start, a migration or a move of the database')
    await sleep(LOCK_POLL_MS)
  }
}

/** No other process migrates until the connection ends. */
export async function tryLockMigrations(connection: Queries): Promise<boolean> {
  const [lock] = await connection.query<{ acquired: boolean }>(
    sql`select pg_try_advisory_lock(${LOCK}::bigint) as acquired`,
  )
  return lock?.acquired === true
}

/** No process migrates until the end of the transaction. */
export async function lockMigrations(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${LOCK}::bigint)`)
}

export async function checkServer(db: Queries): Promise<void> {
  const [server] = await db.query<{ version: number }>(sql`
    select current_setting('server_version_num')::int as version`)
  if (server && server.version < OLDEST_SERVER * 10_000) {
    const major = Math.floor(server.version / 10_000)
    throw new SchemaError(`The database is PostgreSQL ${major}; Hulaki needs ${OLDEST_SERVER} or later.`)
  }
}

interface BridgeInput {
  migrations: Migration[]
  applied: AppliedMigration[]
  time: () => Date
  options: MigrateOptions
}

/** Converts a database of the last version before 0.1.0; false for any other database. */
async function bridgeDatabase(
  connection: OwnConnection,
  { migrations: [initial], applied, time, options }: BridgeInput,
): Promise<boolean> {
  const old = applied.filter(({ number }) => initial && number < initial.number)
  if (!initial || old.length === 0) return false
  const set = old.map(({ number, checksum }) => `${number} ${checksum}`).join('\n')
  if (createHash('sha256').update(set).digest('hex') !== BRIDGED) {
    throw new SchemaError(
      'The database is older than the last version of Hulaki before 0.1.0; start that version once, then this one.',
    )
  }
  // That version encrypts the secrets of carriers again right after its migrations, so only a start that was killed in between leaves such rows.
  const [unsealed] = await connection.query(sql`select 1 from carrier where secrets_sealed is null limit 1`)
  if (unsealed) {
    throw new SchemaError(
      'The last version of Hulaki before 0.1.0 was stopped during its first start; start that version once, then this one.',
    )
  }
  const startedAt = performance.now()
  options.log?.info({ to: initial.name }, 'converting database, this may take minutes')
  try {
    await announce(connection, initial, time(), options)
    await retryOnLock(() => convert(connection, initial, time, options.lockMs), initial.name, options)
  } catch (error) {
    // Without the row, the previous version can start again.
    await connection.query(sql`delete from schema_migration where number = ${initial.number}`).catch(() => {})
    throw error
  }
  options.log?.info({ seconds: Math.round((performance.now() - startedAt) / 1000) }, 'database converted')
  return true
}

/** Every 2 s a process of the previous version looks for a newer migration, and then responds 503 instead of failing on renamed columns. */
async function announce(
  connection: OwnConnection,
  { number, name }: Migration,
  now: Date,
  { stopping, noticeMs = NOTICE_MS }: MigrateOptions,
): Promise<void> {
  await connection.query(sql`
    insert into schema_migration (number, name, checksum, applied_at) values (${number}, ${name}, 'converting', ${now})
    on conflict (number) do nothing`)
  await sleep(noticeMs, undefined, { signal: stopping })
}

function convert(connection: OwnConnection, initial: Migration, time: () => Date, lockMs?: number): Promise<void> {
  const step = async (tx: Tx) => {
    await tx.script(readFileSync(BRIDGE, 'utf8'))
    await record(tx, initial, time())
  }
  return withLockTimeout(connection, step, lockMs)
}

function withLockTimeout(
  connection: OwnConnection,
  step: (tx: Tx) => Promise<unknown>,
  lockMs = MAX_LOCK_WAIT_MS,
): Promise<void> {
  return connection.transaction(async (tx) => {
    await tx.query(sql`select set_config('lock_timeout', ${String(lockMs)}, true)`)
    await step(tx)
  })
}

export function missingMigrations(
  known: Migration[],
  applied: readonly AppliedMigration[],
  subject = 'The database',
): Migration[] {
  for (const { number, checksum } of applied) {
    const migration = known.find((candidate) => candidate.number === number)
    if (!migration) {
      throw new SchemaError(
        `${subject} has schema version ${number}, which is newer than this version of Hulaki; start the newer version.`,
      )
    }
    if (migration.checksum !== checksum) {
      throw new SchemaError(`${subject} was created with another text of migration ${migration.name}.`)
    }
  }
  const missing = known.filter((migration) => !applied.some(({ number }) => number === migration.number))
  const latest = Math.max(0, ...applied.map(({ number }) => number))
  const hole = missing.find((migration) => migration.number < latest)
  if (hole) throw new SchemaError(`${subject} is damaged: migration ${hole.name} is missing, but later ones are there.`)
  return missing
}

function createdTables(migrations: readonly Migration[]): string[] {
  const tables = new Set<string>()
  for (const { text } of migrations) {
    for (const [, created, dropped] of text.matchAll(/^(?:create (?:unlogged )?table (\w+)|drop table (\w+))/gim)) {
      if (created) tables.add(created)
      if (dropped) tables.delete(dropped)
    }
  }
  return [...tables]
}

export type AppliedMigration = { number: number; checksum: string }

/** The first migration creates their table. */
export async function appliedMigrations(db: Queries): Promise<AppliedMigration[]> {
  const [table] = await db.query<{ exists: boolean }>(sql`
    select to_regclass('schema_migration') is not null as "exists"`)
  if (!table?.exists) return []
  return db.query<AppliedMigration>(sql`select number, checksum from schema_migration order by number`)
}

/**
 * While a migration waits for the lock of a table, all statements on the table wait behind it, as long as one slow reader holds
 * the table (a backup reads all tables for minutes). So a migration waits a short time, then leaves the table alone for longer, and retries
 * until the start is stopped.
 */
async function retryOnLock(
  work: () => Promise<void>,
  migration: string,
  { stopping, log, lockMs = MAX_LOCK_WAIT_MS }: MigrateOptions,
): Promise<void> {
  for (;;) {
    stopping?.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (retryDecision(error) !== 'again') throw error
      log?.warn({ migration }, 'migration could not lock a table, retrying')
    }
    await sleep(lockMs * RETRY_WAITS, undefined, { signal: stopping })
  }
}

/** Can be repeated after a kill: a transaction is complete or absent, and an index that exists is not built again. */
async function apply(
  connection: OwnConnection,
  migration: Migration,
  time: () => Date,
  lockMs?: number,
): Promise<void> {
  const indexes = concurrentIndexChanges(migration.text)
  // These block no other statement while they wait.
  const withLock = (statement: string) => withLockTimeout(connection, (tx) => tx.script(statement), lockMs)
  for (const change of indexes ?? []) await changeIndex(connection, change, withLock)
  const step = async (tx: Tx) => {
    if (!indexes) await tx.script(migration.text).catch(rejectForeignTable)
    await record(tx, migration, time())
  }
  await withLockTimeout(connection, step, lockMs)
}

function rejectForeignTable(error: unknown): never {
  if (sqlState(error) !== DUPLICATE_TABLE || !(error instanceof Error)) throw error
  throw new SchemaError(foreign(error.message))
}

async function record(tx: Tx, { number, name, checksum }: Migration, now: Date): Promise<void> {
  await tx.query(sql`
    create table if not exists schema_migration (
      number int primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null
    )`)
  await tx.query(sql`
    insert into schema_migration (number, name, checksum, applied_at) values (${number}, ${name}, ${checksum}, ${now})`)
}

export function readMigrations(folder = FOLDER): Migration[] {
  const files = readdirSync(folder).filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file))
  return files.sort().map((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    const checksum = createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
    return { number: Number(file.slice(0, 4)), name: file, text, checksum }
  })
}
