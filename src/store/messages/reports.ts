// Delivery reports, stored with their segment. A report that matches no segment yet is kept as a pending report.
import type { SegmentReport } from '../../domain/messages/progress.ts'
import type { Report } from '../../domain/messages/report.ts'
import { CLOCKS_DIFFER_MS, type Unanswered } from '../../domain/messages/report-matching.ts'
import { messageIdOf, type NamedByCarrier, type SubmissionName } from '../../domain/messages/submission.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'
import { openSegments } from './claims.ts'
import { idRangeOf } from './message-selection.ts'
import { reportRows } from './submissions.ts'

/** Submissions without an answer, of unfinished messages to the reports' numbers or with the reports' references as ids. */
export function listUnanswered(tx: Tx, reports: Report[], since: Date): Promise<Unanswered[]> {
  return tx.query(sql`
    with requested as (
      select distinct * from unnest(
        ${reports.map((it) => it.carrierId)}::uuid[], ${reports.map((it) => it.to)}::text[],
        ${reports.map((it) => messageIdOf(it.reference))}::uuid[]) as requested (carrier_id, to_number, message_id)
    ), meant as (
      select requested.carrier_id, message.id from requested
        join message on message.to_number = requested.to_number and message.id >= ${lowestIdOf(since)}
          and message.status in ('queued', 'submitting', 'submitted', 'sent')
      union
      select requested.carrier_id, message.id from requested
        join message on message.id = requested.message_id and message.status in ('queued', 'submitting', 'submitted', 'sent')
    )
    select submission.message_id as "messageId", ordinal, segment, submission.carrier_id as "carrierId", to_number as to,
      claimed_at as "claimedAt", false as "isOpen"
    from meant
      join submission on submission.message_id = meant.id and submission.carrier_id = meant.carrier_id and outcome = 'unknown'
    union all
    select open.message_id, ordinal, segment, open.carrier_id, message.to_number, claimed_at, true
    from (${openSegments(fragment`array(select id from meant)`)}) as open
      join meant on meant.id = open.message_id and meant.carrier_id = open.carrier_id join message on message.id = open.message_id
    order by "claimedAt", "messageId", ordinal, segment`)
}

export type MatchedReport = Report & SubmissionName

export async function insertReports(tx: Tx, reports: MatchedReport[]): Promise<void> {
  if (reports.length === 0) return
  await tx.query(sql`
    insert into report (message_id, id, ordinal, segment, status, error, state, code, raw, received_at)
    select * from unnest(
      ${reports.map((it) => it.messageId)}::uuid[], ${reports.map((it) => it.id)}::uuid[],
      ${reports.map((it) => it.ordinal)}::int[], ${reports.map((it) => it.segment)}::smallint[],
      ${reports.map((it) => it.status)}::text[], ${reports.map((it) => it.error)}::text[],
      ${reports.map((it) => it.state)}::text[], ${reports.map((it) => it.code)}::text[],
      ${reports.map((it) => it.raw)}::text[], ${reports.map((it) => it.receivedAt)}::timestamptz[])
    on conflict do nothing`)
}

export function listReports(db: Queries, messageId: string) {
  return db.query<SegmentReport & { state: string; code: string; raw: string; receivedAt: Date }>(sql`
    select ordinal, segment, status, error, state, code, raw, received_at as "receivedAt"
    from (${reportRows(fragment`array[${messageId}::uuid]`, idRangeOf([messageId]))}) as report order by id`)
}

/** Per carrier message id, for final and for other reports each: more than the segments of a message. */
const MAX_PENDING_OF_ID = 20
/** Per carrier, so that unmatched reports of one carrier cannot fill the disk (D43). */
export const MAX_PENDING_PER_CARRIER = 50_000

