// Message counts by quarter hour of acceptance, written with the messages, so that a chart reads a few hundred rows at any traffic; and by day,
// where the upkeep role moves them (D76).
import {
  type DayCounts,
  type MessageCounts,
  NO_COUNTS,
  type QuarterCounts,
  quarterOf,
  type WorkspaceDay,
  type WorkspaceQuarter,
} from '../../domain/message-counts.ts'
import { messageOutcomeOf } from '../../domain/message-status.ts'
import type { AcceptedMessage } from '../../domain/messages/acceptance.ts'
import type { Transition } from '../../domain/messages/transition.ts'
import { systemRandom } from '../../runtime/random.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, type Fragment, fragment, sql } from '../database/sql.ts'

/** Each writer counts in rows of its own, so that no writer waits for the commit of another. */
export type CounterShard = 'answers' | 'reports' | 'deadlines'

const SHARDS: Record<CounterShard | 'accepted', number> = { answers: 0, reports: 1, deadlines: 2, accepted: 3 }
/** Random, so that processes rarely wait for each other's row locks. Processes in containers often have equal process IDs. */
const PROCESS_SHARD = 4 * systemRandom.below(4)

/** Readers sum all shards. */
export function shardNumber(counterShard: keyof typeof SHARDS): number {
  return SHARDS[counterShard] + PROCESS_SHARD
}

interface Counted extends MessageCounts {
  workspaceId: string
  quarter: Date
}

export function countAccepted(
  tx: Tx,
  messages: (Pick<AcceptedMessage, 'status'> & { request: { client: { workspaceId: string } } })[],
  now: Date,
): Promise<void> {
  const quarter = quarterOf(now)
  const counted = new Map<string, Counted>()
  for (const { request, status } of messages) {
    const { workspaceId } = request.client
    if (messageOutcomeOf(status) !== null)
      counted.getOrInsertComputed(workspaceId, () => ({ workspaceId, quarter, ...NO_COUNTS })).accepted += 1
  }
  return addCounts(tx, [...counted.values()], 'accepted')
}

/** Counts messages at their final status, which a message reaches once (D13). */
export function countEnded(tx: Tx, transitions: Transition[], counterShard: CounterShard): Promise<void> {
  const counted = new Map<string, Counted>()
  for (const { message, to } of transitions) {
    const outcome = messageOutcomeOf(to)
    if (outcome === null || outcome === 'underWay') continue
    const { workspaceId, createdAt } = message
    const quarter = quarterOf(createdAt)
    const key = `${workspaceId} ${quarter.getTime()}`
    counted.getOrInsertComputed(key, () => ({ workspaceId, quarter, ...NO_COUNTS }))[outcome] += 1
  }
  return addCounts(tx, [...counted.values()], counterShard)
}

/** Rows are locked in one order, which prevents deadlocks. */
async function addCounts(tx: Tx, counted: Counted[], counterShard: keyof typeof SHARDS): Promise<void> {
  if (counted.length === 0) return
  const rows = counted.sort((one, other) =>
    one.workspaceId === other.workspaceId
      ? one.quarter.getTime() - other.quarter.getTime()
      : one.workspaceId < other.workspaceId
        ? -1
        : 1,
  )
  await tx.query(sql`
    insert into message_quarter_hour as known (workspace_id, quarter_hour, counter_shard, accepted, delivered, undelivered, failed)
    select workspace_id, quarter_hour, ${shardNumber(counterShard)}, accepted, delivered, undelivered, failed from unnest(
      ${rows.map((it) => it.workspaceId)}::uuid[], ${rows.map((it) => it.quarter)}::timestamptz[],
      ${rows.map((it) => it.accepted)}::bigint[], ${rows.map((it) => it.delivered)}::bigint[],
      ${rows.map((it) => it.undelivered)}::bigint[], ${rows.map((it) => it.failed)}::bigint[]
    ) as counted (workspace_id, quarter_hour, accepted, delivered, undelivered, failed)
    on conflict (workspace_id, quarter_hour, counter_shard) do update set accepted = known.accepted + excluded.accepted,
      delivered = known.delivered + excluded.delivered, undelivered = known.undelivered + excluded.undelivered,
      failed = known.failed + excluded.failed`)
}

