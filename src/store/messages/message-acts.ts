// What acting on messages reads and writes beside their status (D59): which there are, what is known of them, and what they were resent as.

import type { Place } from '../../domain/carriers/routing.ts'
import type { FailureCode, MessageStatus } from '../../domain/message-status.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, type Fragment, part, sql } from '../database/sql.ts'
import { inPlace, placesTable } from './delivery-queue.ts'
import { shownStatus } from './messages.ts'

/** Whose messages, and which of them. */
interface ActFilter {
  workspaceId: string
  clientId: string | null
  /** Only those accepted before. */
  before: Date
}

/** One call finds no more: how many are left beyond it is not counted. */
export const MOST_FOUND = 10_000

/** What waits in these places unclaimed, and no carrier has or may have: by steps of the index, whoever else waits there. */
export async function findCancellable(
  db: Queries,
  { workspaceId, clientId, before, places }: ActFilter & { places: Place[] },
): Promise<string[]> {
  if (places.length === 0) return []
  const which = every([
    part`workspace_id = ${workspaceId}`,
    clientId === null ? null : part`client_id = ${clientId}`,
    part`message_id < ${lowestIdOf(before)}`,
    part`claim_id is null`,
    part`(claims = 0 or not exists (
      select from submission where message_id = delivery_queue.message_id and outcome in ('open', 'accepted', 'unknown')))`,
  ])
  const rows = await db.query<{ id: string }>(sql`
    select own.id from ${placesTable(places)} cross join lateral (
      select message_id as id from delivery_queue where ${inPlace} and ${which} limit ${MOST_FOUND}
    ) as own
    limit ${MOST_FOUND}`)
  return rows.map((row) => row.id)
}

interface WalkFilter extends ActFilter {
  /** Accepted since. */
  since: Date
  /** From behind this one. */
  after: string | null
  statuses: readonly MessageStatus[]
  /** Of the latest submission. */
  carrierId: string | null
  now: Date
}

/** No index tells these from the others: so many of the workspace are looked at in one call. */
const MOST_WALKED = 100_000

export interface WalkedMessages {
  ids: string[]
  /** The last that was looked at, where there are more behind it. */
  walkedTo: string | null
}

/** What has no end yet, and nobody has in hand. */
export function findUnfinished(db: Queries, filter: WalkFilter): Promise<WalkedMessages> {
  const inHand = part`select from delivery_queue where message_id = message.id and leased_until > ${filter.now}`
  return walk(db, filter, part`status in ('queued', 'submitted', 'sent') and not exists (${inHand})`)
}

/** What may have been taken, and waits outside the queue for a word; and what failed, was not cancelled and is not resent yet. */
export function findResendable(db: Queries, filter: WalkFilter): Promise<WalkedMessages> {
  return walk(
    db,
    filter,
    part`type <> 'otp' and (
      (status in ('queued', 'submitted') and not exists (select from delivery_queue where message_id = message.id)
        and exists (select from submission where message_id = message.id and outcome = 'unknown'))
      or (status = 'failed' and error <> '' and text is not null
        and not exists (select from resent_message where message_id = message.id)))`,
  )
}

/** The oldest first. */
async function walk(db: Queries, filter: WalkFilter, which: Fragment): Promise<WalkedMessages> {
  const { workspaceId, clientId, since, before, after, statuses, carrierId } = filter
  const range = every([
    part`workspace_id = ${workspaceId} and id >= ${lowestIdOf(since)} and id < ${lowestIdOf(before)}`,
    after === null ? null : part`id > ${after}`,
  ])
  const [end] = await db.query<{ id: string }>(sql`
    select id from message where ${range} order by id offset ${MOST_WALKED - 1} limit 1`)
  const wanted = every([
    range,
    end === undefined ? null : part`id <= ${end.id}`,
    which,
    clientId === null ? null : part`client_id = ${clientId}`,
    statuses.length === 0 ? null : part`${shownStatus} = any(${statuses})`,
    carrierId === null
      ? null
      : part`(select carrier_id from submission where message_id = message.id order by ordinal desc, segment desc limit 1) = ${carrierId}`,
  ])
  const rows = await db.query<{ id: string }>(sql`
    select id from message where ${wanted} order by id limit ${MOST_FOUND}`)
  return { ids: rows.map((row) => row.id), walkedTo: end?.id ?? null }
}

export interface ActDetails {
  id: string
  error: FailureCode | ''
  text: string | null
  country: string
  sender: string
  templateId: string | null
  resentAs: string | null
}

export function loadActDetails(tx: Tx, messageIds: string[]): Promise<ActDetails[]> {
  return tx.query<ActDetails>(sql`
    select message.id, error, text, country, sender, template_id as "templateId", resent_as as "resentAs"
    from message left join resent_message on message_id = message.id
    where message.id = any(${messageIds}::uuid[])`)
}

/** Each was sent as another message, once at most. */
export async function noteResent(tx: Tx, resent: { of: string; id: string }[], now: Date): Promise<void> {
  if (resent.length === 0) return
  await tx.query(sql`
    insert into resent_message (message_id, resent_as, resent_at)
    select *, ${now}::timestamptz from unnest(${resent.map((it) => it.of)}::uuid[], ${resent.map((it) => it.id)}::uuid[])`)
}
