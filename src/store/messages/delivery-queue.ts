// The delivery queue: in each place (destination, avoided carrier, priority) workspaces and then their clients take turns (D43).
import type { QueueGroup } from '../../domain/carriers/routing.ts'
import type { MessageType } from '../../domain/message-type.ts'
import { NIL_UUID } from '../../domain/uuid.ts'
import type { Queries, Tx } from '../database/db.ts'
import { type Fragment, fragment, prepared, sql } from '../database/sql.ts'
import { idRangeOf } from './message-selection.ts'

/** Stored as the avoided carrier of a message that avoids none: an index column that is never null is simpler to compare. */
export const NO_CARRIER = NIL_UUID

/** Places as a table expression. */
export function placesTable(places: readonly QueueGroup[]): Fragment {
  return fragment`unnest(
    ${places.map((it) => it.destination)}::text[], ${places.map((it) => it.avoidCarrierId ?? NO_CARRIER)}::uuid[],
    ${places.map((it) => it.priority)}::smallint[]) with ordinality as place (destination, avoid_carrier_id, priority, nth)`
}

/** Matches queue rows of the place in the current row of `placesTable`. */
export const inPlace = fragment`
  destination = place.destination and avoid_carrier_id = place.avoid_carrier_id and priority = place.priority`

/** The recursive table `place` of all places with a message. Costs one index step per place, at any backlog. */
const allPlaces = fragment`
  (select destination, avoid_carrier_id, priority from delivery_queue
    order by destination, avoid_carrier_id, priority limit 1)
  union all
  select next.* from place cross join lateral (
    select destination, avoid_carrier_id, priority from delivery_queue
    where (destination, avoid_carrier_id, priority) > (place.destination, place.avoid_carrier_id, place.priority)
    order by destination, avoid_carrier_id, priority limit 1
  ) as next`

export function listPlaces(db: Queries): Promise<QueueGroup[]> {
  // Not prepared: a plan made while the queue was empty would scan it later.
  return db.query<QueueGroup>(sql`
    with recursive place as (${allPlaces})
    select destination, nullif(avoid_carrier_id, ${NO_CARRIER}) as "avoidCarrierId", priority from place`)
}

/** The recursive table `client`: the row of each client in the place that falls due first. Costs one index step per client. */
export function firstOfClients(columns: Fragment): Fragment {
  return fragment`
    (select workspace_id, client_id, ${columns} from delivery_queue where ${inPlace} order by workspace_id, client_id, due_at limit 1)
    union all
    select next.* from client cross join lateral (
      select workspace_id, client_id, ${columns} from delivery_queue
      where ${inPlace} and (workspace_id, client_id) > (client.workspace_id, client.client_id)
      order by workspace_id, client_id, due_at limit 1
    ) as next`
}

/** When the next message in these places falls due. Costs a few index steps per client. */
export async function findNextDueTime(db: Queries, places: readonly QueueGroup[]): Promise<Date | null> {
  if (places.length === 0) return null
  const statement = sql`
    select min(first.at) as at
    from ${placesTable(places)} cross join lateral (
      with recursive client as (${firstOfClients(fragment`due_at`)})
      select min(due_at) as at from client
    ) as first`
  const rows = await db.query<{ at: Date | null }>(prepared(statement))
  return rows[0]?.at ?? null
}

/** Messages that wait together: accepted by one batch, or one message that is retried. */
export interface QueueRow extends QueueGroup {
  workspaceId: string
  clientId: string
  dueAt: Date
  /** Earlier submissions. If there are any, the row has one message. */
  attempts: number
  messageIds: readonly string[]
}

/** A claim takes some messages of a row and writes the others anew, so a row is no larger than a usual claim. */
export const MAX_ROW_MESSAGES = 100

export async function insertQueueRows(tx: Tx, rows: readonly QueueRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(prepared(sql`insert into delivery_queue (${QUEUE_COLUMNS}) ${queueRowsTable(rows)}`))
}

export const QUEUE_COLUMNS = fragment`
  priority, first_message_id, message_ids, destination, avoid_carrier_id, workspace_id, client_id, due_at, attempts`

