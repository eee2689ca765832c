// What a start of this version would do to a database, without doing it.
import type { Queries } from './db.ts'
import {
  appliedMigrations,
  checkServer,
  isOnline,
  missingMigrations,
  readMigrations,
  SchemaError,
  tablesOf,
} from './migrations.ts'
import { sql } from './sql.ts'
import { findDamage, findObstacle } from './usable.ts'

export interface MigrationPlan {
  /** The latest applied migration; null: the database is empty. */
  revision: string | null
  /** The latest migration of this version. */
  latest: string
  /** The database is of a version before 0.1.0, and the first start converts it. */
  isConverted: boolean
  missing: PlannedMigration[]
}

interface PlannedMigration {
  name: string
  /** Processes of the previous release can work beside it. */
  isOnline: boolean
  /** The existing tables that it changes or reads as a whole. */
  tables: { name: string; bytes: number }[]
}

/** Throws a SchemaError if this version cannot use the database. */
export async function planMigrations(db: Queries): Promise<MigrationPlan> {
  await checkServer(db)
  const known = readMigrations()
  rejectIf(await findObstacle(db, tablesOf(known)))
  const applied = await appliedMigrations(db)
  const [initial] = known
  const isConverted = initial !== undefined && applied.some(({ number }) => number < initial.number)
  const missing = isConverted ? known : missingMigrations(known, applied)
  if (!isConverted && applied.length > 0) rejectIf(await findDamage(db, tablesOf(applied)))
  const [revision] = applied.length === 0 ? [] : await latestName(db)
  const planned: PlannedMigration[] = []
  for (const { name, text } of applied.length === 0 ? [] : missing)
    planned.push({ name, isOnline: isOnline(name), tables: await sizesOf(db, tablesIn(text)) })
  return { revision: revision?.name ?? null, latest: known.at(-1)?.name ?? '', isConverted, missing: planned }
}

function rejectIf(reason: string | null): void {
  if (reason !== null) throw new SchemaError(reason)
}

function latestName(db: Queries): Promise<{ name: string }[]> {
  return db.query(sql`select name from schema_migration order by number desc limit 1`)
}

const USES_TABLE =
  /^\s*(?:alter table|update|delete from|truncate|drop table|insert into|create (?:unique )?index(?: concurrently)? \w+ on)\s+(?:if exists |only )*(\w+)/gim

function tablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(USES_TABLE)].map(([, table = '']) => table))]
}

/** Only of tables that exist. The size of a partitioned table is that of its partitions. */
function sizesOf(db: Queries, tables: string[]): Promise<{ name: string; bytes: number }[]> {
  return db.query(sql`
    select name,
      (pg_total_relation_size(to_regclass(name))
        + coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree(to_regclass(name)) where isleaf), 0)
      )::float8 as bytes
    from unnest(${tables}::text[]) as named (name) where to_regclass(name) is not null order by name`)
}

export interface ServerFacts {
  version: string
  /** Whether PostgreSQL archives its log (archive_mode). */
  isArchiving: boolean
  /** When it last did; null: never. */
  archivedAt: Date | null
}

export async function readServerFacts(db: Queries): Promise<ServerFacts> {
  const [facts] = await db.query<ServerFacts>(sql`
    select current_setting('server_version') as version, current_setting('archive_mode') <> 'off' as "isArchiving",
      last_archived_time as "archivedAt"
    from pg_stat_archiver`)
  return facts ?? { version: 'unknown', isArchiving: false, archivedAt: null }
}
