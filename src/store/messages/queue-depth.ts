// How many messages wait in the delivery queue, and how long: with a bounded cost at any backlog.
import type { QueueGroup } from '../../domain/carriers/routing.ts'
import { MAX_WITHOUT_CARRIER } from '../../domain/messages/intake.ts'
import type { Queries } from '../database/db.ts'
import { type Fragment, fragment, sql, unionAll } from '../database/sql.ts'
import { firstOfClients, inPlace, listPlaces, NO_CARRIER, placesTable } from './delivery-queue.ts'

/** Messages counted per priority or group; a longer queue is estimated from a sample. */
export const MAX_COUNTED = 5_000

/** The messages in these places, counted up to MAX_COUNTED. */
function countIn(places: readonly QueueGroup[]): Fragment {
  return fragment`
    select least(coalesce(sum(cardinality(message_ids)), 0), ${MAX_COUNTED})::int from (
      select message_ids from ${placesTable(places)} cross join lateral (
        select message_ids from delivery_queue where ${inPlace} limit ${MAX_COUNTED}
      ) as waiting limit ${MAX_COUNTED}
    ) as walked`
}

/** Queue rows with the oldest messages that are searched for the one that is overdue the longest. */
const MAX_OLD = 500
/** Clients over all places whose first rows are searched. */
const MAX_CLIENTS = 600

interface PriorityCount {
  priority: number
  /** At most MAX_COUNTED. */
  counted: number
  oldestDueAt: Date | null
}

/** Counts the messages of each priority that has any. Costs a bounded number of index steps, at any backlog. */
export async function countQueueByPriority(db: Queries, now: Date): Promise<PriorityCount[]> {
  const places = await listPlaces(db)
  if (places.length === 0) return []
  const counts = Array.from(
    Map.groupBy(places, (place) => place.priority),
    ([priority, own]) => fragment`select ${priority}::int as priority, (${countIn(own)}) as counted`,
  )
  return db.query<PriorityCount>(sql`
    select lane.priority, lane.counted, oldest.at as "oldestDueAt"
    from (${unionAll(counts)}) as lane left join (
      select priority, min(due_at) as at from (
        select priority, due_at from (
          select priority, due_at from delivery_queue order by priority, first_message_id limit ${MAX_OLD}
        ) as first
        union all
        select place.priority, first.due_at from ${placesTable(places)} cross join lateral (
          with recursive client as (${firstOfClients(fragment`due_at`)})
          select due_at from client limit ${Math.ceil(MAX_CLIENTS / places.length)}
        ) as first
      ) as looked
      where due_at <= ${now} group by priority
    ) as oldest on oldest.priority = lane.priority
    order by lane.priority`)
}

/** Enough for an error of a few per cent. */
const SAMPLED_BLOCKS = 200

/** Estimates the messages of each place from a fixed sample of the queue's blocks. */
export async function sampleQueue(db: Queries): Promise<(QueueGroup & { messages: number })[]> {
  const [size] = await db.query<{ blocks: number }>(sql`
    select pg_relation_size('delivery_queue') / current_setting('block_size')::int as blocks`)
  const percent = Math.min(100, (100 * SAMPLED_BLOCKS) / Math.max(1, size?.blocks ?? 0))
  const rows = await db.query<QueueGroup & { sampled: number }>(sql`
    select destination, nullif(avoid_carrier_id, ${NO_CARRIER}) as "avoidCarrierId", priority, sum(cardinality(message_ids)) as sampled
    from delivery_queue tablesample system (${percent}) repeatable (1) group by destination, avoid_carrier_id, priority`)
  return rows.map(({ sampled, ...place }) => ({ ...place, messages: Math.round((sampled * 100) / percent) }))
}

interface WaitingInPlace {
  /** The index of the place. */
  at: number
  oldestDueAt: Date | null
  firstMessageId: string
  workspaceIds: string[]
}

/** The first message of each client in these places, up to MAX_CLIENTS clients. Costs a few index steps per client. */
export async function findFirstWaiting(
  db: Queries,
  places: readonly QueueGroup[],
  now: Date,
): Promise<WaitingInPlace[]> {
  if (places.length === 0) return []
  return db.query<WaitingInPlace>(sql`
    select (place.nth - 1)::int as at, min(first.due_at) filter (where first.due_at <= ${now}) as "oldestDueAt",
      min(first.first_message_id::text) as "firstMessageId", array_agg(distinct first.workspace_id) as "workspaceIds"
    from ${placesTable(places)} cross join lateral (
      with recursive client as (${firstOfClients(fragment`due_at, first_message_id`)})
      select * from client limit ${Math.ceil(MAX_CLIENTS / places.length)}
    ) as first
    group by place.nth`)
}

/** Counts the messages of each group of places, up to MAX_COUNTED per group. */
export async function countInGroups(
  db: Queries,
  groups: ReadonlyMap<string, readonly QueueGroup[]>,
): Promise<Map<string, number>> {
  if (groups.size === 0) return new Map()
  const counts = Array.from(
    groups,
    ([name, places]) => fragment`select ${name}::text as name, (${countIn(places)}) as counted`,
  )
  const rows = await db.query<{ name: string; counted: number }>(sql`${unionAll(counts)}`)
  return new Map(rows.map(({ name, counted }) => [name, counted]))
}

/** Due messages by destination, up to `limit` each. */
export function countDueByDestination(
  db: Queries,
  { places, now, limit }: { places: QueueGroup[]; now: Date; limit: number },
): Promise<{ destination: string; messages: number }[]> {
  return db.query<{ destination: string; messages: number }>(sql`
    select place.destination, least(sum(cardinality(message_ids)), ${limit})::bigint as messages
    from ${placesTable(places)} cross join lateral (
      select message_ids from delivery_queue where ${inPlace} and due_at <= ${now} limit ${limit}
    ) as due
    group by place.destination order by place.destination`)
}

/** Counts up to MAX_WITHOUT_CARRIER per destination. */
export async function countWaitingByDestination(db: Queries, destinations: string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ destination: string; waiting: number }>(sql`
    select requested.destination, (
      select least(coalesce(sum(cardinality(message_ids)), 0), ${MAX_WITHOUT_CARRIER})::int from (
        select message_ids from delivery_queue where destination = requested.destination limit ${MAX_WITHOUT_CARRIER}
      ) as counted
    ) as waiting
    from unnest(${destinations}::text[]) as requested (destination)`)
  return new Map(rows.map((row) => [row.destination, row.waiting]))
}
