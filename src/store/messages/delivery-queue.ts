// The delivery queue: in each place (destination, avoided carrier, priority) workspaces and then their clients take turns (D43).
import type { QueueGroup } from '../../domain/carriers/routing.ts'
import type { MessageType } from '../../domain/message-type.ts'
import { MAX_STRANDED } from '../../domain/messages/intake.ts'
import type { Queries, Tx } from '../database/db.ts'
import { type Fragment, fragment, prepared, sql, unionAll } from '../database/sql.ts'

/** Stored as the avoided carrier of a message that avoids none: an index column that is never null is simpler to compare. */
export const NO_CARRIER = '00000000-0000-0000-0000-000000000000'

/** Places as a table expression. */
export function placesTable(places: readonly QueueGroup[]): Fragment {
  return fragment`unnest(
    ${places.map((it) => it.destination)}::text[], ${places.map((it) => it.avoidCarrierId ?? NO_CARRIER)}::uuid[],
    ${places.map((it) => it.priority)}::smallint[]) with ordinality as place (destination, avoid_carrier_id, priority, nth)`
}

/** Matches queue rows of the place in the current row of `placesTable`. */
export const inPlace = fragment`
  destination = place.destination and avoid_carrier_id = place.avoid_carrier_id and priority = place.priority`

/** Every place with a message. Costs one index step per place, at any backlog. */
export function listPlaces(db: Queries): Promise<QueueGroup[]> {
  return db.query<QueueGroup>(sql`
    with recursive known as (
      (select destination, avoid_carrier_id, priority from delivery_queue
        order by destination, avoid_carrier_id, priority limit 1)
      union all
      select next.* from known cross join lateral (
        select destination, avoid_carrier_id, priority from delivery_queue
        where (destination, avoid_carrier_id, priority) > (known.destination, known.avoid_carrier_id, known.priority)
        order by destination, avoid_carrier_id, priority limit 1
      ) as next
    )
    select destination, nullif(avoid_carrier_id, ${NO_CARRIER}) as "avoidCarrierId", priority from known`)
}

/** Claimed messages come first in due order, and a window holds fewer than this. */
const MOST_CLAIMED = 1_000

/** When the next message in these places falls due, or the lease of one expires. Costs a few index steps per client. */
export async function findNextDueTime(db: Queries, places: readonly QueueGroup[]): Promise<Date | null> {
  if (places.length === 0) return null
  const statement = sql`
    select min(first.at) as at
    from ${placesTable(places)} cross join lateral (
      with recursive waiting as (
        (select workspace_id, client_id from delivery_queue where ${inPlace} order by workspace_id, client_id limit 1)
        union all
        select next.* from waiting cross join lateral (
          select workspace_id, client_id from delivery_queue
          where ${inPlace} and (workspace_id, client_id) > (waiting.workspace_id, waiting.client_id)
          order by workspace_id, client_id limit 1
        ) as next
      )
      select min(coalesce(own.leased_until, own.due_at)) as at
      from waiting cross join lateral (
        select leased_until, due_at from delivery_queue
        where ${inPlace} and workspace_id = waiting.workspace_id and client_id = waiting.client_id
        order by due_at limit ${MOST_CLAIMED}
      ) as own
    ) as first`
  const rows = await db.query<{ at: Date | null }>(prepared(statement))
  return rows[0]?.at ?? null
}

export interface QueueClaim {
  messageId: string
  claimId: string | null
}

interface NewClaims {
  messageIds: string[]
  claimId: string
  leasedUntil: Date
}

export async function storeClaims(tx: Tx, { messageIds, claimId, leasedUntil }: NewClaims): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query(sql`
    update delivery_queue set claim_id = ${claimId}, leased_until = ${leasedUntil}, claims = claims + 1
    where message_id = any(${messageIds}::uuid[])`)
}

/** Locks queue rows and returns their claims; waits for concurrent changes. */
export function lockClaims(db: Queries, messageIds: string[]) {
  return db.query<QueueClaim & { leasedUntil: Date | null }>(sql`
    select message_id as "messageId", claim_id as "claimId", leased_until as "leasedUntil" from delivery_queue
    where message_id = any(${messageIds}::uuid[]) order by message_id for no key update`)
}

/** Like `lockClaims` without waiting: `locked` has the rows that were free, `queued` all messages still in the queue. */
export async function tryLockClaims(tx: Tx, messageIds: string[]) {
  const [locked, queued] = await Promise.all([
    tx.query<QueueClaim & { leasedUntil: Date | null }>(sql`
      select message_id as "messageId", claim_id as "claimId", leased_until as "leasedUntil" from delivery_queue
      where message_id = any(${messageIds}::uuid[]) order by message_id for no key update skip locked`),
    tx.query<{ messageId: string }>(sql`
      select message_id as "messageId" from delivery_queue where message_id = any(${messageIds}::uuid[])`),
  ])
  return { locked, queued: new Set(queued.map((row) => row.messageId)) }
}