/** PostgreSQL has no arrays of arrays with different lengths, so the ids of each row are written as text. */
export function queueRowsTable(rows: readonly QueueRow[]): Fragment {
  return fragment`
    select unnest(${rows.map((it) => it.priority)}::smallint[]), unnest(${rows.map((it) => it.messageIds[0])}::uuid[]),
      unnest(${rows.map((it) => `{${it.messageIds.join(',')}}`)}::text[])::uuid[], unnest(${rows.map((it) => it.destination)}::text[]),
      unnest(${rows.map((it) => it.avoidCarrierId ?? NO_CARRIER)}::uuid[]), unnest(${rows.map((it) => it.workspaceId)}::uuid[]),
      unnest(${rows.map((it) => it.clientId)}::uuid[]), unnest(${rows.map((it) => it.dueAt)}::timestamptz[]),
      unnest(${rows.map((it) => it.attempts)}::int[])`
}

/** Names a row of the queue. */
export interface RowKey {
  priority: number
  firstMessageId: string
}

export interface LockedMessage extends RowKey {
  messageId: string
}

/** Rounds are few: each one waits for the transaction that moved the messages. */
const MAX_LOCK_ROUNDS = 10

/**
 * Locks the rows with these messages and returns the messages found. A message that is in no row is claimed or has left the queue,
 * and a locked row cannot be claimed. A claim that takes some messages of a row writes the others into a new row, so a message that
 * is not found is looked for again.
 */
export async function lockQueued(tx: Tx, messageIds: readonly string[]): Promise<LockedMessage[]> {
  const locked: LockedMessage[] = []
  let missing = messageIds
  for (let round = 0; round < MAX_LOCK_ROUNDS && missing.length > 0; round += 1) {
    locked.push(...(await findQueued(tx, missing, fragment`for update of queued`)))
    const isLocked = new Set(locked.map((it) => it.messageId))
    const queued = await findQueued(tx, missing, fragment``)
    missing = queued.map((it) => it.messageId).filter((id) => !isLocked.has(id))
  }
  return locked
}

/**
 * The keys of the rows that may hold these messages: a row of their own, or the row of their accept batch, which is due at the time of their
 * acceptance. Costs a few index steps per message.
 */
function rowsHolding(messageIds: readonly string[]): Fragment {
  return fragment`
    with recursive place as (${allPlaces}), wanted as materialized (
      select id, workspace_id, client_id, created_at from message where id = any(${messageIds}::uuid[])
    )
    select own.priority, own.first_message_id from wanted join delivery_queue own
      on own.priority in (0, 1, 2) and own.first_message_id = wanted.id
    union
    select shared.priority, shared.first_message_id
    from (select distinct workspace_id, client_id, created_at from wanted) as batch cross join place join delivery_queue shared
      on shared.destination = place.destination and shared.avoid_carrier_id = place.avoid_carrier_id
        and shared.priority = place.priority and shared.workspace_id = batch.workspace_id
        and shared.client_id = batch.client_id and shared.due_at = batch.created_at`
}

async function findQueued(db: Queries, messageIds: readonly string[], lock: Fragment): Promise<LockedMessage[]> {
  const requested = new Set(messageIds)
  const rows = await db.query<RowKey & { messageIds: string[] }>(sql`
    select queued.priority, queued.first_message_id as "firstMessageId", queued.message_ids as "messageIds"
    from (${rowsHolding(messageIds)}) as holding join delivery_queue queued
      on queued.priority = holding.priority and queued.first_message_id = holding.first_message_id
    order by queued.priority, queued.first_message_id
    ${lock}`)
  return rows.flatMap(({ messageIds: ids, ...key }) =>
    ids.filter((id) => requested.has(id)).map((messageId) => ({ ...key, messageId })),
  )
}

/** Waits until no transaction holds locks on these rows. */
export async function waitForRows(db: Queries, rows: readonly RowKey[]): Promise<void> {
  await db.query(sql`
    select from delivery_queue join unnest(
      ${rows.map((it) => it.priority)}::smallint[], ${rows.map((it) => it.firstMessageId)}::uuid[]) as held (priority, id)
      on delivery_queue.priority = held.priority and first_message_id = held.id
    order by delivery_queue.priority, first_message_id for update of delivery_queue`)
}

/** Removes messages from rows that are locked; the other messages of these rows stay. */
export async function removeFromQueue(tx: Tx, locked: readonly LockedMessage[]): Promise<void> {
  if (locked.length === 0) return
  const keys = [...new Map(locked.map((it) => [it.firstMessageId, it])).values()]
  const statement = sql`
    with changed as (
      delete from delivery_queue where ctid = any(array(
        -- Offset 0 forces an index lookup per row: a plan made while the table was empty would scan the table.
        select found.ctid from unnest(
            ${keys.map((it) => it.priority)}::smallint[], ${keys.map((it) => it.firstMessageId)}::uuid[]) as locked (priority, id)
          cross join lateral (
            select ctid from delivery_queue where priority = locked.priority and first_message_id = locked.id offset 0
          ) as found))
      returning delivery_queue.*
    )
    insert into delivery_queue (${QUEUE_COLUMNS})
    select priority, rest.ids[1], rest.ids, destination, avoid_carrier_id, workspace_id, client_id, due_at, attempts
    from changed cross join lateral (
      select array_agg(id order by position) as ids from unnest(message_ids) with ordinality as waiting (id, position)
      where id <> all(${locked.map((it) => it.messageId)}::uuid[])
    ) as rest
    where rest.ids is not null`
  await tx.query(prepared(statement))
}

