// Submissions: segments that were or may have been sent to a carrier, and the carrier's answers.
import type { Carrier } from '../../domain/carriers/carrier.ts'
import type { SegmentReport, Submission } from '../../domain/messages/progress.ts'
import type { Receipts } from '../../domain/messages/report.ts'
import type { MatchScope } from '../../domain/messages/report-matching.ts'
import type { AnsweredSubmission, SubmissionAnswer, SubmissionName } from '../../domain/messages/submission.ts'
import type { MessageState } from '../../domain/messages/transition.ts'
import type { Queries, Tx } from '../database/db.ts'
import { type Fragment, fragment, prepared, sql } from '../database/sql.ts'
import { openSegments } from './claims.ts'
import { isRetryQueued } from './delivery-queue.ts'
import {
  type IdRange,
  idRangeOf,
  inScope,
  type MessageSelection,
  scopesTable,
  selectMessageIds,
} from './message-selection.ts'

/** An answer with the data of its submission, which is stored with it. */
export interface NewSubmission extends SubmissionAnswer {
  ofSegments: number
  carrierId: string
  to: string
  /** D34: as sent to the carrier. */
  sender: string
  receipts: Receipts
  /** D61: the carrier's charge if it accepts the segment; null if unknown. */
  carrierCostE4: number | null
  claimedAt: Date
}

/** The first answer is final, except that a late answer replaces 'unknown'. Returns the stored submissions. */
export function storeAnswers(tx: Tx, answers: readonly NewSubmission[], now: Date): Promise<AnsweredSubmission[]> {
  const statement = sql`
    insert into submission as known ${submissionRows(answers, now)}
    on conflict (message_id, ordinal, segment) do update set outcome = excluded.outcome, error = excluded.error,
      command_status = excluded.command_status, carrier_message_id = excluded.carrier_message_id, reference = excluded.reference,
      answered_at = excluded.answered_at
    where known.outcome = 'unknown' and excluded.outcome <> 'unknown'
    returning ${ANSWERED}`
  return tx.query<AnsweredSubmission>(prepared(statement))
}

/** Fails if one of the submissions is stored already: `on conflict` would cost a look-up and a WAL record per row. */
export async function storeFirstAnswers(tx: Tx, answers: readonly NewSubmission[], now: Date): Promise<void> {
  if (answers.length === 0) return
  await tx.query(prepared(sql`insert into submission ${submissionRows(answers, now)}`))
}

function submissionRows(answers: readonly NewSubmission[], now: Date): Fragment {
  return fragment`(
      message_id, ordinal, segment, segment_count, carrier_id, to_number, sender, receipts, cost_e4, outcome, error, command_status,
      carrier_message_id, reference, claimed_at, answered_at)
    select unnest(${answers.map((it) => it.messageId)}::uuid[]), unnest(${answers.map((it) => it.ordinal)}::int[]),
      unnest(${answers.map((it) => it.segment)}::smallint[]), unnest(${answers.map((it) => it.ofSegments)}::smallint[]),
      unnest(${answers.map((it) => it.carrierId)}::uuid[]), unnest(${answers.map((it) => it.to)}::text[]),
      unnest(${answers.map((it) => it.sender)}::text[]),
      unnest(${answers.map((it) => (it.receipts === 'each' ? null : it.receipts))}::text[]),
      unnest(${answers.map((it) => it.carrierCostE4)}::bigint[]), unnest(${answers.map((it) => it.outcome)}::text[]),
      unnest(${answers.map((it) => it.error)}::text[]), unnest(${answers.map((it) => it.commandStatus)}::bigint[]),
      unnest(${answers.map((it) => it.carrierMessageId)}::text[]), unnest(${answers.map((it) => it.reference)}::text[]),
      unnest(${answers.map((it) => it.claimedAt)}::timestamptz[]), ${now}::timestamptz`
}

/** Stores that a carrier accepted submissions whose outcome was unknown, because it reports on them. Returns the changed ones. */
export function acceptUnknown(
  tx: Tx,
  accepted: readonly (SubmissionName & Pick<SubmissionAnswer, 'carrierMessageId' | 'reference'>)[],
  now: Date,
): Promise<AnsweredSubmission[]> {
  return tx.query<AnsweredSubmission>(sql`
    update submission known set outcome = 'accepted', carrier_message_id = answer.carrier_message_id, reference = answer.reference,
      answered_at = ${now}
    from unnest(
      ${accepted.map((it) => it.messageId)}::uuid[], ${accepted.map((it) => it.ordinal)}::int[],
      ${accepted.map((it) => it.segment)}::smallint[], ${accepted.map((it) => it.carrierMessageId)}::text[],
      ${accepted.map((it) => it.reference)}::text[]
    ) as answer (message_id, ordinal, segment, carrier_message_id, reference)
    where known.message_id = answer.message_id and known.ordinal = answer.ordinal and known.segment = answer.segment
      and known.outcome = 'unknown'
    returning ${ANSWERED}`)
}