/** D43: more rows than one workspace has, so only the sums of all workspaces can reach it. */
const MAX_ROWS_SUMMED = 100_000

interface CountQuery<Start> {
  /** null: the sum of all workspaces. */
  workspaceId: string | null
  since: Start
}

export interface SummedCounts<Counts> {
  /** The first start of which all rows were read, if there are more rows than one query may read. */
  completeSince: Date | null
  /** Oldest first. */
  counts: Counts[]
}

export function listQuarters(db: Queries, query: CountQuery<Date>): Promise<SummedCounts<QuarterCounts>> {
  return sumSince(db, query, {
    table: fragment`message_quarter_hour`,
    start: fragment`quarter_hour`,
    name: fragment`quarter`,
    step: fragment`interval '15 minutes'`,
  })
}

/** Without the quarter hours that are not moved yet. */
export function listDays(db: Queries, query: CountQuery<string>): Promise<SummedCounts<DayCounts>> {
  return sumSince(db, query, {
    table: fragment`message_day`,
    start: fragment`day`,
    name: fragment`day`,
    step: fragment`interval '1 day'`,
  })
}

async function sumSince<Counts extends QuarterCounts | DayCounts>(
  db: Queries,
  { workspaceId, since }: CountQuery<Date | string>,
  { table, start, name, step }: Record<'table' | 'start' | 'name' | 'step', Fragment>,
): Promise<SummedCounts<Counts>> {
  const which = every([
    workspaceId === null ? null : fragment`workspace_id = ${workspaceId}`,
    fragment`${start} >= ${since}`,
  ])
  const rows = await db.query<Counts & { completeSince: Date | null }>(sql`
    with looked as materialized (
      select ${start} as start, accepted, delivered, undelivered, failed from ${table}
      where ${which} order by ${start} desc limit ${MAX_ROWS_SUMMED}
    ), far as materialized (
      select case when count(*) = ${MAX_ROWS_SUMMED} then min(start) + ${step} end as since from looked
    )
    select far.since as "completeSince", start as ${name}, sum(accepted)::bigint as accepted, sum(delivered)::bigint as delivered,
      sum(undelivered)::bigint as undelivered, sum(failed)::bigint as failed
    from looked, far where far.since is null or start >= far.since group by far.since, start order by start`)
  return { completeSince: rows[0]?.completeSince ?? null, counts: rows }
}

/** Deletes quarter hours that began before `before`, and returns them with the time zone of their workspace. */
export function takeQuarters(tx: Tx, { before, limit }: { before: Date; limit: number }): Promise<WorkspaceQuarter[]> {
  // Locked rows are left for the next time, which avoids waits and deadlocks.
  return tx.query<WorkspaceQuarter>(sql`
    delete from message_quarter_hour
    where ctid = any(array(
        select ctid from message_quarter_hour where quarter_hour < ${before} limit ${limit} for update skip locked))
      and quarter_hour < ${before}
    returning workspace_id as "workspaceId", quarter_hour as quarter, accepted, delivered, undelivered, failed,
      coalesce((select time_zone from workspace where id = workspace_id), 'UTC') as "timeZone"`)
}

/** The days are in order of workspace and day, which prevents deadlocks. */
export async function addDays(tx: Tx, days: WorkspaceDay[]): Promise<void> {
  if (days.length === 0) return
  await tx.query(sql`
    insert into message_day as known (workspace_id, day, accepted, delivered, undelivered, failed)
    select * from unnest(
      ${days.map((it) => it.workspaceId)}::uuid[], ${days.map((it) => it.day)}::date[],
      ${days.map((it) => it.accepted)}::bigint[], ${days.map((it) => it.delivered)}::bigint[],
      ${days.map((it) => it.undelivered)}::bigint[], ${days.map((it) => it.failed)}::bigint[])
    on conflict (workspace_id, day) do update set accepted = known.accepted + excluded.accepted,
      delivered = known.delivered + excluded.delivered, undelivered = known.undelivered + excluded.undelivered,
      failed = known.failed + excluded.failed`)
}
