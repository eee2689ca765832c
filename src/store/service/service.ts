// Service-wide state: the single row of table `service`, the known keyring keys, and facts about the database server.
import type { KeyPurpose } from '../../runtime/keyring.ts'
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

interface ServiceState {
  smsEnabled: boolean
  manualClockAt: Date | null
  demoMadeAt: Date | null
}

export async function readService(db: Queries): Promise<ServiceState> {
  const [row] = await db.query<ServiceState>(sql`
    select sms_enabled as "smsEnabled", manual_clock_at as "manualClockAt", demo_created_at as "demoMadeAt" from service`)
  if (!row) throw new Error('table service has no row')
  return row
}

export async function lockService(tx: Tx): Promise<ServiceState> {
  await tx.query(sql`select 1 from service for no key update`)
  return readService(tx)
}

/** Raised by every change of routes, carriers, prices or policies. */
export async function readRoutingRevision(db: Queries): Promise<number> {
  const [row] = await db.query<{ revision: number }>(sql`select routing_revision as revision from service`)
  return row?.revision ?? 0
}

export async function raiseRoutingRevision(tx: Tx): Promise<void> {
  await tx.query(sql`update service set routing_revision = routing_revision + 1`)
}

/** More rows than fit into the probe's work_mem, so that PostgreSQL writes a temporary file. */
const PROBE_ROWS = 10_000

/**
 * Fails if the database cannot store anything: on a standby, or with a full disk. An update can still succeed on a full
 * disk, so the probe also forces a temporary file. Each process writes its own row, which avoids waits; rows not written since
 * `goneSince` are deleted.
 */
export async function writeReadinessProbe(
  tx: Tx,
  { processId, now, goneSince }: { processId: string; now: Date; goneSince: Date },
): Promise<void> {
  await Promise.all([
    tx.query(sql`select set_config('work_mem', '64kB', true)`),
    tx.query(sql`select count(*) from generate_series(1, ${PROBE_ROWS}::int)`),
    tx.query(sql`
      with gone as (delete from readiness_probe where written_at < ${goneSince} and process_id <> ${processId})
      insert into readiness_probe (process_id, written_at) values (${processId}, ${now})
      on conflict (process_id) do update set written_at = excluded.written_at`),
  ])
}

export async function setSmsEnabled(tx: Tx, smsEnabled: boolean): Promise<void> {
  await tx.query(sql`update service set sms_enabled = ${smsEnabled}`)
}

export async function setManualClock(db: Queries, at: Date): Promise<void> {
  await db.query(sql`update service set manual_clock_at = ${at}`)
}

export async function setDemoMade(tx: Tx, at: Date): Promise<void> {
  await tx.query(sql`update service set demo_created_at = ${at}`)
}

export interface KnownKey {
  purpose: KeyPurpose
  keyId: string
  fingerprint: string
}

export function listKnownKeys(db: Queries): Promise<KnownKey[]> {
  return db.query<KnownKey>(
    sql`select purpose, key_id as "keyId", fingerprint from keyring_key order by purpose, key_id`,
  )
}

export async function storeKnownKeys(tx: Tx, keys: KnownKey[]): Promise<void> {
  await tx.query(sql`
    insert into keyring_key (purpose, key_id, fingerprint)
    select * from unnest(
      ${keys.map((key) => key.purpose)}::text[], ${keys.map((key) => key.keyId)}::text[],
      ${keys.map((key) => key.fingerprint)}::text[])
    on conflict do nothing`)
}

export async function readBackendPid(queries: Queries): Promise<number | undefined> {
  const [row] = await queries.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  return row?.pid
}

/** Has the same name for every number: only if a connection keeps its statement, a repeated call returns its own number. */
export async function echo(queries: Queries, number: 1 | 2): Promise<number | undefined> {
  const [row] = await queries.query<{ number: number }>({
    name: 'echo',
    text: `select ${number} as number`,
    values: [],
  })
  return row?.number
}

/** Equal for two connections to the same database of the same server. */
export async function readServerIdentity(queries: Queries): Promise<string> {
  const [row] = await queries.query<{ identity: string }>(sql`
    select extract(epoch from pg_postmaster_start_time()) || ' ' || current_database() as identity`)
  return row?.identity ?? ''
}

/** The time of the first migration, which a copy of the database has too. */
export async function readDatabaseCreatedAt(queries: Queries): Promise<Date> {
  const [row] = await queries.query<{ createdAt: Date }>(sql`
    select applied_at as "createdAt" from schema_migration order by number limit 1`)
  if (!row) throw new Error('table schema_migration has no row')
  return row.createdAt
}

/** Connections available to this role, without the reserved ones. */
export async function readConnectionLimit(db: Queries): Promise<number> {
  const rows = await db.query<{ most: number }>(sql`
    select least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as most`)
  return rows[0]?.most ?? 0
}

export async function readSwitches(tx: Tx): Promise<{ smsEnabled: boolean; liveCountries: string[] }> {
  const [row] = await tx.query<{ smsEnabled: boolean; liveCountries: string[] }>(sql`
    select sms_enabled as "smsEnabled", array(select code from country where state = 'live' order by code) as "liveCountries"
    from service`)
  if (!row) throw new Error('table service has no row')
  return row
}
