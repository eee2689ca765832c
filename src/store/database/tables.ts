// The tables of a database for a copy (D81): their columns by name, their sequences and their order.
import pg from 'pg'
import type { Tally } from '../../domain/service/row-tally.ts'
import type { RowSource, WriteRows } from './copy.ts'
import type { Queries, Tx } from './db.ts'
import { SERVICE_NAME } from './hosts.ts'
import { sql } from './sql.ts'

export interface Table {
  name: string
  columns: string[]
}

interface TableRow extends Table {
  /** The tables that its foreign keys refer to. */
  needs: string[]
}

/** A table comes after the tables that its foreign keys refer to. A partitioned table is one table. */
export async function listTables(db: Queries, names: readonly string[]): Promise<Table[]> {
  const rows = await db.query<TableRow>(sql`
    select relname as name,
      array(select attname::text from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped order by attname) as columns,
      array(select distinct other.relname::text from pg_constraint join pg_class other on other.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid) as needs
    from pg_class
    where relnamespace = quote_ident(current_schema())::regnamespace and relkind in ('r', 'p') and relname = any(${names}::text[])
    order by relname`)
  const sorted = new Map<string, Table>()
  const add = ({ name, columns, needs }: TableRow) => {
    for (const needed of rows.filter((row) => needs.includes(row.name) && !sorted.has(row.name))) add(needed)
    sorted.set(name, { name, columns })
  }
  for (const row of rows) add(row)
  return [...sorted.values()]
}

/** Reads the rows as of the snapshot of the transaction. */
export function copyRowsOut(tx: Tx, { name, columns }: Table, write: WriteRows): Promise<Tally> {
  return tx.copyOut(`copy (select ${list(columns)} from ${pg.escapeIdentifier(name)}) to stdout`, write)
}

export function copyRowsIn(tx: Tx, { name, columns }: Table, rows: RowSource): Promise<void> {
  return tx.copyIn(`copy ${pg.escapeIdentifier(name)} (${list(columns)}) from stdin`, rows)
}

function list(names: readonly string[]): string {
  return names.map((name) => pg.escapeIdentifier(name)).join(', ')
}

/** The migrations insert rows into some tables, which the copied rows replace. */
export async function deleteRows(tx: Tx, { name }: Table): Promise<void> {
  // The triggers of append-only tables reject every delete, and the migrations insert no rows there.
  const table = pg.escapeIdentifier(name)
  await tx.script(`do $$ begin if exists (select from ${table}) then delete from ${table}; end if; end $$`)
}

/** No table changes until the end of the transaction: `share` blocks writers, `access share` only changes of the table. */
export async function lockTables(tx: Tx, names: readonly string[], mode: 'share' | 'access share'): Promise<void> {
  await tx.script(`lock table ${list(names)} in ${mode} mode`)
}

/** Every statement of the transaction sees the same moment. The snapshot is taken by the first query. */
export async function keepSnapshot(tx: Tx): Promise<void> {
  await tx.query(sql`set transaction isolation level repeatable read`)
}

/** The text of a value does not depend on the settings of the role. */
export async function useSameFormat(db: Queries): Promise<void> {
  await db.query(sql`
    select set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO, YMD', false),
      set_config('intervalstyle', 'postgres', false), set_config('bytea_output', 'hex', false),
      set_config('extra_float_digits', '1', false)`)
}

export interface Sequence {
  table: string
  column: string
  /** null: not used yet. */
  last: number | null
}

export function listSequences(db: Queries): Promise<Sequence[]> {
  return db.query<Sequence>(sql`
    select relname as "table", attname as "column", last_value as last
    from pg_attribute
      join pg_class on pg_class.oid = attrelid
      join pg_sequences on format('%I.%I', schemaname, sequencename)::regclass
        = pg_get_serial_sequence(quote_ident(relname), attname)::regclass
    where relnamespace = quote_ident(current_schema())::regnamespace and attidentity <> '' and not relispartition
    order by relname, attname`)
}

export async function setSequence(tx: Queries, { table, column, last }: Sequence): Promise<void> {
  if (last === null) return
  await tx.query(sql`select setval(pg_get_serial_sequence(${table}, ${column}), ${last}::bigint)`)
}

/** A table, view or sequence in the schema, other than those of extensions; null if there is none. */
export async function findAnyRelation(db: Queries): Promise<string | null> {
  const [found] = await db.query<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = quote_ident(current_schema())::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    order by relname limit 1`)
  return found?.name ?? null
}

/** Connections of services and commands to this database, without this one. */
export async function countOtherConnections(db: Queries): Promise<number> {
  const [found] = await db.query<{ count: number }>(sql`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = ${SERVICE_NAME} and pid <> pg_backend_pid()`)
  return found?.count ?? 0
}

export async function readEncoding(db: Queries): Promise<string> {
  const [server] = await db.query<{ encoding: string }>(sql`select current_setting('server_encoding') as encoding`)
  return server?.encoding ?? ''
}
