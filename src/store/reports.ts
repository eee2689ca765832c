// Reports: each is kept with the segment it is about; one that fits none waits as an orphan to be matched later.
import type { FailureCode } from '../domain/message-status.ts'
import type { SegmentReport } from '../domain/progress.ts'
import type { ReportStatus } from '../domain/report.ts'
import type { Queries, Tx } from './db.ts'
import { sql } from './sql.ts'
import type { SubmissionName } from './submissions.ts'

export interface Report {
  id: string
  carrierId: string
  /** The carrier's id of the segment in the one spelling that is compared. */
  reference: string
  to: string
  status: ReportStatus
  error: FailureCode | ''
  state: string
  code: string
  raw: string
  receivedAt: Date
}

/**
 * The submission of each report, in their order, or null. Ids repeat, so the number it went to counts for more than the
 * id, and the newest of several for more than older ones.
 */
export async function matchReports(tx: Tx, reports: Report[]): Promise<(SubmissionName | null)[]> {
  const rows = await tx.query<SubmissionName & { place: number }>(sql`
    select asked.place::int as place, found.message_id as "messageId", found.number, found.segment
    from unnest(
        ${reports.map((it) => it.carrierId)}::uuid[], ${reports.map((it) => it.reference)}::text[],
        ${reports.map((it) => it.to)}::text[]) with ordinality as asked (carrier_id, reference, to_number, place)
      cross join lateral (
        select message_id, number, segment from submission
        where carrier_id = asked.carrier_id and reference = asked.reference
        order by to_number = asked.to_number desc, claimed_at desc limit 1
      ) as found`)
  const found = new Map(rows.map(({ place, ...name }) => [place - 1, name]))
  return reports.map((_, index) => found.get(index) ?? null)
}

/** D15: a report for which no id is known is the missing word on a submission to that number without an answer. */
export async function matchUnknown(
  tx: Tx,
  reports: Report[],
  since: Date,
): Promise<(SubmissionName & { reportId: string })[]> {
  return tx.query(sql`
    select distinct on (found.message_id, found.number, found.segment)
      asked.id as "reportId", found.message_id as "messageId", found.number, found.segment
    from unnest(
        ${reports.map((it) => it.id)}::uuid[], ${reports.map((it) => it.carrierId)}::uuid[],
        ${reports.map((it) => it.to)}::text[]) as asked (id, carrier_id, to_number)
      cross join lateral (
        select message_id, number, segment from submission
        where carrier_id = asked.carrier_id and to_number = asked.to_number and outcome = 'unknown'
          and claimed_at > ${since}
        order by claimed_at, segment limit 1
      ) as found
    order by found.message_id, found.number, found.segment, asked.id`)
}

export type MatchedReport = Report & SubmissionName

export async function insertReports(tx: Tx, reports: MatchedReport[]): Promise<void> {
  if (reports.length === 0) return
  await tx.query(sql`
    insert into report (message_id, id, number, segment, status, error, state, code, raw, received_at)
    select * from unnest(
      ${reports.map((it) => it.messageId)}::uuid[], ${reports.map((it) => it.id)}::uuid[],
      ${reports.map((it) => it.number)}::int[], ${reports.map((it) => it.segment)}::smallint[],
      ${reports.map((it) => it.status)}::text[], ${reports.map((it) => it.error)}::text[],
      ${reports.map((it) => it.state)}::text[], ${reports.map((it) => it.code)}::text[],
      ${reports.map((it) => it.raw)}::text[], ${reports.map((it) => it.receivedAt)}::timestamptz[])
    on conflict do nothing`)
}

export function loadReports(tx: Tx, messageIds: string[]): Promise<(SegmentReport & { messageId: string })[]> {
  return tx.query(sql`
    select message_id as "messageId", number, segment, status, error from report
    where message_id = any(${messageIds}::uuid[]) order by message_id, id`)
}

export function listReports(db: Queries, messageId: string) {
  return db.query<SegmentReport & { state: string; code: string; raw: string; receivedAt: Date }>(sql`
    select number, segment, status, error, state, code, raw, received_at as "receivedAt" from report
    where message_id = ${messageId} order by id`)
}

export async function insertOrphans(tx: Tx, reports: Report[], lookAt: Date): Promise<void> {
  if (reports.length === 0) return
  await tx.query(sql`
    insert into orphan_report (id, carrier_id, reference, to_number, status, error, state, code, raw, received_at, look_at)
    select *, ${lookAt}::timestamptz from unnest(
      ${reports.map((it) => it.id)}::uuid[], ${reports.map((it) => it.carrierId)}::uuid[],
      ${reports.map((it) => it.reference)}::text[], ${reports.map((it) => it.to)}::text[],
      ${reports.map((it) => it.status)}::text[], ${reports.map((it) => it.error)}::text[],
      ${reports.map((it) => it.state)}::text[], ${reports.map((it) => it.code)}::text[],
      ${reports.map((it) => it.raw)}::text[], ${reports.map((it) => it.receivedAt)}::timestamptz[])
    on conflict do nothing`)
}

/** Reports that came before the answer which tells whose they are. They leave the orphans with this transaction. */
export function adoptOrphans(tx: Tx, named: { carrierId: string; reference: string | null }[]): Promise<Report[]> {
  const known = named.filter((it) => it.reference !== null)
  return tx.query<Report>(sql`
    delete from orphan_report orphan
    using unnest(${known.map((it) => it.carrierId)}::uuid[], ${known.map((it) => it.reference)}::text[])
      as asked (carrier_id, reference)
    where orphan.carrier_id = asked.carrier_id and orphan.reference = asked.reference
    returning id, orphan.carrier_id as "carrierId", orphan.reference, to_number as to, status, error, state, code, raw,
      received_at as "receivedAt"`)
}

export interface Orphan extends Report {
  looks: number
}

/** Orphans that are due for another look. */
export function listOrphans(tx: Tx, { now, limit }: { now: Date; limit: number }): Promise<Orphan[]> {
  return tx.query<Orphan>(sql`
    select id, carrier_id as "carrierId", reference, to_number as to, status, error, state, code, raw,
      received_at as "receivedAt", looks
    from orphan_report where look_at <= ${now} order by look_at limit ${limit}`)
}

/** Those of them that are still due, and nobody else's to look at. Like every lock on them, after those on messages. */
export async function lockOrphans(tx: Tx, { ids, now }: { ids: string[]; now: Date }): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from orphan_report where id = any(${ids}::uuid[]) and look_at <= ${now} for update skip locked`)
  return new Set(rows.map((row) => row.id))
}

export async function lookAgain(tx: Tx, looks: { id: string; lookAt: Date }[]): Promise<void> {
  if (looks.length === 0) return
  await tx.query(sql`
    update orphan_report orphan set looks = looks + 1, look_at = again.look_at
    from unnest(${looks.map((it) => it.id)}::uuid[], ${looks.map((it) => it.lookAt)}::timestamptz[]) as again (id, look_at)
    where orphan.id = again.id`)
}

export async function deleteOrphans(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(sql`delete from orphan_report where id = any(${ids}::uuid[])`)
}

export async function nextLook(db: Queries): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`select min(look_at) as at from orphan_report`)
  return rows[0]?.at ?? null
}
