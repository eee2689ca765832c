// Messages for the actions cancel, fail and resend (D59): search, details, and links from failed messages to resent ones.
import type { QueueGroup } from '../../domain/carriers/routing.ts'
import type { FailureCode, MessageStatus } from '../../domain/message-status.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, type Fragment, fragment, sql } from '../database/sql.ts'
import { openSegments } from './claims.ts'
import { inPlace, isRetryQueued, placesTable } from './delivery-queue.ts'
import { lastCarrierId, shownStatus } from './messages.ts'

interface ActFilter {
  workspaceId: string
  clientId: string | null
  /** Accepted before this time. */
  before: Date
}

/** Per call. */
export const MAX_MESSAGES_FOUND = 10_000

/** Unclaimed messages in these places that no carrier has or may have. The index skips messages of other workspaces. */
export async function findCancellable(
  db: Queries,
  { workspaceId, clientId, before, places }: ActFilter & { places: QueueGroup[] },
): Promise<string[]> {
  if (places.length === 0) return []
  const which = every([
    fragment`workspace_id = ${workspaceId}`,
    clientId === null ? null : fragment`client_id = ${clientId}`,
    fragment`waiting.id < ${lowestIdOf(before)}`,
    fragment`(attempts = 0 or not exists (
      select from submission where message_id = waiting.id and outcome in ('accepted', 'unknown')))`,
  ])
  const rows = await db.query<{ id: string }>(sql`
    select own.id from ${placesTable(places)} cross join lateral (
      select waiting.id from delivery_queue cross join lateral unnest(message_ids) as waiting (id)
      where ${inPlace} and ${which} limit ${MAX_MESSAGES_FOUND}
    ) as own
    limit ${MAX_MESSAGES_FOUND}`)
  return rows.map((row) => row.id)
}

interface ScanFilter extends ActFilter {
  /** Accepted at this time or later. */
  since: Date
  /** Only ids above this one. */
  after: string | null
  statuses: readonly MessageStatus[]
  /** Carrier of the latest submission. */
  carrierId: string | null
  now: Date
}

/** The filter has no index, so one call scans at most this many messages of the workspace. */
const MAX_MESSAGES_SCANNED = 100_000

export interface ScannedMessages {
  ids: string[]
  /** Id of the last message scanned, if the scan stopped before the end. */
  scannedTo: string | null
}

/** Messages without a final status that no process has claimed. */
export function findUnfinished(db: Queries, filter: ScanFilter): Promise<ScannedMessages> {
  const claimed = fragment`select message_id from (${openSegments(null)}) as open where leased_until > ${filter.now}`
  return scan(db, filter, fragment`status in ('queued', 'submitted', 'sent') and id not in (${claimed})`)
}

/** Messages outside the queue that a carrier may have accepted, and failed messages that are neither cancelled nor resent yet. */
export function findResendable(db: Queries, filter: ScanFilter): Promise<ScannedMessages> {
  return scan(
    db,
    filter,
    fragment`type <> 'otp' and (
      (status in ('queued', 'submitted') and not ${isRetryQueued(fragment`message.id`)} and id not in (select message_id from (${openSegments(null)}) as open)
        and exists (select from submission where message_id = message.id and outcome = 'unknown'))
      or (status = 'failed' and error <> '' and text is not null
        and not exists (select from resent_message where message_id = message.id)))`,
  )
}

/** Oldest first. */
async function scan(db: Queries, filter: ScanFilter, which: Fragment): Promise<ScannedMessages> {
  const { workspaceId, clientId, since, before, after, statuses, carrierId } = filter
  const range = every([
    fragment`workspace_id = ${workspaceId} and id >= ${lowestIdOf(since)} and id < ${lowestIdOf(before)}`,
    after === null ? null : fragment`id > ${after}`,
  ])
  const [end] = await db.query<{ id: string }>(sql`
    select id from message where ${range} order by id offset ${MAX_MESSAGES_SCANNED - 1} limit 1`)
  const wanted = every([
    range,
    end === undefined ? null : fragment`id <= ${end.id}`,
    which,
    clientId === null ? null : fragment`client_id = ${clientId}`,
    statuses.length === 0 ? null : fragment`${shownStatus()} = any(${statuses})`,
    carrierId === null ? null : fragment`${lastCarrierId} = ${carrierId}`,
  ])
  const rows = await db.query<{ id: string }>(sql`
    select id from message where ${wanted} order by id limit ${MAX_MESSAGES_FOUND}`)
  return { ids: rows.map((row) => row.id), scannedTo: end?.id ?? null }
}

/** Of the messages that the caller may see; `within` is the only workspace, or null for any. In the order of ids. */
export function listWorkspacesOf(
  db: Queries,
  { ids, within }: { ids: string[]; within: string | null },
): Promise<{ id: string; workspaceId: string }[]> {
  return db.query(sql`
    select id, workspace_id as "workspaceId" from message
    where id = any(${ids}::uuid[]) and (${within}::uuid is null or workspace_id = ${within}) order by id`)
}

export interface ActionDetails {
  id: string
  error: FailureCode | ''
  text: string | null
  country: string
  sender: string
  templateId: string | null
  resentAs: string | null
}

export function loadActionDetails(tx: Tx, messageIds: string[]): Promise<ActionDetails[]> {
  return tx.query<ActionDetails>(sql`
    select message.id, error, text, country, sender, template_id as "templateId", resent_as as "resentAs"
    from message left join resent_message on message_id = message.id
    where message.id = any(${messageIds}::uuid[])`)
}

/** A message can be resent once: a second row for it violates the primary key. */
export async function recordResends(tx: Tx, resent: { of: string; id: string }[], now: Date): Promise<void> {
  if (resent.length === 0) return
  await tx.query(sql`
    insert into resent_message (message_id, resent_as, resent_at)
    select *, ${now}::timestamptz from unnest(${resent.map((it) => it.of)}::uuid[], ${resent.map((it) => it.id)}::uuid[])`)
}