/** Removes messages that wait for another submission. */
export async function removeRetries(tx: Tx, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query(sql`
    delete from delivery_queue where priority in (0, 1, 2) and first_message_id = any(${messageIds}::uuid[]) and attempts > 0`)
}

/** Whether a message that was submitted before waits for another submission. */
export function isRetryQueued(messageId: Fragment): Fragment {
  return fragment`exists (
    select from delivery_queue where priority in (0, 1, 2) and first_message_id = ${messageId} and attempts > 0)`
}

/** Whether the message of the current row of `message` waits in one of these places, in a row of its own or in that of its accept batch. */
export function isQueuedIn(places: readonly QueueGroup[]): Fragment {
  const mayHold = fragment`
    left(place.destination, 2) = message.country and starts_with(message.to_number, substr(place.destination, 3))`
  return fragment`exists (
    select from ${placesTable(places)} cross join lateral (
      select from delivery_queue
      where priority = place.priority and first_message_id = message.id
        and destination = place.destination and avoid_carrier_id = place.avoid_carrier_id
      union all
      select from delivery_queue
      where ${inPlace} and workspace_id = message.workspace_id and client_id = message.client_id
        and due_at = message.created_at and message.id = any(message_ids)
    ) as holding where ${mayHold})`
}

/** The fields that decide the place of a message in the queue, and the number of its submissions. */
export function loadRequeueFields(tx: Tx, messageIds: string[]) {
  const range = idRangeOf(messageIds)
  return tx.query<RequeueFields>(sql`
    select id as "messageId", country, to_number as to, type, workspace_id as "workspaceId", client_id as "clientId",
      (select coalesce(max(ordinal), 0) from submission where message_id = message.id and ${range(fragment`message_id`)}) as attempts
    from message where id = any(${messageIds}::uuid[]) order by id`)
}

export interface RequeueFields {
  messageId: string
  country: string
  to: string
  type: MessageType
  workspaceId: string
  clientId: string
  attempts: number
}

/** The place and due time of a message in the queue. */
export async function findQueuePlace(
  db: Queries,
  messageId: string,
): Promise<{ destination: string; avoidCarrierId: string | null; dueAt: Date } | null> {
  const rows = await db.query<{ destination: string; avoidCarrierId: string | null; dueAt: Date }>(sql`
    select destination, nullif(avoid_carrier_id, ${NO_CARRIER}) as "avoidCarrierId", due_at as "dueAt"
    from (${rowsHolding([messageId])}) as holding join delivery_queue queued
      on queued.priority = holding.priority and queued.first_message_id = holding.first_message_id
    where ${messageId} = any(queued.message_ids) limit 1`)
  return rows[0] ?? null
}

/** Locks the next messages for a country, in the order of their rows. All messages of a row have one destination and one country. */
export function lockQueuedOfCountry(
  tx: Tx,
  { country, after, limit }: { country: string; after: RowKey | null; limit: number },
): Promise<(LockedMessage & Omit<QueueRow, 'messageIds'> & { to: string })[]> {
  return tx.query(sql`
    with locked as materialized (
      select queued.* from delivery_queue queued join message on message.id = queued.first_message_id
      where (queued.priority, queued.first_message_id) > (${after?.priority ?? -1}::smallint, ${after?.firstMessageId ?? NIL_UUID}::uuid)
        and message.country = ${country}
      order by queued.priority, queued.first_message_id limit ${limit}
      for update of queued
    )
    select locked.priority, locked.first_message_id as "firstMessageId", waiting.id as "messageId", destination,
      nullif(avoid_carrier_id, ${NO_CARRIER}) as "avoidCarrierId", locked.workspace_id as "workspaceId",
      locked.client_id as "clientId", due_at as "dueAt", attempts, message.to_number as to
    from locked cross join lateral unnest(message_ids) with ordinality as waiting (id, position)
      join message on message.id = waiting.id
    order by locked.priority, locked.first_message_id, waiting.position`)
}
