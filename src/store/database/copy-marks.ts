// Marks of databases on which no service starts (D81): one into which another is being copied, until the last table is complete, and one that
// was moved. A repeated copy continues after the last complete table.
import type { Tally } from '../../domain/service/row-tally.ts'
import type { Queries } from './db.ts'
import { sql } from './sql.ts'

/** Its queue would be sent twice, and its backups would be old. */
export const MOVED_AWAY =
  'The database was moved to another server; set DATABASE_URL to that one. To use this one again, run hulaki move --undo.'

/** `target` names the new database, so that only an interrupted move to the same one goes on. */
export async function markMovedAway(db: Queries, target: string): Promise<void> {
  await db.query(sql`create table if not exists moved_away (target text)`)
  await db.query(sql`insert into moved_away (target) select ${target} where not exists (select from moved_away)`)
}

/** The new database of a moved one; null: it was not moved, or its mark has no name. */
export async function findMoveTarget(db: Queries): Promise<string | null> {
  if (!(await isMovedAway(db))) return null
  const [mark] = await db.query<{ target: string }>(
    sql`select to_jsonb(mark) ->> 'target' as target from moved_away as mark`,
  )
  return mark?.target ?? null
}

export async function unmarkMovedAway(db: Queries): Promise<void> {
  await db.query(sql`drop table moved_away`)
}

export function isMovedAway(db: Queries): Promise<boolean> {
  return hasTable(db, 'moved_away')
}

export async function hasTable(db: Queries, name: string): Promise<boolean> {
  const [found] = await db.query<{ exists: boolean }>(sql`select to_regclass(${name}) is not null as "exists"`)
  return found?.exists === true
}

export interface UnfinishedCopy {
  /** What is copied; only the same source can continue. */
  source: string
  /** The complete tables. */
  tables: Record<string, Tally>
}

export function isCopyUnfinished(db: Queries): Promise<boolean> {
  return hasTable(db, 'unfinished_copy')
}

/** null: no copy was started. */
export async function findUnfinishedCopy(db: Queries): Promise<UnfinishedCopy | null> {
  if (!(await isCopyUnfinished(db))) return null
  const [row] = await db.query<UnfinishedCopy>(sql`select source, tables from unfinished_copy`)
  return row ?? null
}

const LOCK = 0x68_75_6c_63

/** One copy into a database at a time; the lock ends with the connection. */
export async function lockTarget(connection: Queries): Promise<boolean> {
  const [lock] = await connection.query<{ acquired: boolean }>(
    sql`select pg_try_advisory_lock(${LOCK}::bigint) as acquired`,
  )
  return lock?.acquired === true
}

export async function startCopy(tx: Queries, source: string): Promise<void> {
  await tx.query(sql`create table if not exists unfinished_copy (source text not null, tables jsonb not null)`)
  await tx.query(sql`insert into unfinished_copy (source, tables) values (${source}, '{}')`)
}

export async function recordCopiedTable(tx: Queries, table: string, tally: Tally): Promise<void> {
  await tx.query(sql`
    update unfinished_copy set tables = tables || jsonb_build_object(${table}::text, ${JSON.stringify(tally)}::jsonb)`)
}

/** From now on, a service starts on the database. */
export async function finishCopy(db: Queries): Promise<void> {
  await db.query(sql`drop table unfinished_copy`)
}
