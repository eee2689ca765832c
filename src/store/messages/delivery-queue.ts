// The queue for delivery: places, and in each of them workspaces that take turns, then their clients (D43), the oldest first.
import type { QueueGroup } from '../../domain/carriers/routing.ts'
import type { MessageType } from '../../domain/message-type.ts'
import { MAX_STRANDED } from '../../domain/messages/intake.ts'
import type { Queries, Tx } from '../database/db.ts'
import { type Fragment, part, prepared, sql, unionAll } from '../database/sql.ts'

/** Avoided by those that avoid no carrier: what is part of an index is compared most simply when it is never null. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Places as a table that a statement can walk. */
export function placesTable(places: readonly QueueGroup[]): Fragment {
  return part`unnest(
    ${places.map((it) => it.destination)}::text[], ${places.map((it) => it.avoidCarrierId ?? NOBODY)}::uuid[],
    ${places.map((it) => it.priority)}::smallint[]) with ordinality as place (destination, avoid_carrier_id, priority, nth)`
}

/** Rows of the queue in the place at hand. */
export const inPlace = part`
  destination = place.destination and avoid_carrier_id = place.avoid_carrier_id and priority = place.priority`

/** Every place where some message waits: one step of the index for each, whatever the backlog. */
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
    select destination, nullif(avoid_carrier_id, ${NOBODY}) as "avoidCarrierId", priority from known`)
}

/** What is claimed stands before what waits; a window holds no more than so many. */
const MOST_IN_HAND = 1_000

/** When the next message of these places falls due, or a claim on one lapses: a few steps for each client that waits there. */
export async function nextDue(db: Queries, places: readonly QueueGroup[]): Promise<Date | null> {
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
        order by due_at limit ${MOST_IN_HAND}
      ) as own
    ) as first`
  const rows = await db.query<{ at: Date | null }>(prepared(statement))
  return rows[0]?.at ?? null
}

export interface ClaimName {
  messageId: string
  claimId: string | null
}

export interface Claims {
  messageIds: string[]
  claimId: string
  leasedUntil: Date
}

export async function storeClaims(tx: Tx, { messageIds, claimId, leasedUntil }: Claims): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query(sql`
    update delivery_queue set claim_id = ${claimId}, leased_until = ${leasedUntil}, claims = claims + 1
    where message_id = any(${messageIds}::uuid[])`)
}

/** Whose claims these messages are under, once whoever is changing that has done so. */
export function lockClaims(db: Queries, messageIds: string[]) {
  return db.query<ClaimName & { leasedUntil: Date | null }>(sql`
    select message_id as "messageId", claim_id as "claimId", leased_until as "leasedUntil" from delivery_queue
    where message_id = any(${messageIds}::uuid[]) order by message_id for no key update`)
}

/** The same of those that nobody has in hand, without waiting: which of these messages are in the queue, and which are locked now. */
export async function tryClaims(tx: Tx, messageIds: string[]) {
  const [locked, queued] = await Promise.all([
    tx.query<ClaimName & { leasedUntil: Date | null }>(sql`
      select message_id as "messageId", claim_id as "claimId", leased_until as "leasedUntil" from delivery_queue
      where message_id = any(${messageIds}::uuid[]) order by message_id for no key update skip locked`),
    tx.query<{ messageId: string }>(sql`
      select message_id as "messageId" from delivery_queue where message_id = any(${messageIds}::uuid[])`),
  ])
  return { locked, queued: new Set(queued.map((row) => row.messageId)) }
}

export async function leaveQueue(tx: Tx, messageIds: string[]): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query(sql`delete from delivery_queue where message_id = any(${messageIds}::uuid[])`)
}

export interface Return {
  messageId: string
  dueAt: Date
  /** null: without an opinion on which carrier shall have it next. */
  avoidCarrierId: string | null
}

/** Back to the queue, unclaimed. Returns the messages that still had their place in it. */
export async function returnToQueue(tx: Tx, returns: Return[]): Promise<string[]> {
  if (returns.length === 0) return []
  const rows = await tx.query<{ messageId: string }>(sql`
    update delivery_queue queued set claim_id = null, leased_until = null, due_at = back.due_at,
      avoid_carrier_id = back.avoid_carrier_id
    from unnest(
      ${returns.map((it) => it.messageId)}::uuid[], ${returns.map((it) => it.dueAt)}::timestamptz[],
      ${returns.map((it) => it.avoidCarrierId ?? NOBODY)}::uuid[]) as back (message_id, due_at, avoid_carrier_id)
    where queued.message_id = back.message_id
    returning queued.message_id as "messageId"`)
  return rows.map((row) => row.messageId)
}

/** Where a message waits unclaimed, and since or until when. */
export async function findPlace(
  db: Queries,
  messageId: string,
): Promise<{ destination: string; avoidCarrierId: string | null; dueAt: Date } | null> {
  const rows = await db.query<{ destination: string; avoidCarrierId: string | null; dueAt: Date }>(sql`
    select destination, nullif(avoid_carrier_id, ${NOBODY}) as "avoidCarrierId", due_at as "dueAt"
    from delivery_queue where message_id = ${messageId} and claim_id is null`)
  return rows[0] ?? null
}

/** What tells a message's place in the queue. */
export function loadHeadings(tx: Tx, messageIds: string[]) {
  return tx.query<{ messageId: string; country: string; to: string; type: MessageType }>(sql`
    select id as "messageId", country, to_number as to, type from message
    where id = any(${messageIds}::uuid[]) order by id`)
}