export async function removeFromQueue(tx: Tx, messageIds: string[]): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query(sql`delete from delivery_queue where message_id = any(${messageIds}::uuid[])`)
}

export interface QueueReturn {
  messageId: string
  dueAt: Date
  avoidCarrierId: string | null
}

/** Ends the claims. Returns the messages that are still in the queue. */
export async function returnToQueue(tx: Tx, returns: QueueReturn[]): Promise<string[]> {
  if (returns.length === 0) return []
  const rows = await tx.query<{ messageId: string }>(sql`
    update delivery_queue queued set claim_id = null, leased_until = null, due_at = back.due_at,
      avoid_carrier_id = back.avoid_carrier_id
    from unnest(
      ${returns.map((it) => it.messageId)}::uuid[], ${returns.map((it) => it.dueAt)}::timestamptz[],
      ${returns.map((it) => it.avoidCarrierId ?? NO_CARRIER)}::uuid[]) as back (message_id, due_at, avoid_carrier_id)
    where queued.message_id = back.message_id
    returning queued.message_id as "messageId"`)
  return rows.map((row) => row.messageId)
}

/** The place and due time of an unclaimed message. */
export async function findQueuePlace(
  db: Queries,
  messageId: string,
): Promise<{ destination: string; avoidCarrierId: string | null; dueAt: Date } | null> {
  const rows = await db.query<{ destination: string; avoidCarrierId: string | null; dueAt: Date }>(sql`
    select destination, nullif(avoid_carrier_id, ${NO_CARRIER}) as "avoidCarrierId", due_at as "dueAt"
    from delivery_queue where message_id = ${messageId} and claim_id is null`)
  return rows[0] ?? null
}

/** The fields that decide the place of a message in the queue. */
export function loadRoutingFields(tx: Tx, messageIds: string[]) {
  return tx.query<{ messageId: string; country: string; to: string; type: MessageType }>(sql`
    select id as "messageId", country, to_number as to, type from message
    where id = any(${messageIds}::uuid[]) order by id`)
}

interface RequeuedMessage extends QueueGroup {
  messageId: string
  dueAt: Date
}

/** Puts messages back that had left the queue; `claims` continues the ordinals of their submissions. */
export async function requeueMessages(tx: Tx, requeued: RequeuedMessage[]): Promise<void> {
  if (requeued.length === 0) return
  await tx.query(sql`
    insert into delivery_queue (
      message_id, destination, avoid_carrier_id, priority, due_at, workspace_id, client_id, claims)
    select back.*, message.workspace_id, message.client_id,
      (select coalesce(max(ordinal), 0) from submission where submission.message_id = back.message_id)
    from unnest(
        ${requeued.map((it) => it.messageId)}::uuid[], ${requeued.map((it) => it.destination)}::text[],
        ${requeued.map((it) => it.avoidCarrierId ?? NO_CARRIER)}::uuid[], ${requeued.map((it) => it.priority)}::smallint[],
        ${requeued.map((it) => it.dueAt)}::timestamptz[]
      ) as back (message_id, destination, avoid_carrier_id, priority, due_at)
      join message on message.id = back.message_id`)
}

const MAX_COUNTED = 1_000_000

/** The number of messages in the queue, and the due time of the message that is overdue the longest. */
export async function measureDeliveryQueue(
  db: Queries,
  now: Date,
): Promise<{ waiting: number; oldestDueAt: Date | null }> {
  const [row] = await db.query<{ waiting: number }>(sql`
    select count(*) as waiting from (select from delivery_queue limit ${MAX_COUNTED}) as counted`)
  const next = await findNextDueTime(db, await listPlaces(db))
  return { waiting: row?.waiting ?? 0, oldestDueAt: next && next <= now ? next : null }
}

/** Rows counted per priority; a longer queue is estimated from a sample. */
export const MAX_COUNTED_PER_PRIORITY = 5_000

/** The oldest due message is searched among this many messages accepted first, */
const MOST_OLD = 500
/** and among the first messages of this many clients over all places. */
const MOST_CLIENTS = 600

interface PriorityCount {
  priority: number
  /** At most MAX_COUNTED_PER_PRIORITY. */
  counted: number
  oldestDueAt: Date | null
}