/** Reports beyond the carrier's limit are not stored, only counted as unmatched. */
export async function insertPendingReports(tx: Tx, reports: Report[], nextMatchAt: Date): Promise<void> {
  if (reports.length === 0) return
  await tx.query(sql`
    with received as materialized (
      select *, row_number() over (partition by carrier_id, reference, status = 'pending' order by id) as nth from unnest(
        ${reports.map((it) => it.id)}::uuid[], ${reports.map((it) => it.carrierId)}::uuid[],
        ${reports.map((it) => it.reference)}::text[], ${reports.map((it) => it.to)}::text[],
        ${reports.map((it) => it.byText)}::boolean[],
        ${reports.map((it) => it.status)}::text[], ${reports.map((it) => it.error)}::text[],
        ${reports.map((it) => it.state)}::text[], ${reports.map((it) => it.code)}::text[],
        ${reports.map((it) => it.raw)}::text[], ${reports.map((it) => it.receivedAt)}::timestamptz[]
      ) as received (id, carrier_id, reference, to_number, is_by_text, status, error, state, code, raw, received_at)
    ), crowded as materialized (
      select carrier_id from (select distinct carrier_id from received) as requested
      where ${MAX_PENDING_PER_CARRIER} <= (select count(*) from (
        select from pending_report known where known.carrier_id = requested.carrier_id limit ${MAX_PENDING_PER_CARRIER}) as few)
    ), counted as (
      insert into unmatched_receipt_hour as known (carrier_id, hour, receipts)
      select carrier_id, date_trunc('hour', max(received_at), 'UTC'), count(*)
      from received join crowded using (carrier_id) join carrier on carrier.id = carrier_id
      group by carrier_id order by carrier_id
      on conflict (carrier_id, hour) do update set receipts = known.receipts + excluded.receipts
    )
    insert into pending_report (
      id, carrier_id, reference, to_number, is_by_text, status, error, state, code, raw, received_at, next_match_at)
    select id, carrier_id, reference, to_number, is_by_text, status, error, state, code, raw, received_at, ${nextMatchAt}::timestamptz
    from received
    where carrier_id not in (select carrier_id from crowded)
      and (reference = '' or nth + (select count(*) from (
        select from pending_report known
        where known.carrier_id = received.carrier_id and known.reference = received.reference
          and (known.status = 'pending') = (received.status = 'pending')
        limit ${MAX_PENDING_OF_ID}) as few) <= ${MAX_PENDING_OF_ID})
    on conflict do nothing`)
}

/** Deletes and returns the reports that arrived after a submission but before the answer with its carrier message id. */
export function claimPendingReports(tx: Tx, named: readonly NamedByCarrier[]): Promise<Report[]> {
  const known = named.filter((it) => it.reference !== null)
  return tx.query<Report>(sql`
    delete from pending_report pending
    using unnest(
        ${known.map((it) => it.carrierId)}::uuid[], ${known.map((it) => it.reference)}::text[], ${known.map((it) => it.to)}::text[],
        ${known.map((it) => new Date(it.claimedAt.getTime() - CLOCKS_DIFFER_MS))}::timestamptz[]
      ) as requested (carrier_id, reference, to_number, since)
    where pending.carrier_id = requested.carrier_id and pending.reference = requested.reference
      and pending.to_number in (requested.to_number, '') and pending.received_at >= requested.since
    returning id, pending.carrier_id as "carrierId", pending.reference, pending.to_number as to, is_by_text as "byText", status, error,
      state, code, raw, received_at as "receivedAt"`)
}

export interface PendingReport extends Report {
  matchAttempts: number
}

/** Pending reports that are due for another match. */
export function listDuePendingReports(tx: Tx, { now, limit }: { now: Date; limit: number }): Promise<PendingReport[]> {
  return tx.query<PendingReport>(sql`
    select id, carrier_id as "carrierId", reference, to_number as to, is_by_text as "byText", status, error, state, code, raw,
      received_at as "receivedAt", match_attempts as "matchAttempts"
    from pending_report where next_match_at <= ${now} order by next_match_at limit ${limit}`)
}

/** Pending reports that may belong to submissions of these messages with an unknown outcome, by number or by our reference. */
export function lockPendingReportsOf(tx: Tx, messageIds: string[]): Promise<PendingReport[]> {
  return tx.query<PendingReport>(sql`
    with unknown as (
      select distinct carrier_id, to_number, message_id from submission
      where message_id = any(${messageIds}::uuid[]) and ${idRangeOf(messageIds)(fragment`message_id`)} and outcome = 'unknown'
    )
    select id, carrier_id as "carrierId", reference, to_number as to, is_by_text as "byText", status, error, state, code, raw,
      received_at as "receivedAt", match_attempts as "matchAttempts"
    from pending_report
    where id in (
        select pending.id from unknown join pending_report pending using (carrier_id, to_number)
        union
        select pending.id from unknown join pending_report pending on pending.carrier_id = unknown.carrier_id
          and pending.reference in (unknown.message_id::text, replace(unknown.message_id::text, '-', '')))
    order by id for update skip locked`)
}

/** Locks the reports that are still due and free. Pending reports are always locked after messages, which prevents deadlocks. */
export async function lockPendingReports(tx: Tx, { ids, now }: { ids: string[]; now: Date }): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from pending_report where id = any(${ids}::uuid[]) and next_match_at <= ${now} for update skip locked`)
  return new Set(rows.map((row) => row.id))
}

export async function reschedulePendingReports(tx: Tx, attempts: { id: string; nextMatchAt: Date }[]): Promise<void> {
  if (attempts.length === 0) return
  await tx.query(sql`
    update pending_report pending set match_attempts = match_attempts + 1, next_match_at = again.next_match_at
    from unnest(${attempts.map((it) => it.id)}::uuid[], ${attempts.map((it) => it.nextMatchAt)}::timestamptz[]) as again (id, next_match_at)
    where pending.id = again.id`)
}

export async function deletePendingReports(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(sql`delete from pending_report where id = any(${ids}::uuid[])`)
}

export async function findNextMatchTime(db: Queries): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`select min(next_match_at) as at from pending_report`)
  return rows[0]?.at ?? null
}
