// Replies, and the parts of long replies.
import { HOUR_MS } from '../../domain/durations.ts'
import {
  type InboundPart,
  type KnownPart,
  MAX_ANSWERABLE,
  type ReplyCandidates,
  type SentMessage,
} from '../../domain/messages/inbound.ts'
import { MAYBE_SENT } from '../../domain/messages/submission.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, type Fragment, fragment, sql } from '../database/sql.ts'
import { findScanEnd, idBelow, idFrom, type Page, type ScannedPage } from '../pages.ts'
import { lockScopes } from '../sliding-windows.ts'
import { openSegments } from './claims.ts'

export type LongPart = InboundPart & { part: NonNullable<InboundPart['part']> }

/** The stored parts of the same reply. */
export async function loadParts(tx: Tx, { carrierId, from, to, part: it }: LongPart): Promise<KnownPart[]> {
  const parts = await tx.query<{ number: number; textJson: string; receivedAt: Date }>(sql`
    select part as number, text_json as "textJson", received_at as "receivedAt" from inbound_part
    where carrier_id = ${carrierId} and from_number = ${from} and to_address = ${to}
      and reference = ${it.reference} and reference_bits = ${it.referenceBits} and total = ${it.total}`)
  return parts.map(({ textJson, ...part }) => ({ ...part, text: JSON.parse(textJson) }))
}

/** Replaces an earlier part with the same number. */
export async function storePart(tx: Tx, { carrierId, from, to, text, part: it, receivedAt }: LongPart): Promise<void> {
  await tx.query(sql`
    insert into inbound_part (
      carrier_id, from_number, to_address, reference, reference_bits, total, part, text_json, received_at)
    values (
      ${carrierId}, ${from}, ${to}, ${it.reference}, ${it.referenceBits}, ${it.total}, ${it.number}, ${JSON.stringify(text)},
      ${receivedAt})
    on conflict (carrier_id, from_number, to_address, reference, reference_bits, total, part)
      do update set text_json = excluded.text_json, received_at = excluded.received_at`)
}

export async function deleteParts(
  tx: Tx,
  { carrierId, from, to, part: it }: LongPart,
  numbers: number[],
): Promise<void> {
  if (numbers.length === 0) return
  await tx.query(sql`
    delete from inbound_part
    where carrier_id = ${carrierId} and from_number = ${from} and to_address = ${to}
      and reference = ${it.reference} and reference_bits = ${it.referenceBits} and total = ${it.total}
      and part = any(${numbers}::smallint[])`)
}

/** Serializes the assembly of a reply: its parts can arrive over two binds at once. */
export async function lockReplies(tx: Tx, parts: LongPart[]): Promise<void> {
  if (parts.length === 0) return
  const scopes = parts.map(({ carrierId, from, to, part: it }) => `inbound:${carrierId}:${from}:${to}:${it.reference}`)
  await lockScopes(tx, scopes)
}

interface Sighting {
  fingerprint: string
  /** A reply with the same fingerprint received after this time is a duplicate. */
  after: Date
}

/** Stores the fingerprints, which are distinct, and returns the new ones. Waits for concurrent transactions that store the same one. */
export async function recordFingerprints(tx: Tx, sights: Sighting[], now: Date): Promise<Set<string>> {
  const rows = await tx.query<{ fingerprint: string }>(sql`
    insert into inbound_seen as known (fingerprint, seen_at)
    select fingerprint, ${now}::timestamptz from unnest(${sights.map((it) => it.fingerprint)}::text[]) as seen (fingerprint)
    order by fingerprint
    on conflict (fingerprint) do update set seen_at = excluded.seen_at
    where known.seen_at <= (
      select after from unnest(${sights.map((it) => it.fingerprint)}::text[], ${sights.map((it) => it.after)}::timestamptz[])
        as requested (fingerprint, after)
      where requested.fingerprint = excluded.fingerprint)
    returning fingerprint`)
  return new Set(rows.map((row) => row.fingerprint))
}

export async function deleteOldFingerprints(tx: Tx, before: Date): Promise<void> {
  await tx.query(sql`
    delete from inbound_seen where fingerprint in (
      select fingerprint from inbound_seen where seen_at < ${before} limit 1000 for update skip locked)`)
}

export async function deleteOldParts(tx: Tx, before: Date): Promise<void> {
  await tx.query(sql`delete from inbound_part where received_at < ${before}`)
}

/**
 * The latest message of each workspace to a number from a sender, as sent to the carrier (D34). Includes messages that the carrier
 * may have accepted: their answer can arrive late or never.
 */
