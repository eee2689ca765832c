// Messages (§2.1): inserted with their queue entries, found, listed and swept.

import { priorityOf } from '../../domain/carriers/routing.ts'
import { type FailureCode, type MessageStatus, RARE_STATUSES, rareStatus } from '../../domain/message-status.ts'
import type { MessageType } from '../../domain/message-type.ts'
import type { AcceptedMessage } from '../../domain/messages/acceptance.ts'
import { LONGEST_ACCEPT_MS } from '../../domain/messages/lifetime.ts'
import type { MessageSearch } from '../../domain/messages/message-search.ts'
import type { Encoding } from '../../domain/text-encoding.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { either, every, type Fragment, part, prepared, sql, unionAll } from '../database/sql.ts'
import { MOST_LOOKED_AT, type Page, type Walked } from '../workspaces/workspaces.ts'

export interface StoredMessage {
  id: string
  to: string
  sender: string
  /** null for a message with a one-time code. */
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

/** §3.1: queued is what waits in the queue; what somebody has a claim on, or may have been taken (D15), is being submitted. */
export const shownStatus = part`
  case when status = 'queued' and not exists (
    select from delivery_queue where message_id = message.id and claim_id is null
  ) then 'submitting' else status end`

/** §2.1 rule 3: a message is found only by the client that sent it. */
export async function findMessage(
  db: Queries,
  { id, clientId }: { id: string; clientId: string },
): Promise<StoredMessage | null> {
  const statement = sql`
    select id, to_number as to, sender, text, type, encoding, segments, cost_e4 as "costE4",
      ${shownStatus} as status, error, submissions, dlr, submitted_at as "submittedAt", sent_at as "sentAt", delivered_at as "deliveredAt", failed_at as "failedAt",
      created_at as "createdAt", updated_at as "updatedAt"
    from message where id = ${id} and client_id = ${clientId}`
  const rows = await db.query<StoredMessage>(prepared(statement))
  return rows[0] ?? null
}

/** A message as its owner lists it. */
export interface ListedMessage extends StoredMessage {
  workspaceId: string
  clientId: string
}

const listed = part`
  id, workspace_id as "workspaceId", client_id as "clientId", to_number as to, sender, text, type, encoding, segments,
  cost_e4 as "costE4", ${shownStatus} as status, error, submissions, dlr, submitted_at as "submittedAt", sent_at as "sentAt",
  delivered_at as "deliveredAt", failed_at as "failedAt", created_at as "createdAt", updated_at as "updatedAt"`

/** `within` is the only workspace the asker may see, or null for any. */
export async function findListedMessage(
  db: Queries,
  { id, within }: { id: string; within: string | null },
): Promise<ListedMessage | null> {
  const rows = await db.query<ListedMessage>(sql`
    select ${listed} from message where id = ${id} and (${within}::uuid is null or workspace_id = ${within})`)
  return rows[0] ?? null
}

/** In no order; ids that are nobody's are left out. */
export function listMessagesNamed(db: Queries, ids: string[]): Promise<ListedMessage[]> {
  return db.query<ListedMessage>(prepared(sql`select ${listed} from message where id = any(${ids}::uuid[])`))
}

export interface MessageFilter extends Page {
  workspaceId: string
  clientId: string | null
  /** Any of these; none is all. */
  statuses: readonly MessageStatus[]
  type: MessageType | null
  to: string | null
  since: Date | null
  until: Date | null
  search: MessageSearch | null
}

/**
 * Newest first. Ids are in the order of time, so that dates narrow the walk by ids. What an index answers drives it: a number, or
 * rare statuses each by itself, or the whole workspace. Any other filter is looked at row by row, and no more rows than a page may:
 * an index for parts of numbers, or for words, would be paid by every message of everybody.
 */
export async function listMessages(db: Queries, filter: MessageFilter): Promise<Walked<ListedMessage>> {
  const { workspaceId, clientId, statuses, type, since, until, search, before, limit } = filter
  const numbers = [filter.to, search?.by === 'number' ? search.e164 : null].filter((it) => it !== null)
  const to = numbers[0] ?? null
  const isRare = statuses.length > 0 && statuses.every((status) => RARE_STATUSES.includes(status))
  const ofWorkspace = part`workspace_id = ${workspaceId}`
  const drivers =
    to !== null
      ? [part`to_number = ${to}`]
      : isRare
        ? statuses.map((status) => part`${ofWorkspace} and rare_status = ${status}`)
        : [ofWorkspace]
  const others = [
    to === null ? null : ofWorkspace,
    numbers.length < 2 ? null : part`to_number = ${numbers[1]}`,
    search?.by === 'parts' ? matching(search) : null,
    clientId === null ? null : part`client_id = ${clientId}`,
    type === null ? null : part`type = ${type}`,
    statuses.length === 0 || (isRare && to === null) ? null : part`${shownStatus} = any(${statuses})`,
  ]
  const range = every([
    since === null ? null : part`id >= ${lowestIdOf(shifted(since, -LONGEST_ACCEPT_MS))} and created_at >= ${since}`,
    until === null ? null : part`id < ${lowestIdOf(shifted(until, LONGEST_ACCEPT_MS))} and created_at < ${until}`,
    before === null ? null : part`id < ${before}`,
    search?.by === 'ids' ? part`id >= ${search.from} and id <= ${search.to}` : null,
  ])
  const lookedTo = others.some((it) => it !== null) ? await farEnd(db, { drivers, range }) : null
  const within = every([range, ...others, lookedTo === null ? null : part`id >= ${lookedTo}`])
  const rows = await db.query<ListedMessage>(sql`
    select * from (${unionAll(
      drivers.map(
        (it) => part`select ${listed} from message where ${it} and ${within} order by id desc limit ${limit}`,
      ),
    )}) as found order by id desc limit ${limit}`)
  return { rows, lookedTo }
}

/** Capitals of ASCII are like their small letters; to fold all others as well takes several times as long. */
function matching({ digits, idEnd, words }: MessageSearch & { by: 'parts' }): Fragment {
  return either([
    digits === null ? null : part`to_number like ${`%${digits}`}`,
    idEnd === null ? null : part`replace(id::text, '-', '') like ${`%${idEnd}`}`,
    words.length === 0
      ? null
      : every(words.map((word) => part`text collate "C" ilike ${`%${word.replaceAll(/[\\%_]/g, '\\$&')}%`}`)),
  ])
}

function shifted(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}

/** The last message that a page looks at, where there are more than it may. */
async function farEnd(
  db: Queries,
  { drivers, range }: { drivers: Fragment[]; range: Fragment },
): Promise<string | null> {
  const each = Math.floor(MOST_LOOKED_AT / drivers.length)
  const [end] = await db.query<{ id: string }>(sql`
    select id from (${unionAll(
      drivers.map(
        (it) => part`select id from message where ${it} and ${range} order by id desc offset ${each - 1} limit 1`,
      ),
    )}) as ends order by id desc limit 1`)
  return end?.id ?? null
}

/** Up to `limit` of them, the oldest first, with ids below this one; returns how many. */
export async function deleteTestMessages(
  db: Queries,
  { idsBelow, limit }: { idsBelow: string; limit: number },
): Promise<number> {
  const rows = await db.query(sql`
    delete from message where id = any(array(
      select id from message where rare_status = 'test' and id < ${idsBelow} order by id limit ${limit}
      for update skip locked)) returning 1`)
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
  /** The ledger entry that pays for each of them; null where it costs nothing. */
  payments: (string | null)[]
  now: Date
}

/** The messages, and those that are to be sent into the queue as well. */
export async function insertMessages(tx: Tx, { messages, payments, now }: NewMessages): Promise<void> {
  if (messages.length === 0) return
  const queued = messages.filter((it) => it.destination !== null)
  // Unnested side by side in the list of columns: in `from`, each row would be stored and read again before it is inserted.
  await tx.query(sql`
    with queued as (
      insert into delivery_queue (message_id, destination, avoid_carrier_id, priority, workspace_id, client_id, due_at)
      select unnest(${queued.map((it) => it.request.messageId)}::uuid[]), unnest(${queued.map((it) => it.destination)}::text[]),
        '00000000-0000-0000-0000-000000000000', unnest(${queued.map((it) => priorityOf(it.type))}::smallint[]),
        unnest(${queued.map((it) => it.request.client.workspaceId)}::uuid[]),
        unnest(${queued.map((it) => it.request.client.id)}::uuid[]), ${now}::timestamptz
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
      unnest(${messages.map((it) => it.costE4)}::bigint[]), unnest(${payments}::uuid[]),
      unnest(${messages.map((it) => it.status)}::text[]), unnest(${messages.map((it) => rareStatus(it.status))}::text[]),
      unnest(${messages.map((it) => it.templateId)}::uuid[]),
      ${now}::timestamptz, ${now}::timestamptz`)
}

/** Which of these messages are stored: the judge after an answer to COMMIT was lost. */
export async function findStored(db: Queries, messageIds: string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`select id from message where id = any(${messageIds}::uuid[])`)
  return new Set(rows.map((row) => row.id))
}
