// Migrates the schema to the version of this code, and rejects a schema that this code does not support.
import { setTimeout as sleep } from 'node:timers/promises'
import { partitionsNeededUntil } from '../../domain/service/retention.ts'
import type { Log } from '../../runtime/log.ts'
import { bridgeDatabase } from './bridge.ts'
import type { Db, OwnConnection, Queries, Tx } from './db.ts'
import { applyMigration, type MigrationRun, retryOnLock, withLockTimeout } from './migration-steps.ts'
import {
  type AppliedMigration,
  appliedMigrations,
  checkServer,
  createdTables,
  latestOf,
  type Migration,
  missingMigrations,
  readMigrations,
  SchemaError,
} from './migrations.ts'
import { partitionTables } from './partition-tables.ts'
import { addPartitionsUntil, MAX_LOCK_WAIT_MS, type PartitionEnds } from './partitions.ts'
import { sql } from './sql.ts'
import { findDamage, findObstacle } from './usable.ts'

const LOCK = 0x68_75_6c_61
const LOCK_POLL_MS = 50
const LOCK_POLLS_PER_LINE = 200
/** After this migration, tables are partitioned (D44). */
const FIRST_PARTITIONED = 118

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
  const { stopping, log, lockMs = MAX_LOCK_WAIT_MS, noticeMs } = options
  // The advisory lock belongs to the connection and is released with it.
  return db.ownConnection(async (connection) => {
    const run = { connection, time, lockMs, stopping, log }
    await connection.withoutTimeouts()
    await checkServer(connection)
    await acquireLock(run)
    const obstacle = options.copyOf ? null : await findObstacle(connection, createdTables(migrations))
    if (obstacle !== null) throw new SchemaError(obstacle)
    const applied = await appliedMigrations(connection)
    const isBridged = await bridgeDatabase(run, { initial: migrations[0], applied, noticeMs })
    const missing = isBridged ? migrations.slice(1) : missingMigrations(migrations, applied)
    await rejectDamage(
      connection,
      migrations.filter((it) => !missing.includes(it)),
    )
    // Later migrations may stop processes of the previous version, so the long conversion of tables comes before them.
    for (const it of missing) if (it.number <= FIRST_PARTITIONED) await applyMigration(run, it)
    if (latestOf(migrations) >= FIRST_PARTITIONED) await keepPartitioned(run, options.copyOf?.partitions)
    for (const it of missing) if (it.number > FIRST_PARTITIONED) await applyMigration(run, it)
    return missing.length + (isBridged ? 1 : 0)
  })
}

async function rejectDamage(connection: OwnConnection, applied: readonly Migration[]): Promise<void> {
  const damage = applied.length === 0 ? null : await findDamage(connection, createdTables(applied))
  if (damage !== null) throw new SchemaError(damage)
}

function migrationsFor({ folder, copyOf }: MigrateOptions): Migration[] {
  const latest = copyOf ? latestOf(copyOf.revision) : Number.POSITIVE_INFINITY
  return readMigrations(folder).filter(({ number }) => number <= latest)
}

async function keepPartitioned(run: MigrationRun, partitions?: PartitionEnds): Promise<void> {
  const { connection, time, log } = run
  const withLock = (name: string, step: (tx: Tx) => Promise<unknown>) =>
    retryOnLock(run, name, () => withLockTimeout(run, step))
  const { firstEnds, lastEnd } = partitions ?? { firstEnds: {}, lastEnd: null }
  await partitionTables(connection, { now: time(), firstEnds, withLock, ...(log && { log }) })
  const until = lastEnd === null ? partitionsNeededUntil(time()) : new Date(lastEnd)
  await addPartitionsUntil(connection, until, (step) => withLock('partitions', step))
}

/** Polls, because a wait inside the database could not be aborted. */
async function acquireLock({ connection, stopping, log }: MigrationRun): Promise<void> {
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
