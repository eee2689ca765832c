// The queue for delivery: claimed by destination and lane, oldest first, past whatever another process has in hand.
import { MESSAGE_TYPES, type MessageType } from '../domain/message-type.ts'
import { laneOf, type Work } from '../domain/routing.ts'
import type { Queries, Tx } from './db.ts'
import { sql } from './sql.ts'

/** Its claimId is set when its last claim was never settled: whoever made it is gone. */
export interface QueuedMessage extends ClaimName {
  destination: string
  claims: number
}

/**
 * Locks what is due, in the order of the places given, until there is enough. The scan of a place begins at its oldest row
 * and ends with the last one needed, however many wait behind it.
 */
export function lockDue(tx: Tx, { work, limit, now }: { work: Work[]; limit: number; now: Date }) {
  return tx.query<QueuedMessage>(sql`
    select due.message_id as "messageId", due.destination, due.claims, due.claim_id as "claimId"
    from unnest(${work.map((it) => it.destination)}::text[], ${work.map((it) => it.lane)}::smallint[])
        as place (destination, lane)
      cross join lateral (
        select message_id, destination, claims, claim_id from delivery_queue
        where destination = place.destination and lane = place.lane and due_at <= ${now}
        order by due_at limit ${limit}
        for update skip locked
      ) as due
    limit ${limit}`)
}

/** When the next message of these places falls due. */
export async function nextDue(db: Queries, work: Work[]): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`
    select min(first.due_at) as at
    from unnest(${work.map((it) => it.destination)}::text[], ${work.map((it) => it.lane)}::smallint[])
        as place (destination, lane)
      cross join lateral (
        select due_at from delivery_queue
        where destination = place.destination and lane = place.lane order by due_at limit 1
      ) as first`)
  return rows[0]?.at ?? null
}

export interface ClaimName {
  messageId: string
  claimId: string | null
}

export interface Claim extends ClaimName {
  leasedUntil: Date
}

export async function storeClaims(tx: Tx, claims: Claim[]): Promise<void> {
  if (claims.length === 0) return
  await tx.query(sql`
    update delivery_queue queued set claim_id = claim.id, due_at = claim.leased_until, claims = claims + 1
    from unnest(
      ${claims.map((it) => it.messageId)}::uuid[], ${claims.map((it) => it.claimId)}::uuid[],
      ${claims.map((it) => it.leasedUntil)}::timestamptz[]) as claim (message_id, id, leased_until)
    where queued.message_id = claim.message_id`)
}

/** Whose claims these messages are under, once whoever is changing that has done so. */
export function lockClaims(db: Queries, messageIds: string[]) {
  return db.query<ClaimName>(sql`
    select message_id as "messageId", claim_id as "claimId" from delivery_queue
    where message_id = any(${messageIds}::uuid[]) order by message_id for no key update`)
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

/**
 * Back to the queue, unclaimed; the carrier to avoid is part of the destination's name. Returns the messages that still
 * had their place in it.
 */
export async function returnToQueue(tx: Tx, returns: Return[]): Promise<string[]> {
  if (returns.length === 0) return []
  const rows = await tx.query<{ messageId: string }>(sql`
    update delivery_queue queued set claim_id = null, due_at = back.due_at,
      destination = split_part(queued.destination, '~', 1) || coalesce('~' || back.avoid, '')
    from unnest(
      ${returns.map((it) => it.messageId)}::uuid[], ${returns.map((it) => it.dueAt)}::timestamptz[],
      ${returns.map((it) => it.avoidCarrierId)}::text[]) as back (message_id, due_at, avoid)
    where queued.message_id = back.message_id
    returning queued.message_id as "messageId"`)
  return rows.map((row) => row.messageId)
}

/** Those of these messages that wait unclaimed. */
export async function findWaiting(tx: Tx, messageIds: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ messageId: string }>(sql`
    select message_id as "messageId" from delivery_queue
    where message_id = any(${messageIds}::uuid[]) and claim_id is null`)
  return new Set(rows.map((row) => row.messageId))
}

/** What tells a message's place in the queue. */
export function loadHeadings(tx: Tx, messageIds: string[]) {
  return tx.query<{ messageId: string; country: string; to: string; type: MessageType }>(sql`
    select id as "messageId", country, to_number as to, type from message
    where id = any(${messageIds}::uuid[]) order by id`)
}

export interface Rejoining extends Work {
  messageId: string
  dueAt: Date
}

/** A new place for messages that had left the queue; the numbers of their submissions go on from the last one. */
export async function rejoinQueue(tx: Tx, rejoining: Rejoining[]): Promise<void> {
  if (rejoining.length === 0) return
  await tx.query(sql`
    insert into delivery_queue (message_id, destination, lane, due_at, claims)
    select back.*, (select coalesce(max(number), 0) from submission where submission.message_id = back.message_id)
    from unnest(
      ${rejoining.map((it) => it.messageId)}::uuid[], ${rejoining.map((it) => it.destination)}::text[],
      ${rejoining.map((it) => it.lane)}::smallint[], ${rejoining.map((it) => it.dueAt)}::timestamptz[]
    ) as back (message_id, destination, lane, due_at)`)
}

/** Every destination that some message waits under: one step of the index for each, whatever the backlog. */
export async function listDestinations(db: Queries): Promise<string[]> {
  const rows = await db.query<{ destination: string }>(sql`
    with recursive known as (
      (select destination from delivery_queue order by destination limit 1)
      union all
      select next.destination from known cross join lateral (
        select destination from delivery_queue where destination > known.destination order by destination limit 1
      ) as next
    )
    select destination from known`)
  return rows.map((row) => row.destination)
}

const LANES = MESSAGE_TYPES.map(laneOf)
const MOST_COUNTED = 1_000_000

/** How much waits in the queue, and since when the longest of what is due: a step of the index for each place. */
export async function measureQueue(db: Queries, now: Date): Promise<{ waiting: number; oldestDueAt: Date | null }> {
  const [row] = await db.query<{ waiting: number }>(sql`
    select count(*) as waiting from (select from delivery_queue limit ${MOST_COUNTED}) as counted`)
  const destinations = await listDestinations(db)
  const next = await nextDue(
    db,
    destinations.flatMap((destination) => LANES.map((lane) => ({ destination, lane }))),
  )
  return { waiting: row?.waiting ?? 0, oldestDueAt: next && next <= now ? next : null }
}

/** Where of these places messages are due, and how many; it counts no further than `limit` in each. */
export function countDue(
  db: Queries,
  { work, now, limit }: { work: Work[]; now: Date; limit: number },
): Promise<{ destination: string; messages: number }[]> {
  return db.query<{ destination: string; messages: number }>(sql`
    select place.destination, count(*) as messages
    from unnest(${work.map((it) => it.destination)}::text[], ${work.map((it) => it.lane)}::smallint[])
        as place (destination, lane)
      cross join lateral (
        select from delivery_queue
        where destination = place.destination and lane = place.lane and due_at <= ${now} limit ${limit}
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
