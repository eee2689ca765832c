// Compares this version with an installation: its service, settings, database, disk and backups (D83). Changes nothing.
import { statfsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Finding, UpgradeReport } from '../cli/context.ts'
import { DAY_MS } from '../domain/durations.ts'
import { SystemClock } from '../runtime/clock.ts'
import { VERSION } from '../runtime/version.ts'
import { hasBundledPostgres, openBundledPostgres } from '../store/database/bundled-postgres.ts'
import { type DatabaseAddress, Db } from '../store/database/db.ts'
import {
  type MigrationPlan,
  planMigrations,
  readServerFacts,
  type ServerFacts,
} from '../store/database/migration-plan.ts'
import { type Config, readConfig } from './config.ts'
import { describeStartFailure, StartError } from './start-errors.ts'

const SERVICE_TIMEOUT_MS = 3_000
/** An older archive may have stopped. */
const RECENT_MS = DAY_MS
const BACKUP = 'hulaki backup --to <folder>'

interface DatabaseState {
  server: ServerFacts
  plan: MigrationPlan
  /** null: the disk of the database is on another machine. */
  freeBytes: number | null
}

/** Relative paths start at the current folder, as for the service. */
export async function inspectUpgrade(settings: NodeJS.Dict<string>, url: string): Promise<UpgradeReport> {
  const running = await runningVersion(url)
  const versions: Finding = {
    state: 'ok',
    what: running === null ? `no service responds at ${url}` : `version ${running} runs at ${url}`,
  }
  const facts = { version: VERSION, running }
  const failed = (errors: string[]): UpgradeReport => ({
    facts,
    findings: [versions, ...errors.map((what) => ({ state: 'error' as const, what }))],
  })
  const read = readConfig(settings)
  if ('errors' in read) return failed(read.errors)
  try {
    const state = await readDatabase(read.config)
    return { facts: { ...facts, ...state }, findings: [versions, ...findingsOf(state)] }
  } catch (error) {
    return failed([describeStartFailure(error)])
  }
}

async function runningVersion(url: string): Promise<string | null> {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS) })
    const { version } = (await response.json()) as { version?: unknown }
    return typeof version === 'string' ? version : null
  } catch {
    return null
  }
}

async function readDatabase(config: Config): Promise<DatabaseState> {
  const folder = resolve(config.dataDirectory)
  if (config.databaseUrl !== null) return readAt(config.databaseUrl, null)
  // Opening the bundled database would create it.
  if (!hasBundledPostgres(folder))
    throw new StartError(
      `There is no database in ${folder}; set HULAKI_DATA_DIR or DATABASE_URL, or run this in the folder of the service.`,
    )
  const bundled = await openBundledPostgres(folder)
  try {
    const { bavail, bsize } = statfsSync(bundled.directory)
    return await readAt(bundled.connection, bavail * bsize)
  } finally {
    await bundled.release()
  }
}

async function readAt(address: DatabaseAddress, freeBytes: number | null): Promise<DatabaseState> {
  const db = new Db(address, { connections: 1 })
  try {
    return { server: await readServerFacts(db), plan: await planMigrations(db), freeBytes }
  } finally {
    await db.close()
  }
}

function findingsOf({ server, plan, freeBytes }: DatabaseState): Finding[] {
  const current = plan.revision === null ? 'none' : schemaVersion(plan.revision)
  return [
    { state: 'ok', what: `PostgreSQL ${server.version} is supported` },
    { state: 'ok', what: `schema version ${current}; version ${VERSION} has ${schemaVersion(plan.latest)}` },
    ...plan.missing.map(({ name, isOnline, tables }): Finding => {
      const sizes = tables.map((it) => `${it.name} ${inMegabytes(it.bytes)}`).join(', ') || 'no existing table'
      const how = isOnline
        ? 'the previous release can run beside it'
        : 'stop all processes of the previous release first'
      return { state: isOnline ? 'ok' : 'warning', what: `migration ${name}: ${how} (${sizes})` }
    }),
    howToUpgrade(plan),
    ...diskFindings(plan, freeBytes),
    backupFinding(server),
  ]
}

/** The number of a migration. */
function schemaVersion(migration: string): number {
  return Number.parseInt(migration, 10)
}

function howToUpgrade({ isConverted, missing, revision }: MigrationPlan): Finding {
  if (isConverted)
    return { state: 'warning', what: 'the first start converts a database from before 0.1.0: stop all machines first' }
  if (revision === null) return { state: 'ok', what: 'the database is empty: the first start creates the tables' }
  if (missing.every((it) => it.isOnline)) return { state: 'ok', what: 'upgrade machine by machine, without downtime' }
  return { state: 'warning', what: 'stop all machines, then start this version' }
}

/** A migration may write a table and its indexes once more before it frees the old ones. */
function diskFindings({ missing }: MigrationPlan, freeBytes: number | null): Finding[] {
  const sizes = new Map(missing.flatMap(({ tables }) => tables.map(({ name, bytes }) => [name, bytes])))
  const needed = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
  if (freeBytes === null)
    return needed === 0
      ? []
      : [{ state: 'warning', what: `check that the database server has ${inMegabytes(needed)} free` }]
  const isEnough = freeBytes > needed
  const what = `${inMegabytes(freeBytes)} free in the data folder; the migrations may need ${inMegabytes(needed)}`
  return [{ state: isEnough ? 'ok' : 'error', what }]
}

/** Whether a backup exists is known only to the operator; with an archive, its age shows whether it works. */
function backupFinding({ isArchiving, archivedAt }: ServerFacts): Finding {
  if (!isArchiving) return { state: 'ok', what: `before the upgrade, make a backup: ${BACKUP}` }
  if (archivedAt === null)
    return {
      state: 'warning',
      what: `PostgreSQL has not archived its log yet: check archive_command, or run ${BACKUP}`,
    }
  const at = `PostgreSQL last archived its log at ${archivedAt.toISOString()}`
  const isRecent = new SystemClock().now().getTime() - archivedAt.getTime() < RECENT_MS
  return isRecent
    ? { state: 'ok', what: at }
    : { state: 'warning', what: `${at}, more than a day ago: check archive_command, or run ${BACKUP}` }
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`
}
