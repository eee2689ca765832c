// The migrations of this version, those that a database has, and whether this version can use it.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasTable } from './copy-marks.ts'
import type { Queries } from './db.ts'
import { sql } from './sql.ts'

const FOLDER = join(import.meta.dirname, 'migrations')
const OLDEST_SERVER = 15

/** The schema cannot be used; the message is one sentence for a person. */
export class SchemaError extends Error {}

export interface Migration {
  number: number
  name: string
  text: string
  checksum: string
}

export type AppliedMigration = { number: number; checksum: string }

export function readMigrations(folder = FOLDER): Migration[] {
  const files = readdirSync(folder).filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file))
  return files.sort().map((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    const checksum = createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
    return { number: Number(file.slice(0, 4)), name: file, text, checksum }
  })
}

/** The number of the latest migration of this version. */
export function latestMigration(): number {
  return latestOf(readMigrations(FOLDER))
}

export function latestOf(migrations: readonly { number: number }[]): number {
  return Math.max(0, ...migrations.map(({ number }) => number))
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

export async function checkServer(db: Queries): Promise<void> {
  const [server] = await db.query<{ version: number }>(sql`
    select current_setting('server_version_num')::int as version`)
  if (server && server.version < OLDEST_SERVER * 10_000) {
    const major = Math.floor(server.version / 10_000)
    throw new SchemaError(`The database is PostgreSQL ${major}; Hulaki needs ${OLDEST_SERVER} or later.`)
  }
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

export function createdTables(migrations: readonly Migration[]): string[] {
  const tables = new Set<string>()
  for (const { text } of migrations) {
    for (const [, created, dropped] of text.matchAll(/^(?:create (?:unlogged )?table (\w+)|drop table (\w+))/gim)) {
      if (created) tables.add(created)
      if (dropped) tables.delete(dropped)
    }
  }
  return [...tables]
}

/** The first migration creates their table. */
export async function appliedMigrations(db: Queries): Promise<AppliedMigration[]> {
  if (!(await hasTable(db, 'schema_migration'))) return []
  return db.query<AppliedMigration>(sql`select number, checksum from schema_migration order by number`)
}
