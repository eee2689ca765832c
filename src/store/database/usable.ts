// Why this version cannot use a database, as one sentence for a person (D81, D83): marks, tables of another program, and damage.
import { hasTable, isCopyUnfinished, isMovedAway, MOVED_AWAY } from './copy-marks.ts'
import type { Queries } from './db.ts'
import { sql } from './sql.ts'
import { readEncoding } from './tables.ts'

const UNFINISHED_COPY =
  'A restore or a move into this database has not finished; run the same command again, or use an empty database.'

/** Before the migrations are read. `tables` are those that this version would create in an empty database. */
export async function findObstacle(db: Queries, tables: readonly string[]): Promise<string | null> {
  if (await isCopyUnfinished(db)) return UNFINISHED_COPY
  if (await isMovedAway(db)) return MOVED_AWAY
  if (await isForeignRevision(db)) return foreign('schema_migration')
  if (await hasMigrations(db)) return null
  const [table] = await db.query<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = quote_ident(current_schema())::regnamespace and relname = any(${tables}::text[]) and relname <> 'schema_migration'
    order by relname limit 1`)
  if (table) return foreign(table.name)
  const encoding = await readEncoding(db)
  return encoding === 'UTF8'
    ? null
    : `The database has the encoding ${encoding}; create it with UTF8 (encoding UTF8 template template0).`
}

export function foreign(table: string): string {
  return `The database already has tables of another program (${table}); use a separate database.`
}

/** A table of the same name with other columns. */
async function isForeignRevision(db: Queries): Promise<boolean> {
  const [found] = await db.query<{ columns: number }>(sql`
    select count(attname) filter (where attname in ('number', 'name', 'checksum', 'applied_at'))::int as columns
    from pg_attribute where attrelid = to_regclass('schema_migration') having count(*) > 0`)
  return found !== undefined && found.columns < 4
}

async function hasMigrations(db: Queries): Promise<boolean> {
  if (!(await hasTable(db, 'schema_migration'))) return false
  const rows = await db.query(sql`select 1 from schema_migration limit 1`)
  return rows.length > 0
}

/** A database that lost a table, or was restored without one, must not be written to. */
export async function findDamage(db: Queries, tables: readonly string[]): Promise<string | null> {
  const [lost] = await db.query<{ name: string }>(sql`
    select name from unnest(${tables}::text[]) as expected (name) where to_regclass(name) is null limit 1`)
  if (lost) return `The database is damaged: its table ${lost.name} is missing.`
  const rows = await db.query(sql`select 1 from service limit 1`)
  return rows.length === 0 ? 'The database is damaged: its table service is empty.' : null
}