export async function listAnswerable(
  tx: Tx,
  { to, senderKey, sinceId }: { to: string; senderKey: string; sinceId: string },
): Promise<ReplyCandidates> {
  const range = (column: Fragment) => fragment`${column} >= ${sinceId}::uuid`
  const rows = await tx.query<SentMessage & { known: number }>(sql`
    with known as (
      select id, workspace_id, client_id from message
      where to_number = ${to} and id >= ${sinceId} order by id desc limit ${MAX_ANSWERABLE + 1}
    )
    select distinct on (workspace_id) id, workspace_id as "workspaceId", client_id as "clientId",
      (select count(*) from known) as known
    from known
    where exists (
        select from submission
        where message_id = known.id and ${range(fragment`message_id`)} and lower(sender) = ${senderKey} and outcome = any(${MAYBE_SENT}::text[]))
      or id in (
        select open.message_id from (${openSegments(fragment`array(select id from known)`, range)}) as open where lower(open.sender) = ${senderKey})
    order by workspace_id, id desc`)
  return { lastOfEach: rows, areAll: rows.every(({ known }) => known <= MAX_ANSWERABLE) }
}

export interface InboundMessage {
  id: string
  carrierId: string
  workspaceId: string | null
  clientId: string | null
  from: string
  to: string
  text: string
  inReplyTo: string | null
  receivedAt: Date
}

export async function insertInbound(tx: Tx, it: InboundMessage): Promise<void> {
  await tx.query(sql`
    insert into inbound_message (
      id, carrier_id, workspace_id, client_id, from_number, to_address, text, in_reply_to, received_at)
    values (
      ${it.id}, ${it.carrierId}, ${it.workspaceId}, ${it.clientId}, ${it.from}, ${it.to}, ${it.text}, ${it.inReplyTo},
      ${it.receivedAt})`)
}

const columns = fragment`
  id, carrier_id as "carrierId", workspace_id as "workspaceId", client_id as "clientId", from_number as "from",
  to_address as "to", text, in_reply_to as "inReplyTo", received_at as "receivedAt"`

export async function lockInbound(tx: Tx, id: string): Promise<InboundMessage | null> {
  const rows = await tx.query<InboundMessage>(sql`select ${columns} from inbound_message where id = ${id} for update`)
  return rows[0] ?? null
}

export async function attributeInbound(
  tx: Tx,
  { id, workspaceId, clientId }: { id: string; workspaceId: string; clientId: string },
): Promise<void> {
  await tx.query(sql`
    update inbound_message set workspace_id = ${workspaceId}, client_id = ${clientId} where id = ${id} and client_id is null`)
}

/** The sender of a reply: a whole number, or its last digits. */
export type InboundSender = { number: string } | { lastDigits: string }

interface InboundFilter extends Page {
  workspaceId: string | null
  clientId: string | null
  unattributed: boolean
  /** Only within a workspace. */
  from: InboundSender | null
  since: Date | null
  until: Date | null
}

/** How much younger than its reply an id can be. */
const MAX_RECORD_MS = HOUR_MS

/** Newest first. Ids are in time order, so dates narrow the scan; last digits are checked row by row up to the page's scan limit. */
export async function listInbound(db: Queries, filter: InboundFilter): Promise<ScannedPage<InboundMessage>> {
  const { workspaceId, clientId, unattributed, from, since, until, before, limit } = filter
  const table = fragment`inbound_message`
  const hasNumber = from !== null && 'number' in from
  const ofClient = clientId === null ? null : fragment`client_id = ${clientId}`
  const ofWorkspace = workspaceId === null ? null : fragment`workspace_id = ${workspaceId}`
  // One index drives the scan: by number, by client, or by workspace.
  const driver = hasNumber ? every([ofWorkspace, fragment`from_number = ${from.number}`]) : (ofClient ?? ofWorkspace)
  const range = every([
    driver,
    unattributed ? fragment`client_id is null` : null,
    since === null ? null : fragment`id >= ${lowestIdOf(since)} and received_at >= ${since}`,
    until === null
      ? null
      : fragment`id < ${lowestIdOf(new Date(until.getTime() + MAX_RECORD_MS))} and received_at < ${until}`,
    idBelow(before),
  ])
  const filters = [
    hasNumber ? ofClient : ofClient && ofWorkspace,
    from === null || hasNumber ? null : fragment`from_number like ${`%${from.lastDigits}`}`,
  ]
  const scannedTo = await findScanEnd(db, { table, range, filters })
  const rows = await db.query<InboundMessage>(sql`
    select ${columns} from ${table} where ${every([range, ...filters, idFrom(scannedTo)])} order by id desc limit ${limit}`)
  return { rows, scannedTo }
}
