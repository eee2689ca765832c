// Messages (§2.1): inserted with their queue rows, found, listed and deleted.
import { priorityOf, type QueueGroup } from '../../domain/carriers/routing.ts'
import { type FailureCode, type MessageStatus, RARE_STATUSES, rareStatus } from '../../domain/message-status.ts'
import type { MessageType } from '../../domain/message-type.ts'
import type { AcceptedMessage } from '../../domain/messages/acceptance.ts'
import { MAX_ACCEPT_MS } from '../../domain/messages/lifetime.ts'
import type { MessageSearch } from '../../domain/messages/message-search.ts'
import type { Encoding } from '../../domain/text-encoding.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { either, every, type Fragment, fragment, prepared, sql, unionAll } from '../database/sql.ts'
import { idBelow, idFrom, MAX_ROWS_SCANNED, type Page, type ScannedPage } from '../pages.ts'
import {
  isQueuedIn,
  isRetryQueued,
  MAX_ROW_MESSAGES,
  QUEUE_COLUMNS,
  type QueueRow,
  queueRowsTable,
} from './delivery-queue.ts'
import { ANY_ID, idRangeOf } from './message-selection.ts'

export interface StoredMessage {
  id: string
  to: string
  sender: string
  /** null for an OTP message. */
  text: string | null
  type: MessageType
  encoding: Encoding
  segments: number
  costE4: number
  status: MessageStatus
  error: FailureCode | ''
  submissions: number
  dlr: { status: string; code: string; raw: string; at: string } | null
  submittedAt: Date | null
  sentAt: Date | null
  deliveredAt: Date | null
  failedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** §3.1: `queued` while it waits in the queue. A message that is claimed or has an unknown outcome (D15) is `submitting`. */
export function shownStatus(range = ANY_ID): Fragment {
  return fragment`
  case when status = 'queued' and (
    id in (select unnest(message_ids) from claim)
    or exists (
      select from submission where message_id = message.id and ${range(fragment`message_id`)} and outcome = 'unknown')
  ) and not ${isRetryQueued(fragment`message.id`)} then 'submitting' else status end`
}

const columns = (range = ANY_ID) => fragment`
  id, to_number as to, sender, text, type, encoding, segments, cost_e4 as "costE4", ${shownStatus(range)} as status, error, submissions, dlr,
  submitted_at as "submittedAt", sent_at as "sentAt", delivered_at as "deliveredAt", failed_at as "failedAt",
  created_at as "createdAt", updated_at as "updatedAt"`

/** §2.1 rule 3: only the client that sent a message can find it. */
export async function findMessage(
  db: Queries,
  { id, clientId }: { id: string; clientId: string },
): Promise<StoredMessage | null> {
  const statement = sql`select ${columns(idRangeOf([id]))} from message where id = ${id} and client_id = ${clientId}`
  const rows = await db.query<StoredMessage>(prepared(statement))
  return rows[0] ?? null
}

export interface ListedMessage extends StoredMessage {
  workspaceId: string
  clientId: string
  /** The message that this one was resent as, and the message that this one is a resend of (D59). */
  resentAs: string | null
  resentFrom: string | null
}

const listed = (range = ANY_ID) => fragment`
  workspace_id as "workspaceId", client_id as "clientId", ${columns(range)},
  (select resent_as from resent_message where message_id = message.id) as "resentAs",
  (select message_id from resent_message where resent_as = message.id) as "resentFrom"`

/** `within` is the only workspace that the caller may see, or null for any. */
export async function findListedMessage(
  db: Queries,
  { id, within }: { id: string; within: string | null },
): Promise<ListedMessage | null> {
  const rows = await db.query<ListedMessage>(sql`
    select ${listed(idRangeOf([id]))} from message where id = ${id} and (${within}::uuid is null or workspace_id = ${within})`)
  return rows[0] ?? null
}

/** In no particular order. */
export function listMessagesById(db: Queries, ids: string[]): Promise<ListedMessage[]> {
  const statement = sql`select ${listed(idRangeOf(ids))} from message where id = any(${ids}::uuid[])`
  return db.query<ListedMessage>(prepared(statement))
}

export interface MessageFilter extends Page {
  /** null: of all workspaces. */
  workspaceId: string | null
  clientId: string | null
  /** Empty: any status. */
  statuses: readonly MessageStatus[]
  type: MessageType | null
  country: string | null
  /** The carrier of the last submission, or while the message is in the queue, a carrier that it waits for, with the places of those messages. */
  carrier: { id: string; places: readonly QueueGroup[] } | null
  to: string | null
  since: Date | null
  until: Date | null
  search: MessageSearch | null
}

/**
 * Newest first. An index drives the scan: by number, by each rare status, by workspace, or by id. Ids are in time order, so dates narrow
 * the scan too. Other filters are checked row by row up to the page's scan limit, because indexes for them would slow down every insert.
 */
export async function listMessages(db: Queries, filter: MessageFilter): Promise<ScannedPage<ListedMessage>> {
  const { workspaceId, clientId, statuses, type, country, carrier, since, until, search, before, limit } = filter
  const numbers = [filter.to, search?.by === 'number' ? search.e164 : null].filter((it) => it !== null)
  const to = numbers[0] ?? null
  const isRare = statuses.length > 0 && statuses.every((status) => RARE_STATUSES.includes(status))
  const ofWorkspace = workspaceId === null ? null : fragment`workspace_id = ${workspaceId}`
  const drivers =
    to !== null
      ? [fragment`to_number = ${to}`]
      : isRare
        ? statuses.map((status) => every([ofWorkspace, fragment`rare_status = ${status}`]))
        : [every([ofWorkspace])]
  const others = [
    to === null ? null : ofWorkspace,
    numbers.length < 2 ? null : fragment`to_number = ${numbers[1]}`,
    search?.by === 'parts' ? matchParts(search) : null,
    clientId === null ? null : fragment`client_id = ${clientId}`,
    type === null ? null : fragment`type = ${type}`,
    country === null ? null : fragment`country = ${country}`,
    carrier === null ? null : matchCarrier(carrier),
    statuses.length === 0 || (isRare && to === null) ? null : fragment`${shownStatus()} = any(${statuses})`,
  ]
  const range = every([
    since === null ? null : fragment`id >= ${lowestIdOf(addMs(since, -MAX_ACCEPT_MS))} and created_at >= ${since}`,
    until === null ? null : fragment`id < ${lowestIdOf(addMs(until, MAX_ACCEPT_MS))} and created_at < ${until}`,
    idBelow(before),
    search?.by === 'ids' ? fragment`id >= ${search.from} and id <= ${search.to}` : null,
  ])
  const scannedTo = others.some((it) => it !== null) ? await findScanEndOf(db, { drivers, range }) : null
  const within = every([range, ...others, idFrom(scannedTo)])
  const rows = await db.query<ListedMessage>(sql`
    select * from (${unionAll(
      drivers.map(
        (it) => fragment`select ${listed()} from message where ${it} and ${within} order by id desc limit ${limit}`,
      ),
    )}) as found order by id desc limit ${limit}`)
  return { rows, scannedTo }
}

/** The carrier of the last submission of a message. */
export const lastCarrierId = fragment`
  (select carrier_id from submission where message_id = message.id order by ordinal desc, segment desc limit 1)`

function matchCarrier({ id, places }: { id: string; places: readonly QueueGroup[] }): Fragment {
  return either([
    fragment`status <> 'queued' and ${lastCarrierId} = ${id}`,
    fragment`status = 'queued' and ${lastCarrierId} = ${id} and not ${isRetryQueued(fragment`message.id`)}`,
    fragment`status = 'queued' and id in (select unnest(message_ids) from claim where carrier_id = ${id})`,
    places.length === 0 ? null : fragment`status = 'queued' and ${isQueuedIn(places)}`,
  ])
}

/** Ignores case for ASCII letters only: for all letters the scan takes several times as long. */
function matchParts({ digits, idEnd, words }: MessageSearch & { by: 'parts' }): Fragment {
  return either([
    digits === null ? null : fragment`to_number like ${`%${digits}`}`,
    idEnd === null ? null : fragment`replace(id::text, '-', '') like ${`%${idEnd}`}`,
    words.length === 0
      ? null
      : every(words.map((word) => fragment`text collate "C" ilike ${`%${word.replaceAll(/[\\%_]/g, '\\$&')}%`}`)),
  ])
}

function addMs(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}

/** Id of the last message that a page may scan; null if fewer messages are left. */
async function findScanEndOf(
  db: Queries,
  { drivers, range }: { drivers: Fragment[]; range: Fragment },
): Promise<string | null> {
  const perDriver = Math.floor(MAX_ROWS_SCANNED / drivers.length)
  const [end] = await db.query<{ id: string }>(sql`
    select id from (${unionAll(
      drivers.map(
        (it) =>
          fragment`select id from message where ${it} and ${range} order by id desc offset ${perDriver - 1} limit 1`,
      ),
    )}) as ends order by id desc limit 1`)
  return end?.id ?? null
}

/** Deletes up to `limit` messages of test clients, oldest first. Returns the number deleted. */
export async function deleteTestMessages(
  db: Queries,
  { idsBelow, limit }: { idsBelow: string; limit: number },
): Promise<number> {
  const rows = await db.query(sql`
    delete from message where id = any(array(
      select id from message where rare_status = 'test' and id < ${idsBelow} order by id limit ${limit}
      for update skip locked)) and id < ${idsBelow} returning 1`)
  return rows.length
}

interface Counters {
  sent: number
  delivered: number
  failed: number
}

/** D17 */
export async function readCounters(db: Queries, clientId: string): Promise<Counters> {
  const rows = await db.query<Counters>(
    sql`
      select coalesce(sum(sent), 0)::bigint as sent, coalesce(sum(delivered), 0)::bigint as delivered,
        coalesce(sum(failed), 0)::bigint as failed
      from client_counter where client_id = ${clientId}`,
  )
  return rows[0] ?? { sent: 0, delivered: 0, failed: 0 }
}

interface NewMessages {
  messages: AcceptedMessage[]
  /** The ledger entry that pays for each message; null for a free message. */
  reservationIds: (string | null)[]
  now: Date
}

/** Inserts messages, and a queue row for each message with a destination. */
export async function insertMessages(tx: Tx, { messages, reservationIds, now }: NewMessages): Promise<void> {
  if (messages.length === 0) return
  const rows = queueRowsOf(messages, now)
  // `unnest` in the select list streams the rows; in `from`, PostgreSQL would first materialize all of them.
  const statement = sql`
    with queued as (
      insert into delivery_queue (${QUEUE_COLUMNS}) ${queueRowsTable(rows)}
    )
    insert into message (
      id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, reservation_id,
      status, rare_status, template_id, created_at, updated_at)
    select
      unnest(${messages.map((it) => it.request.messageId)}::uuid[]),
      unnest(${messages.map((it) => it.request.client.workspaceId)}::uuid[]),
      unnest(${messages.map((it) => it.request.client.id)}::uuid[]), unnest(${messages.map((it) => it.to)}::text[]),
      unnest(${messages.map((it) => it.country)}::text[]), unnest(${messages.map((it) => it.sender)}::text[]),
      unnest(${messages.map((it) => it.text)}::text[]), unnest(${messages.map((it) => it.type)}::text[]),
      unnest(${messages.map((it) => it.encoding)}::text[]), unnest(${messages.map((it) => it.segments)}::smallint[]),
      unnest(${messages.map((it) => it.costE4)}::bigint[]), unnest(${reservationIds}::uuid[]),
      unnest(${messages.map((it) => it.status)}::text[]), unnest(${messages.map((it) => rareStatus(it.status))}::text[]),
      unnest(${messages.map((it) => it.templateId)}::uuid[]),
      ${now}::timestamptz, ${now}::timestamptz`
  await tx.query(prepared(statement))
}

/** One row for the messages of a client with one destination and priority. A message without a destination is not sent. */
function queueRowsOf(messages: readonly AcceptedMessage[], now: Date): QueueRow[] {
  const rows = new Map<string, QueueRow & { messageIds: string[] }>()
  const full: QueueRow[] = []
  for (const { destination, type, request } of messages) {
    if (destination === null) continue
    const { id: clientId, workspaceId } = request.client
    const key = `${clientId} ${type} ${destination}`
    const row = rows.getOrInsertComputed(key, () => {
      const group = { destination, avoidCarrierId: null, priority: priorityOf(type) }
      return { ...group, workspaceId, clientId, dueAt: now, attempts: 0, messageIds: [] }
    })
    row.messageIds.push(request.messageId)
    if (row.messageIds.length < MAX_ROW_MESSAGES) continue
    full.push(row)
    rows.delete(key)
  }
  return [...full, ...rows.values()]
}

/** Decides whether a transaction committed whose answer to COMMIT was lost. */
export async function findStoredIds(db: Queries, messageIds: string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`select id from message where id = any(${messageIds}::uuid[])`)
  return new Set(rows.map((row) => row.id))
}
