// Brings the schema to the version this code was written for; refuses one it does not know.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, faultCode, type Tx } from './db.ts'
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
const OLDEST_SERVER = 15
const DUPLICATE_TABLE = '42P07'

/** Many processes may start at once: one migrates, the others wait for it and find the work done, unless they shall stop. */
export async function migrate(db: Db, now: Date, stopping?: AbortSignal): Promise<number> {
  const migrations = readMigrations()
  return db.transaction(async (tx) => {
    await tx.takeYourTime()
    await judgeServer(tx)
    await takeTurn(tx, stopping)
    await tx.query(sql`
      create table if not exists schema_migration (
        number int primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null
      )`)
    const missing = judgeSchema(migrations, await appliedMigrations(tx))
    for (const migration of missing) await apply(tx, migration, now)
    await judgeTables(tx, migrations)
    return missing.length
  })
}

/** However long the other one takes; asked for again and again, since nobody could be called back from a wait in the database. */
async function takeTurn(tx: Tx, stopping?: AbortSignal): Promise<void> {
  for (;;) {
    stopping?.throwIfAborted()
    const [turn] = await tx.query<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(${LOCK}::bigint) as taken`)
    if (turn?.taken) return
    await sleep(GLANCE_MS)
  }
}

async function judgeServer(tx: Tx): Promise<void> {
  const [server] = await tx.query<{ version: number }>(sql`
    select current_setting('server_version_num')::int as version`)
  if (server && server.version < OLDEST_SERVER * 10_000) {
    const major = Math.floor(server.version / 10_000)
    throw new SchemaFault(`The database is PostgreSQL ${major}; Hulaki needs ${OLDEST_SERVER} or later.`)
  }
}

function judgeSchema(known: Migration[], applied: { number: number; checksum: string }[]): Migration[] {
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
async function judgeTables(tx: Tx, migrations: Migration[]): Promise<void> {
  const made = new Set<string>()
  for (const { text } of migrations) {
    for (const [, created, dropped] of text.matchAll(/^(?:create (?:unlogged )?table (\w+)|drop table (\w+))/gim)) {
      if (created) made.add(created)
      if (dropped) made.delete(dropped)
    }
  }
  const [lost] = await tx.query<{ name: string }>(sql`
    select name from unnest(${[...made]}::text[]) as made (name) where to_regclass(name) is null limit 1`)
  if (lost) throw new SchemaFault(`The database is damaged: its table ${lost.name} is missing.`)
  const [service] = await tx.query(sql`select 1 from service`)
  if (!service) throw new SchemaFault('The database is damaged: its table service is empty.')
}

function appliedMigrations(tx: Tx) {
  return tx.query<{ number: number; checksum: string }>(
    sql`select number, checksum from schema_migration order by number`,
  )
}

async function apply(tx: Tx, { number, name, text, checksum }: Migration, now: Date): Promise<void> {
  try {
    await tx.script(text)
  } catch (fault) {
    if (faultCode(fault) !== DUPLICATE_TABLE || !(fault instanceof Error)) throw fault
    throw new SchemaFault(`The database already holds something else (${fault.message}); give Hulaki one of its own.`)
  }
  await tx.query(sql`
    insert into schema_migration (number, name, checksum, applied_at) values (${number}, ${name}, ${checksum}, ${now})`)
}

function readMigrations(): Migration[] {
  const files = readdirSync(FOLDER).filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file))
  return files.sort().map((file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8')
    const checksum = createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
    return { number: Number(file.slice(0, 4)), name: file, text, checksum }
  })
}