const ANSWERED = fragment`
  known.message_id as "messageId", known.ordinal, known.segment, known.carrier_id as "carrierId", known.reference, known.to_number as to,
  known.claimed_at as "claimedAt", known.segment_count as "ofSegments", case when known.outcome = 'accepted' then known.cost_e4 end as "carrierCostE4"`

/** Allows another submission despite an unknown outcome (D59). A late answer still counts. */
export async function allowResend(tx: Tx, messageIds: string[], now: Date): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query(sql`
    update submission set resend_allowed_at = ${now}
    where message_id = any(${messageIds}::uuid[]) and ${idRangeOf(messageIds)(fragment`message_id`)} and outcome = 'unknown'
      and resend_allowed_at is null`)
}

export interface StoredSubmission extends Submission, SubmissionName {
  resendUnknown: boolean
}

export interface LoadedSubmission extends Submission, SubmissionName {
  to: string
  reference: string | null
  claimedAt: Date
  resendUnknown?: boolean
  /** The message waits in the queue for another submission. */
  isWaiting?: boolean
}

export interface LoadedReport extends SegmentReport, SubmissionName {
  state: string
  /** Stored with the message, see `reportRows`. */
  isInMessage: boolean
}

/** The id of a report that is stored with its message. */
const NO_REPORT_ID = fragment`'00000000-0000-0000-0000-000000000000'::uuid`

/**
 * The reports of messages. A final report on a sent message of one segment that has no other report gets no row: the message stores it as
 * its status, error and `dlr`.
 */
export function reportRows(messageIds: Fragment, range: IdRange): Fragment {
  return fragment`
    select message_id, id, ordinal, segment, status, error, state, code, raw, received_at from report
    where message_id = any(${messageIds}) and ${range(fragment`message_id`)}
    union all
    ${reportsInMessages(messageIds, range)}`
}

function reportsInMessages(messageIds: Fragment, range: IdRange): Fragment {
  return fragment`
    select message.id as message_id, ${NO_REPORT_ID} as id, 1 as ordinal, 1::smallint as segment, message.status::text, message.error::text,
      dlr ->> 'status' as state, dlr ->> 'code' as code, dlr ->> 'raw' as raw, (dlr ->> 'at')::timestamptz as received_at
    from message
    where message.id = any(${messageIds}) and ${range(fragment`message.id`)}
      and dlr is not null and message.status in ('delivered', 'undelivered', 'rejected')
      and not exists (select from report where report.message_id = message.id and ${range(fragment`report.message_id`)})`
}

/** Gives reports that are stored with their messages rows of their own, because another report follows. */
export async function separateReports(tx: Tx, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query(sql`
    insert into report (message_id, id, ordinal, segment, status, error, state, code, raw, received_at)
    ${reportsInMessages(fragment`${messageIds}::uuid[]`, idRangeOf(messageIds))} on conflict do nothing`)
}

/** A submission that a report names, with its message. */
export interface ReportedSubmission extends MessageState, LoadedSubmission {
  /** The number of the report among the scopes, from 1. */
  nth: number
  /** The attempts of §2.1. */
  attempts: number
  isReported: boolean
}

/** Up to two submissions that each report may belong to, with their messages, without a lock. */
export function listReportedSubmissions(tx: Tx, scopes: readonly MatchScope[]): Promise<ReportedSubmission[]> {
  const range = idRangeOf({ candidatesIn: scopes })
  const statement = sql`
    select scope.nth::int, message.id, message.workspace_id as "workspaceId", message.client_id as "clientId", message.to_number as to,
      message.country, message.type, message.segments, message.cost_e4 as "costE4", message.status, message.created_at as "createdAt",
      message.updated_at as "updatedAt", (webhook_url is not null or listening_until is not null) as "hasListener",
      message.submissions as attempts, message.dlr is not null as "isReported",
      candidate.message_id as "messageId", ordinal, segment, segment_count as "ofSegments", candidate.carrier_id as "carrierId",
      outcome, candidate.error, candidate.reference, coalesce(receipts, 'each') as receipts, claimed_at as "claimedAt"
    from ${scopesTable(scopes)} cross join lateral (
        select * from submission where ${inScope} and ${range(fragment`message_id`)} limit 2
      ) as candidate
      -- Offset 0 forces an index lookup per row: a plan made while the table was empty would scan the table.
      cross join lateral (
        select * from message where id = candidate.message_id and ${range(fragment`id`)} offset 0
      ) as message
      join client on client.id = message.client_id`
  return tx.query<ReportedSubmission>(prepared(statement))
}

