// Binds: the process that leases each bind, the state of the bind, and the heartbeats of the processes that share binds.
import type { BindLease, BindMode, BindName, BindReport, HeldBind } from '../../domain/carriers/bind.ts'
import { isLeased } from '../../domain/carriers/carrier.ts'
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

export interface StoredBind extends BindLease, BindReport {
  mode: BindMode
  workedAt: Date
}

export function listBinds(db: Queries): Promise<StoredBind[]> {
  return db.query<StoredBind>(sql`
    select carrier_id as "carrierId", number, mode, process_id as "processId", leased_until as "leasedUntil", state, peer, bound_at as "boundAt",
      in_flight as "inFlight", segments_per_second as "segmentsPerSecond", last_error as "lastError",
      last_error_at as "lastErrorAt", is_working as "isWorking", broken_reason as "brokenReason", health_since as "healthSince",
      is_at_rate_limit as "isFull", retry_at as "retryAt", last_working_at as "workedAt"
    from carrier_bind order by carrier_id, number`)
}

/** Shows a bind with an expired lease as idle: its process is gone. */
export async function listBindsAsOf(db: Queries, now: Date): Promise<StoredBind[]> {
  const idle = {
    state: 'idle',
    peer: null,
    boundAt: null,
    inFlight: 0,
    segmentsPerSecond: 0,
    isWorking: false,
  } as const
  return (await listBinds(db)).map((bind) =>
    isLeased(bind.leasedUntil, now) ? bind : { ...bind, ...idle, brokenReason: null, healthSince: null, retryAt: null },
  )
}

/** Adds missing binds and deletes surplus binds of a carrier. A surplus bind is deleted even while a process leases it. */
export async function setBinds(
  tx: Tx,
  { carrierId, modes, now }: { carrierId: string; modes: BindMode[]; now: Date },
): Promise<void> {
  await tx.query(sql`
    delete from carrier_bind where carrier_id = ${carrierId} and not exists (
      select from unnest(${modes}::text[]) with ordinality as wanted (mode, number)
      where wanted.number = carrier_bind.number and wanted.mode = carrier_bind.mode)`)
  await tx.query(sql`
    insert into carrier_bind (carrier_id, number, mode, last_working_at)
    select ${carrierId}, number, mode, ${now}::timestamptz from unnest(${modes}::text[]) with ordinality as wanted (mode, number)
    on conflict (carrier_id, number) do nothing`)
}

/** Renews the leases of a process and stores the state of its binds. Returns the binds that no other process has claimed since. */
export async function renewBinds(
  tx: Tx,
  { processId, held, leasedUntil, now }: { processId: string; held: HeldBind[]; leasedUntil: Date; now: Date },
): Promise<BindName[]> {
  return tx.query<BindName>(sql`
    update carrier_bind bind set leased_until = ${leasedUntil}, state = held.state, peer = held.peer, bound_at = held.bound_at,
      in_flight = held.in_flight, segments_per_second = held.segments_per_second,
      last_error = held.last_error, last_error_at = held.last_error_at, is_working = held.is_working,
      broken_reason = held.broken_reason, health_since = held.health_since, is_at_rate_limit = held.is_at_rate_limit,
      retry_at = held.retry_at,
      last_working_at = case when held.is_hopeful then ${now} else last_working_at end
    from unnest(
      ${held.map((it) => it.carrierId)}::uuid[], ${held.map((it) => it.number)}::smallint[],
      ${held.map((it) => it.state)}::text[], ${held.map((it) => it.peer)}::text[], ${held.map((it) => it.boundAt)}::timestamptz[],
      ${held.map((it) => it.inFlight)}::int[], ${held.map((it) => it.segmentsPerSecond)}::real[],
      ${held.map((it) => it.lastError)}::text[], ${held.map((it) => it.lastErrorAt)}::timestamptz[],
      ${held.map((it) => it.isWorking)}::boolean[], ${held.map((it) => it.brokenReason)}::text[],
      ${held.map((it) => it.healthSince)}::timestamptz[], ${held.map((it) => it.isFull)}::boolean[],
      ${held.map((it) => it.isWorthTrying)}::boolean[], ${held.map((it) => it.retryAt)}::timestamptz[]
    ) as held (carrier_id, number, state, peer, bound_at, in_flight, segments_per_second, last_error, last_error_at,
      is_working, broken_reason, health_since, is_at_rate_limit, is_hopeful, retry_at)
    where bind.carrier_id = held.carrier_id and bind.number = held.number and bind.process_id = ${processId}
    returning bind.carrier_id as "carrierId", bind.number`)
}

