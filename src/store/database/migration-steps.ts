// The steps of a migration: transactions with a short wait for locks, which are repeated until they succeed.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../runtime/log.ts'
import { changeIndex, concurrentIndexChanges } from './concurrent-indexes.ts'
import { type OwnConnection, retryDecision, sqlState, type Tx } from './db.ts'
import { type Migration, SchemaError } from './migrations.ts'
import { sql } from './sql.ts'
import { foreign } from './usable.ts'

/** The pause after a lock timeout, as a multiple of the wait. */
const RETRY_WAITS = 6
const DUPLICATE_TABLE = '42P07'

export interface MigrationRun {
  connection: OwnConnection
  time: () => Date
  /** How long a step waits for a lock on a table. */
  lockMs: number
  stopping?: AbortSignal | undefined
  log?: Log | undefined
}

/**
 * While a migration waits for the lock of a table, all statements on the table wait behind it, as long as one slow reader holds
 * the table (a backup reads all tables for minutes). So a migration waits a short time, then leaves the table alone for longer, and retries
 * until the start is stopped.
 */
export async function retryOnLock(
  { stopping, log, lockMs }: MigrationRun,
  migration: string,
  work: () => Promise<void>,
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

export function withLockTimeout(
  { connection, lockMs }: MigrationRun,
  step: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  return connection.transaction(async (tx) => {
    await tx.query(sql`select set_config('lock_timeout', ${String(lockMs)}, true)`)
    await step(tx)
  })
}

export function applyMigration(run: MigrationRun, migration: Migration): Promise<void> {
  return retryOnLock(run, migration.name, () => applyOnce(run, migration))
}

/** Can be repeated after a kill: a transaction is complete or absent, and an index that exists is not built again. */
async function applyOnce(run: MigrationRun, migration: Migration): Promise<void> {
  const indexes = concurrentIndexChanges(migration.text)
  // These block no other statement while they wait.
  const withLock = (statement: string) => withLockTimeout(run, (tx) => tx.script(statement))
  for (const change of indexes ?? []) await changeIndex(run.connection, change, withLock)
  await withLockTimeout(run, async (tx) => {
    if (!indexes) await tx.script(migration.text).catch(rejectForeignTable)
    await recordMigration(tx, migration, run.time())
  })
}

function rejectForeignTable(error: unknown): never {
  if (sqlState(error) !== DUPLICATE_TABLE || !(error instanceof Error)) throw error
  throw new SchemaError(foreign(error.message))
}

export async function recordMigration(tx: Tx, { number, name, checksum }: Migration, now: Date): Promise<void> {
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