/** All submissions and reports of these messages, in order of arrival. One statement reads them as of one moment. */
export async function loadSubmissions(
  tx: Tx,
  messages: MessageSelection,
): Promise<{ submissions: LoadedSubmission[]; reports: LoadedReport[] }> {
  // One lookup per table for all messages: a lookup per row would scan a table that was small when the plan was made.
  const range = idRangeOf(messages)
  const ids = fragment`(select ids from meant)::uuid[]`
  const statement = sql`
    with meant as materialized (select ${selectMessageIds(messages)} as ids)
    select message_id as "messageId", ordinal, segment, segment_count as "ofSegments", carrier_id as "carrierId",
      to_number as to, outcome, error, reference, coalesce(receipts, 'each') as receipts, resend_allowed_at is not null as "isResendAllowed",
      claimed_at as "claimedAt", coalesce(carrier.resend_unknown, false) as "resendUnknown",
      ${isRetryQueued(fragment`message_id`)} as "isWaiting",
      case when row_number() over () = 1 then (
        select json_agg(json_build_object(
          'messageId', message_id, 'ordinal', ordinal, 'segment', segment, 'status', status, 'error', error,
          'state', state, 'isInMessage', id = ${NO_REPORT_ID})
          order by message_id, id)
        from (${reportRows(ids, range)}) as report
      ) end as reports
    from (
        select message_id, ordinal, segment, segment_count, carrier_id, to_number, outcome::text, error::text, reference, receipts::text,
          resend_allowed_at, claimed_at
        from submission where message_id = any(${ids}) and ${range(fragment`message_id`)}
        union all
        select open.message_id, ordinal, segment, segment_count, carrier_id, message.to_number, 'open', '', null, receipts::text, null, claimed_at
        from (${openSegments(ids, range)}) as open join message on message.id = open.message_id and ${range(fragment`message.id`)}
      ) as submission left join carrier on carrier.id = submission.carrier_id
    order by message_id, ordinal, segment`
  const rows = await tx.query<LoadedSubmission & { reports: LoadedReport[] | null }>(prepared(statement))
  return { submissions: rows, reports: rows.flatMap((row) => row.reports ?? []) }
}

export interface SubmissionRecord extends Submission {
  carrierName: string | null
  carrierKind: Carrier['kind'] | null
  /** D34: as sent to the carrier; null if unknown. */
  sender: string | null
  commandStatus: number | null
  carrierMessageId: string | null
  /** D61: of an accepted submission; null if unknown. */
  carrierCostE4: number | null
  claimedAt: Date
  answeredAt: Date | null
}

export function listSubmissions(db: Queries, messageId: string): Promise<SubmissionRecord[]> {
  return db.query<SubmissionRecord>(sql`
    select ordinal, segment, segment_count as "ofSegments", carrier_id as "carrierId", carrier.name as "carrierName", carrier.kind as "carrierKind", sender,
      outcome, error, coalesce(receipts, 'each') as receipts, command_status as "commandStatus",
      carrier_message_id as "carrierMessageId", claimed_at as "claimedAt", answered_at as "answeredAt",
      case when outcome = 'accepted' then cost_e4 end as "carrierCostE4"
    from (
      select ordinal, segment, segment_count, carrier_id, sender, outcome::text, error::text, receipts::text, command_status,
        carrier_message_id, claimed_at, answered_at, cost_e4
      from submission where message_id = ${messageId}
      union all
      select ordinal, segment, segment_count, carrier_id, nullif(sender, ''), 'open', '', receipts::text, null, null, claimed_at, null, null
      from (${openSegments(fragment`array[${messageId}::uuid]`, idRangeOf([messageId]))}) as open
    ) as submission left join carrier on carrier.id = submission.carrier_id
    order by ordinal, segment`)
}

/** The carrier message ids among these that belong to messages of the workspace. */
export async function listWorkspaceReferences(
  db: Queries,
  { carrierId, references, workspaceId }: { carrierId: string; references: string[]; workspaceId: string },
): Promise<Set<string>> {
  const rows = await db.query<{ reference: string }>(sql`
    select submission.reference from submission join message on message.id = submission.message_id
    where submission.carrier_id = ${carrierId} and submission.reference = any(${references}::text[])
      and message.workspace_id = ${workspaceId}`)
  return new Set(rows.map((row) => row.reference))
}