/** Claims the binds that no other process leases. */
export function claimBinds(
  tx: Tx,
  { processId, binds, leasedUntil, now }: { processId: string; binds: BindName[]; leasedUntil: Date; now: Date },
) {
  return tx.query<BindName & { mode: BindMode }>(sql`
    update carrier_bind bind set process_id = ${processId}, leased_until = ${leasedUntil}, state = 'connecting',
      peer = null, bound_at = null, in_flight = 0, segments_per_second = 0, is_working = false, broken_reason = null, health_since = null,
      is_at_rate_limit = false, retry_at = null
    from unnest(${binds.map((it) => it.carrierId)}::uuid[], ${binds.map((it) => it.number)}::smallint[]) as free (carrier_id, number)
    where bind.carrier_id = free.carrier_id and bind.number = free.number
      and (bind.process_id is null or bind.process_id = ${processId} or bind.leased_until <= ${now})
    returning bind.carrier_id as "carrierId", bind.number, bind.mode`)
}

export async function releaseBinds(
  tx: Tx,
  { processId, binds }: { processId: string; binds: BindName[] },
): Promise<void> {
  await tx.query(sql`
    update carrier_bind bind set process_id = null, leased_until = null, state = 'idle', peer = null, bound_at = null,
      in_flight = 0, segments_per_second = 0, is_working = false, broken_reason = null, health_since = null,
      is_at_rate_limit = false, retry_at = null
    from unnest(${binds.map((it) => it.carrierId)}::uuid[], ${binds.map((it) => it.number)}::smallint[]) as mine (carrier_id, number)
    where bind.carrier_id = mine.carrier_id and bind.number = mine.number and bind.process_id = ${processId}`)
}

/** Segments of the last minute by result. */
export interface LastMinuteCounts {
  accepted: number
  rejected: number
  delivered: number
  undelivered: number
}

/** Stores the heartbeat and counts of a delivery process. Returns the number of live delivery processes. */
export async function recordDeliveryHeartbeat(
  tx: Tx,
  { id, seenUntil, counts, now }: { id: string; seenUntil: Date; counts: LastMinuteCounts; now: Date },
): Promise<number> {
  const { accepted, rejected, delivered, undelivered } = counts
  await tx.query(sql`
    insert into delivery_process (id, alive_until, accepted, rejected, delivered, undelivered)
    values (${id}, ${seenUntil}, ${accepted}, ${rejected}, ${delivered}, ${undelivered})
    on conflict (id) do update set alive_until = excluded.alive_until, accepted = excluded.accepted, rejected = excluded.rejected,
      delivered = excluded.delivered, undelivered = excluded.undelivered`)
  const rows = await tx.query<{ living: number }>(sql`
    with gone as (delete from delivery_process where alive_until <= ${now} and id <> ${id})
    select count(*) as living from delivery_process where alive_until > ${now}`)
  return rows[0]?.living ?? 1
}

export type ReceiptCounts = Pick<LastMinuteCounts, 'delivered' | 'undelivered'>

/** For a process that only receives delivery receipts: it gets no share of the binds. */
export async function recordReceiptHeartbeat(
  tx: Tx,
  { id, seenUntil, counts, now }: { id: string; seenUntil: Date; counts: ReceiptCounts; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into receipt_process (id, alive_until, delivered, undelivered)
    values (${id}, ${seenUntil}, ${counts.delivered}, ${counts.undelivered})
    on conflict (id) do update set alive_until = excluded.alive_until, delivered = excluded.delivered,
      undelivered = excluded.undelivered`)
  await tx.query(sql`delete from receipt_process where alive_until <= ${now} and id <> ${id}`)
}

export async function deleteReceiptProcess(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from receipt_process where id = ${id}`)
}

/** Sums the counts of all live processes. */
export async function measureLastMinute(db: Queries, now: Date): Promise<LastMinuteCounts & { processes: number }> {
  const [row] = await db.query<LastMinuteCounts & { processes: number }>(sql`
    select count(*) filter (where delivers) as processes, coalesce(sum(accepted), 0)::int as accepted,
      coalesce(sum(rejected), 0)::int as rejected, coalesce(sum(delivered), 0)::int as delivered,
      coalesce(sum(undelivered), 0)::int as undelivered
    from (
      select true as delivers, accepted, rejected, delivered, undelivered from delivery_process where alive_until > ${now}
      union all
      select false, 0, 0, delivered, undelivered from receipt_process where alive_until > ${now}
    ) as told`)
  return row ?? { processes: 0, accepted: 0, rejected: 0, delivered: 0, undelivered: 0 }
}

export async function deleteDeliveryProcess(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from delivery_process where id = ${id}`)
}