/** Counts the messages of each priority that has any. Costs a bounded number of index steps, at any backlog. */
export async function countQueueByPriority(db: Queries, now: Date): Promise<PriorityCount[]> {
  const places = await listPlaces(db)
  if (places.length === 0) return []
  const lane = (priority: number) => placesTable(places.filter((place) => place.priority === priority))
  const counts = [...new Set(places.map((place) => place.priority))].sort().map(
    (priority) => fragment`
      select ${priority}::int as priority, count(*) as counted from (
        select from ${lane(priority)} cross join lateral (
          select from delivery_queue where ${inPlace} limit ${MAX_COUNTED_PER_PRIORITY}
        ) as waiting limit ${MAX_COUNTED_PER_PRIORITY}
      ) as walked`,
  )
  return db.query<PriorityCount>(sql`
    select lane.priority, lane.counted, oldest.at as "oldestDueAt"
    from (${unionAll(counts)}) as lane left join (
      select priority, min(due_at) as at from (
        select priority, due_at from (
          select priority, due_at from delivery_queue order by message_id limit ${MOST_OLD}
        ) as first
        union all
        select place.priority, first.due_at from ${placesTable(places)} cross join lateral (
          with recursive client as (
            (select workspace_id, client_id, due_at from delivery_queue where ${inPlace}
              order by workspace_id, client_id, due_at limit 1)
            union all
            select next.* from client cross join lateral (
              select workspace_id, client_id, due_at from delivery_queue
              where ${inPlace} and (workspace_id, client_id) > (client.workspace_id, client.client_id)
              order by workspace_id, client_id, due_at limit 1
            ) as next
          )
          select due_at from client limit ${Math.ceil(MOST_CLIENTS / places.length)}
        ) as first
      ) as looked
      where due_at <= ${now} group by priority
    ) as oldest on oldest.priority = lane.priority
    order by lane.priority`)
}

/** Enough for an error of a few per cent. */
const SAMPLED_BLOCKS = 200

/** Estimates the messages of each priority from a fixed sample of the queue's blocks. */
export async function measureQueueByPriority(db: Queries): Promise<Map<number, number>> {
  const [size] = await db.query<{ blocks: number }>(sql`
    select pg_relation_size('delivery_queue') / current_setting('block_size')::int as blocks`)
  const percent = Math.min(100, (100 * SAMPLED_BLOCKS) / Math.max(1, size?.blocks ?? 0))
  const rows = await db.query<{ priority: number; sampled: number }>(sql`
    select priority, count(*) as sampled from delivery_queue tablesample system (${percent}) repeatable (1)
    group by priority`)
  return new Map(rows.map(({ priority, sampled }) => [priority, Math.round((sampled * 100) / percent)]))
}

/** Due messages by destination, counted up to `limit` per place. */
export function countDueByDestination(
  db: Queries,
  { places, now, limit }: { places: QueueGroup[]; now: Date; limit: number },
): Promise<{ destination: string; messages: number }[]> {
  return db.query<{ destination: string; messages: number }>(sql`
    select place.destination, count(*) as messages
    from ${placesTable(places)} cross join lateral (
      select from delivery_queue where ${inPlace} and due_at <= ${now} limit ${limit}
    ) as due
    group by place.destination order by place.destination`)
}

/** Locks messages in the queue for a country, with ids above `after`, in id order. */
export function listWaitingMessages(
  tx: Tx,
  { country, after, limit }: { country: string; after: string; limit: number },
) {
  return tx.query<{ messageId: string; destination: string; to: string }>(sql`
    select queued.message_id as "messageId", queued.destination, message.to_number as to
    from delivery_queue queued join message on message.id = queued.message_id
    where queued.message_id > ${after} and message.country = ${country}
    order by queued.message_id limit ${limit}
    for update of queued`)
}

export async function moveToDestinations(tx: Tx, moved: { messageId: string; destination: string }[]): Promise<void> {
  if (moved.length === 0) return
  await tx.query(sql`
    update delivery_queue queued set destination = moved.destination
    from unnest(${moved.map((it) => it.messageId)}::uuid[], ${moved.map((it) => it.destination)}::text[])
      as moved (message_id, destination)
    where queued.message_id = moved.message_id`)
}

/** Counts up to MOST_STRANDED per destination. */
export async function countWaitingByDestination(db: Queries, destinations: string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ destination: string; waiting: number }>(sql`
    select asked.destination, (
      select count(*) from (
        select from delivery_queue where destination = asked.destination limit ${MAX_STRANDED}
      ) as counted
    ) as waiting
    from unnest(${destinations}::text[]) as asked (destination)`)
  return new Map(rows.map((row) => [row.destination, row.waiting]))
}
