// Converts a database of the last version before 0.1.0.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type MigrationRun, recordMigration, retryOnLock, withLockTimeout } from './migration-steps.ts'
import { type AppliedMigration, type Migration, SchemaError } from './migrations.ts'
import { sql } from './sql.ts'

const BRIDGE = join(import.meta.dirname, 'bridge-from-0054.sql')
/** SHA-256 over the numbers and checksums of the migrations 1 to 54. */
const BRIDGED = '9a600024eeb017c344ea3ed2af7a77cd739fdbdc343643d753e38288ba704303'
const NOTICE_MS = 4000

interface BridgeOptions {
  /** The migration of version 0.1.0. */
  initial: Migration | undefined
  applied: readonly AppliedMigration[]
  /** How long processes of that version have to stop their work. */
  noticeMs?: number | undefined
}

/** Returns false for any other database. */
export async function bridgeDatabase(
  run: MigrationRun,
  { initial, applied, noticeMs = NOTICE_MS }: BridgeOptions,
): Promise<boolean> {
  const old = applied.filter(({ number }) => initial && number < initial.number)
  if (!initial || old.length === 0) return false
  const { connection, log, time, stopping } = run
  await rejectUnusable(run, old)
  const startedAt = performance.now()
  log?.info({ to: initial.name }, 'converting database, this may take minutes')
  try {
    await announce(run, initial)
    await sleep(noticeMs, undefined, { signal: stopping })
    await retryOnLock(run, initial.name, () =>
      withLockTimeout(run, async (tx) => {
        await tx.script(readFileSync(BRIDGE, 'utf8'))
        await recordMigration(tx, initial, time())
      }),
    )
  } catch (error) {
    // Without the row, the previous version can start again.
    await connection.query(sql`delete from schema_migration where number = ${initial.number}`).catch(() => {})
    throw error
  }
  log?.info({ seconds: Math.round((performance.now() - startedAt) / 1000) }, 'database converted')
  return true
}

async function rejectUnusable({ connection }: MigrationRun, old: AppliedMigration[]): Promise<void> {
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
}

/** Every 2 s a process of that version looks for a newer migration, and then responds 503 instead of failing on renamed columns. */
async function announce({ connection, time }: MigrationRun, { number, name }: Migration): Promise<void> {
  await connection.query(sql`
    insert into schema_migration (number, name, checksum, applied_at) values (${number}, ${name}, 'converting', ${time()})
    on conflict (number) do nothing`)
}
