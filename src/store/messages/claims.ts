// Claims: the messages that a process is submitting. A claim is one row for a whole batch.
import type { ClaimedMessage } from '../../domain/carriers/claim.ts'
import type { Receipts } from '../../domain/messages/report.ts'
import type { Queries, Tx } from '../database/db.ts'
import { type Fragment, fragment, sql } from '../database/sql.ts'
import { ANY_ID, type IdRange, idRangeOf } from './message-selection.ts'

interface NewClaim {
  id: string
  carrierId: string
  receipts: Receipts
  messages: readonly ClaimedMessage[]
  claimedAt: Date
  leasedUntil: Date
}

export async function insertClaim(tx: Tx, claim: NewClaim): Promise<void> {
  const { id, carrierId, receipts, messages, claimedAt, leasedUntil } = claim
  if (messages.length === 0) return
  await tx.query(sql`
    insert into claim (
      id, carrier_id, claimed_at, leased_until, receipts, message_ids, ordinals, segments, segment_counts, senders, costs_e4)
    values (
      ${id}, ${carrierId}, ${claimedAt}, ${leasedUntil}, ${receipts === 'each' ? null : receipts},
      ${messages.map((it) => it.id)}::uuid[], ${messages.map((it) => it.ordinal)}::int[],
      ${messages.map((it) => toBits(it.submitting))}::smallint[], ${messages.map((it) => it.ofSegments)}::smallint[],
      ${messages.map((it) => it.source.address)}::text[], ${messages.map((it) => it.carrierCostE4)}::bigint[])`)
}

function toBits(segments: readonly number[]): number {
  return segments.reduce((bits, segment) => bits | (1 << (segment - 1)), 0)
}

export async function deleteClaims(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(sql`delete from claim where id = any(${ids}::uuid[])`)
}

/**
 * The claimed segments without a submission, one row each; null for those of all messages. A claim exists until its last answer, so most
 * of its messages may have theirs. Claims are few, so no index finds their messages.
 */
export function openSegments(messageIds: Fragment | null, range: IdRange = ANY_ID): Fragment {
  return fragment`
    select claim.id as claim_id, claim.carrier_id, claim.claimed_at, claim.leased_until, claim.receipts, claimed.message_id,
      claimed.ordinal, segment.number as segment, claimed.segment_count, claimed.sender, claimed.cost_e4
    from claim
      cross join lateral unnest(message_ids, ordinals, segments, segment_counts, senders, costs_e4)
        as claimed (message_id, ordinal, segments, segment_count, sender, cost_e4)
      join generate_series(1, 6) as segment (number) on claimed.segments & (1 << (segment.number - 1)) > 0
    where ${messageIds ? fragment`claimed.message_id = any(${messageIds})` : fragment`true`} and not exists (
      select from submission
      where submission.message_id = claimed.message_id and submission.ordinal = claimed.ordinal
        and submission.segment = segment.number and ${range(fragment`submission.message_id`)}
      -- Offset 0 forces an index lookup per segment: a join could read all submissions.
      offset 0)`
}

/** Those of these messages that wait for an answer, with the end of the lease. */
export function listClaimed(db: Queries, messageIds: string[]): Promise<{ messageId: string; leasedUntil: Date }[]> {
  return db.query(sql`
    select distinct message_id as "messageId", leased_until as "leasedUntil"
    from (${openSegments(fragment`${messageIds}::uuid[]`, idRangeOf(messageIds))}) as open`)
}

export interface LapsedClaim {
  id: string
  messageIds: string[]
}

/** Claims whose process did not record all answers in time. */
export function listLapsedClaims(db: Queries, { now, limit }: { now: Date; limit: number }): Promise<LapsedClaim[]> {
  return db.query(sql`
    select id, message_ids as "messageIds" from claim where leased_until <= ${now} order by leased_until limit ${limit}`)
}

/** Locks the claims that still exist, and returns their messages. Locked after workspaces and messages, as with the last answer. */
export async function lockClaims(db: Queries, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db.query<{ id: string; messageIds: string[] }>(sql`
    select id, message_ids as "messageIds" from claim where id = any(${ids}::uuid[]) order by id for update`)
  return new Map(rows.map(({ id, messageIds }) => [id, messageIds]))
}

/** Stores the outcome unknown for the open segments of these messages. A late answer replaces it. */
export async function storeUnknown(tx: Tx, messageIds: readonly string[], now: Date): Promise<void> {
  if (messageIds.length === 0) return
  const range = idRangeOf(messageIds)
  await tx.query(sql`
    insert into submission (
      message_id, ordinal, segment, segment_count, carrier_id, to_number, sender, receipts, cost_e4, outcome, claimed_at, answered_at)
    select open.message_id, ordinal, segment, segment_count, carrier_id, message.to_number, nullif(open.sender, ''), receipts, open.cost_e4,
      'unknown', claimed_at, ${now}
    from (${openSegments(fragment`${messageIds}::uuid[]`, range)}) as open
      join message on message.id = open.message_id and ${range(fragment`message.id`)}
    on conflict do nothing`)
}

/** When the next lease ends. */
export async function findNextLapse(db: Queries): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(sql`select min(leased_until) as at from claim`)
  return row?.at ?? null
}