interface Rejoining extends QueueGroup {
  messageId: string
  dueAt: Date
}

/** A new place for messages that had left the queue; the numbers of their submissions go on from the last one. */
export async function rejoinQueue(tx: Tx, rejoining: Rejoining[]): Promise<void> {
  if (rejoining.length === 0) return
  await tx.query(sql`
    insert into delivery_queue (
      message_id, destination, avoid_carrier_id, priority, due_at, workspace_id, client_id, claims)
    select back.*, message.workspace_id, message.client_id,
      (select coalesce(max(ordinal), 0) from submission where submission.message_id = back.message_id)
    from unnest(
        ${rejoining.map((it) => it.messageId)}::uuid[], ${rejoining.map((it) => it.destination)}::text[],
        ${rejoining.map((it) => it.avoidCarrierId ?? NOBODY)}::uuid[], ${rejoining.map((it) => it.priority)}::smallint[],
        ${rejoining.map((it) => it.dueAt)}::timestamptz[]
      ) as back (message_id, destination, avoid_carrier_id, priority, due_at)
      join message on message.id = back.message_id`)
}

const MOST_COUNTED = 1_000_000

/** How much waits in the queue, and since when the longest of what is due. */
export async function measureDeliveryQueue(
  db: Queries,
  now: Date,
): Promise<{ waiting: number; oldestDueAt: Date | null }> {
  const [row] = await db.query<{ waiting: number }>(sql`
    select count(*) as waiting from (select from delivery_queue limit ${MOST_COUNTED}) as counted`)
  const next = await nextDue(db, await listPlaces(db))
  return { waiting: row?.waiting ?? 0, oldestDueAt: next && next <= now ? next : null }
}

/** A lane is walked no further than this; beyond it, its depth is told by a sample. */
export const MOST_WALKED = 5_000

/** The oldest is looked for among so many that were accepted first, and with so many clients, over all places. */
const MOST_OLD = 500

const MOST_CLIENTS = 600

interface CountedLane {
  priority: number
  /** No further than MOST_WALKED. */
  counted: number
  /** Of what is due and was looked at, when the first fell due. */
  oldestDueAt: Date | null
}

/** How much waits in each lane that is not empty, and since when: a few steps of the index, whatever the backlog. */
export async function countLanes(db: Queries, now: Date): Promise<CountedLane[]> {
  const places = await listPlaces(db)
  if (places.length === 0) return []
  const lane = (priority: number) => placesTable(places.filter((place) => place.priority === priority))
  const counts = [...new Set(places.map((place) => place.priority))].sort().map(
    (priority) => part`
      select ${priority}::int as priority, count(*) as counted from (
        select from ${lane(priority)} cross join lateral (
          select from delivery_queue where ${inPlace} limit ${MOST_WALKED}
        ) as waiting limit ${MOST_WALKED}
      ) as walked`,
  )
  return db.query<CountedLane>(sql`
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

/** So many blocks tell what a large queue holds, to a few per cent. */
const SAMPLED_BLOCKS = 200

/** About how many rows the queue has in each lane, from some of its blocks: the same ones each time. */
export async function measureLanes(db: Queries): Promise<Map<number, number>> {
  const [size] = await db.query<{ blocks: number }>(sql`
    select pg_relation_size('delivery_queue') / current_setting('block_size')::int as blocks`)
  const percent = Math.min(100, (100 * SAMPLED_BLOCKS) / Math.max(1, size?.blocks ?? 0))
  const rows = await db.query<{ priority: number; sampled: number }>(sql`
    select priority, count(*) as sampled from delivery_queue tablesample system (${percent}) repeatable (1)
    group by priority`)
  return new Map(rows.map(({ priority, sampled }) => [priority, Math.round((sampled * 100) / percent)]))
}

/** Where of these places messages are due, and how many; it counts no further than `limit` in each. */
export function countDue(
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

/** Messages that wait in a country, from behind `after`, in the order of their ids. */
export function listWaiting(tx: Tx, { country, after, limit }: { country: string; after: string; limit: number }) {
  return tx.query<{ messageId: string; destination: string; to: string }>(sql`
    select queued.message_id as "messageId", queued.destination, message.to_number as to
    from delivery_queue queued join message on message.id = queued.message_id
    where queued.message_id > ${after} and message.country = ${country}
    order by queued.message_id limit ${limit}
    for update of queued`)
}

export async function renameDestinations(tx: Tx, moved: { messageId: string; destination: string }[]): Promise<void> {
  if (moved.length === 0) return
  await tx.query(sql`
    update delivery_queue queued set destination = moved.destination
    from unnest(${moved.map((it) => it.messageId)}::uuid[], ${moved.map((it) => it.destination)}::text[])
      as moved (message_id, destination)
    where queued.message_id = moved.message_id`)
}

/** No further than the bound for each. */
export async function countWaiting(db: Queries, destinations: string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ destination: string; waiting: number }>(sql`
    select asked.destination, (
      select count(*) from (
        select from delivery_queue where destination = asked.destination limit ${MAX_STRANDED}
      ) as counted
    ) as waiting
    from unnest(${destinations}::text[]) as asked (destination)`)
  return new Map(rows.map((row) => [row.destination, row.waiting]))
}
