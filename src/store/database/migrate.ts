// Brings the schema to the version this code was written for; refuses one it does not know.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../runtime/log.ts'
import { changeIndex, concurrentIndexChanges } from './concurrent-indexes.ts'
import { courseAfter, type Db, faultCode, type OwnConnection, type Queries, type Tx } from './db.ts'
import { sql } from './sql.ts'

/** The schema cannot be used; the message is one sentence for a person. */
export class SchemaFault extends Error {}

interface Migration {
  number: number
  name: string
  text: string
  checksum: string
}

const FOLDER = join(import.meta.dirname, 'migrations')
const LOCK = 0x68_75_6c_61
const GLANCE_MS = 50
const LOCK_MS = 3000
const OLDEST_SERVER = 15
const DUPLICATE_TABLE = '42P07'

interface MigrateOptions {
  stopping?: AbortSignal
  /** Told of a migration that gives way. */
  log?: Log
  folder?: string
  /** How long a migration waits for a lock. */
  lockMs?: number
}

/** Many processes may start at once: one migrates, the others wait for it and find the work done, unless they shall stop. */
export async function migrate(db: Db, now: Date, options: MigrateOptions = {}): Promise<number> {
  const migrations = readMigrations(options.folder ?? FOLDER)
  const beganAt = performance.now()
  const time = () => new Date(now.getTime() + performance.now() - beganAt)
  // The turn is the connection's, through all transactions on it, and goes with it however it ends.
  return db.ownConnection(async (connection) => {
    await connection.takeYourTime()
    await judgeServer(connection)
    await takeTurn(connection, options.stopping)
    const missing = judgeSchema(migrations, await appliedMigrations(connection))
    for (const migration of missing) await applyGivingWay(connection, migration, time, options)
    await judgeTables(connection, migrations)
    return missing.length
  })
}

/** Of a migration beside which processes that do not know it can work on. */
const ONLINE = '_online.sql'

/** The first migration of a newer version that this one cannot work with, or null. `known` is the latest that this one has. */
export async function findNewerMigration(db: Queries, known: number): Promise<string | null> {
  const [newer] = await db.query<{ name: string }>(sql`
    select name from schema_migration where number > ${known} and right(name, ${ONLINE.length}) <> ${ONLINE}
    order by number limit 1`)
  return newer?.name ?? null
}

/** The number of the latest migration that this version has. */
export function latestMigration(): number {
  return Math.max(0, ...readMigrations(FOLDER).map(({ number }) => number))
}

/** However long the other one takes; asked for again and again, since nobody could be called back from a wait in the database. */
async function takeTurn(connection: OwnConnection, stopping?: AbortSignal): Promise<void> {
  for (;;) {
    stopping?.throwIfAborted()
    const [turn] = await connection.query<{ taken: boolean }>(
      sql`select pg_try_advisory_lock(${LOCK}::bigint) as taken`,
    )
    if (turn?.taken) return
    await sleep(GLANCE_MS)
  }
}

async function judgeServer(db: Queries): Promise<void> {
  const [server] = await db.query<{ version: number }>(sql`
    select current_setting('server_version_num')::int as version`)
  if (server && server.version < OLDEST_SERVER * 10_000) {
    const major = Math.floor(server.version / 10_000)
    throw new SchemaFault(`The database is PostgreSQL ${major}; Hulaki needs ${OLDEST_SERVER} or later.`)
  }
}

function judgeSchema(known: Migration[], applied: Applied[]): Migration[] {
  for (const { number, checksum } of applied) {
    const migration = known.find((candidate) => candidate.number === number)
    if (!migration) {
      throw new SchemaFault(
        `The database has schema version ${number}, newer than this Hulaki knows; start the newer one.`,
      )
    }
    if (migration.checksum !== checksum) {
      throw new SchemaFault(
        `The database was made by another form of migration ${migration.name}; it is not safe to go on.`,
      )
    }
  }
  const missing = known.filter((migration) => !applied.some(({ number }) => number === migration.number))
  const latest = Math.max(0, ...applied.map(({ number }) => number))
  const hole = missing.find((migration) => migration.number < latest)
  if (hole) throw new SchemaFault(`The database is damaged: migration ${hole.name} is missing among later ones.`)
  return missing
}

/** A database that lost a part, or was restored without it, must not be written to. */
async function judgeTables(db: Queries, migrations: Migration[]): Promise<void> {
  const made = new Set<string>()
  for (const { text } of migrations) {
    for (const [, created, dropped] of text.matchAll(/^(?:create (?:unlogged )?table (\w+)|drop table (\w+))/gim)) {
      if (created) made.add(created)
      if (dropped) made.delete(dropped)
    }
  }
  const [lost] = await db.query<{ name: string }>(sql`
    select name from unnest(${[...made]}::text[]) as made (name) where to_regclass(name) is null limit 1`)
  if (lost) throw new SchemaFault(`The database is damaged: its table ${lost.name} is missing.`)
  const [service] = await db.query(sql`select 1 from service`)
  if (!service) throw new SchemaFault('The database is damaged: its table service is empty.')
}

type Applied = { number: number; checksum: string }

/** The table in which it is kept is made with the first of them. */
async function appliedMigrations(db: Queries): Promise<Applied[]> {
  const [kept] = await db.query<{ isThere: boolean }>(sql`
    select to_regclass('schema_migration') is not null as "isThere"`)
  if (!kept?.isThere) return []
  return db.query<Applied>(sql`select number, checksum from schema_migration order by number`)
}

/**
 * Whoever waits for a lock that shuts others out has all traffic of the table wait behind it, for as long as one slow reader is in
 * front: so it gives way soon, and stays out of the way for as long before it tries again.
 */
async function applyGivingWay(
  connection: OwnConnection,
  migration: Migration,
  time: () => Date,
  { stopping, log, lockMs = LOCK_MS }: MigrateOptions,
): Promise<void> {
  for (;;) {
    stopping?.throwIfAborted()
    try {
      return await apply(connection, migration, time, lockMs)
    } catch (fault) {
      if (courseAfter(fault) !== 'again') throw fault
      log?.warn({ migration: migration.name }, 'a migration gives way to traffic, and tries again')
    }
    await sleep(lockMs, undefined, { signal: stopping })
  }
}

/** What is killed in between is done again: a transaction not at all, and of indexes those that are not there. */
async function apply(connection: OwnConnection, migration: Migration, time: () => Date, lockMs: number): Promise<void> {
  const indexes = concurrentIndexChanges(migration.text)
  // These shut nobody out while they wait.
  for (const change of indexes ?? []) await changeIndex(connection, change)
  await connection.transaction(async (tx) => {
    await tx.query(sql`select set_config('lock_timeout', ${String(lockMs)}, true)`)
    if (!indexes) await tx.script(migration.text).catch(refuseForeignTable)
    await remember(tx, migration, time())
  })
}

function refuseForeignTable(fault: unknown): never {
  if (faultCode(fault) !== DUPLICATE_TABLE || !(fault instanceof Error)) throw fault
  throw new SchemaFault(`The database already holds something else (${fault.message}); give Hulaki one of its own.`)
}

async function remember(tx: Tx, { number, name, checksum }: Migration, now: Date): Promise<void> {
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

function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder).filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file))
  return files.sort().map((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    const checksum = createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
    return { number: Number(file.slice(0, 4)), name: file, text, checksum }
  })
}
