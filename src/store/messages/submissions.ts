// Submissions: segments that were or may have been sent to a carrier, and the carrier's answers.
import type { SegmentReport, Submission } from '../../domain/messages/progress.ts'
import type { Receipts } from '../../domain/messages/report.ts'
import type { AnsweredSubmission, SubmissionAnswer, SubmissionName } from '../../domain/messages/submission.ts'
import type { Queries, Tx } from '../database/db.ts'
import { prepared, sql } from '../database/sql.ts'
import { type MessageSelection, selectMessageIds } from './message-selection.ts'

interface NewSubmission extends SubmissionName {
  ofSegments: number
  carrierId: string
  to: string
  /** D34: as sent to the carrier. */
  sender: string
  receipts: Receipts
  /** D61: the carrier's charge if it accepts the segment; null if unknown. */
  carrierCostE4: number | null
}

export async function insertSubmissions(tx: Tx, submissions: NewSubmission[], now: Date): Promise<void> {
  if (submissions.length === 0) return
  await tx.query(sql`
    insert into submission (
      message_id, ordinal, segment, segment_count, carrier_id, to_number, sender, receipts, cost_e4, claimed_at)
    select *, ${now}::timestamptz from unnest(
      ${submissions.map((it) => it.messageId)}::uuid[], ${submissions.map((it) => it.ordinal)}::int[],
      ${submissions.map((it) => it.segment)}::smallint[], ${submissions.map((it) => it.ofSegments)}::smallint[],
      ${submissions.map((it) => it.carrierId)}::uuid[], ${submissions.map((it) => it.to)}::text[],
      ${submissions.map((it) => it.sender)}::text[],
      ${submissions.map((it) => (it.receipts === 'each' ? null : it.receipts))}::text[],
      ${submissions.map((it) => it.carrierCostE4)}::bigint[])`)
}

/** The first answer is final, except that a late answer replaces 'unknown'. Returns the changed submissions. */
export function storeAnswers(tx: Tx, answers: SubmissionAnswer[], now: Date) {
  return tx.query<AnsweredSubmission>(sql`
    update submission set outcome = answer.outcome, error = answer.error, command_status = answer.command_status,
      carrier_message_id = answer.carrier_message_id, reference = answer.reference, answered_at = ${now}
    from unnest(
      ${answers.map((it) => it.messageId)}::uuid[], ${answers.map((it) => it.ordinal)}::int[],
      ${answers.map((it) => it.segment)}::smallint[], ${answers.map((it) => it.outcome)}::text[],
      ${answers.map((it) => it.error)}::text[], ${answers.map((it) => it.commandStatus)}::bigint[],
      ${answers.map((it) => it.carrierMessageId)}::text[], ${answers.map((it) => it.reference)}::text[]
    ) as answer (message_id, ordinal, segment, outcome, error, command_status, carrier_message_id, reference)
    where submission.message_id = answer.message_id and submission.ordinal = answer.ordinal
      and submission.segment = answer.segment
      and (submission.outcome = 'open' or submission.outcome = 'unknown' and answer.outcome <> 'unknown')
    returning submission.message_id as "messageId", submission.ordinal, submission.segment,
      submission.carrier_id as "carrierId", submission.reference, submission.to_number as to,
      submission.claimed_at as "claimedAt", submission.segment_count as "ofSegments",
      case when submission.outcome = 'accepted' then submission.cost_e4 end as "carrierCostE4"`)
}

/** The process that claimed these messages is gone: it may have sent the open submissions or not. */
export async function abandonSubmissions(tx: Tx, messageIds: string[], now: Date): Promise<void> {
  await tx.query(sql`
    update submission set outcome = 'unknown', answered_at = ${now}
    where message_id = any(${messageIds}::uuid[]) and outcome = 'open'`)
}

/** Allows another submission despite an unknown outcome (D59). A late answer still counts. */
export async function allowResend(tx: Tx, messageIds: string[], now: Date): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query(sql`
    update submission set resend_allowed_at = ${now}
    where message_id = any(${messageIds}::uuid[]) and outcome = 'unknown' and resend_allowed_at is null`)
}

export interface StoredSubmission extends Submission, SubmissionName {
  resendUnknown: boolean
}

export interface LoadedSubmission extends StoredSubmission {
  to: string
  reference: string | null
  claimedAt: Date
  /** The message is unclaimed in the queue. */
  isWaiting: boolean
}

export interface LoadedReport extends SegmentReport, SubmissionName {
  state: string
}

/** All submissions and reports of these messages, in order of arrival. One statement reads them as of one moment. */
export async function loadSubmissions(
  tx: Tx,
  messages: MessageSelection,
): Promise<{ submissions: LoadedSubmission[]; reports: LoadedReport[] }> {
  // One lookup per table for all messages: a lookup per row would scan a table that was small when the plan was made.
  const statement = sql`
    with meant as materialized (select ${selectMessageIds(messages)} as ids)
    select message_id as "messageId", ordinal, segment, segment_count as "ofSegments", carrier_id as "carrierId",
      to_number as to, outcome, error, reference, coalesce(receipts, 'each') as receipts, resend_allowed_at is not null as "isResendAllowed",
      claimed_at as "claimedAt", coalesce(carrier.resend_unknown, false) as "resendUnknown",
      message_id in (
        select message_id from delivery_queue
        where message_id = any((select ids from meant)::uuid[]) and claim_id is null) as "isWaiting",
      case when row_number() over () = 1 then (
        select json_agg(json_build_object(
          'messageId', message_id, 'ordinal', ordinal, 'segment', segment, 'status', status, 'error', error,
          'state', state)
          order by message_id, id)
        from report where message_id = any((select ids from meant)::uuid[])
      ) end as reports
    from submission left join carrier on carrier.id = submission.carrier_id
    where message_id = any((select ids from meant)::uuid[]) order by message_id, ordinal, segment`
  const rows = await tx.query<LoadedSubmission & { reports: LoadedReport[] | null }>(prepared(statement))
  return { submissions: rows, reports: rows.flatMap((row) => row.reports ?? []) }
}

export interface SubmissionRecord extends Submission {
  carrierName: string | null
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
    select ordinal, segment, segment_count as "ofSegments", carrier_id as "carrierId", carrier.name as "carrierName", sender,
      outcome, error, coalesce(receipts, 'each') as receipts, command_status as "commandStatus",
      carrier_message_id as "carrierMessageId", claimed_at as "claimedAt", answered_at as "answeredAt",
      case when outcome = 'accepted' then cost_e4 end as "carrierCostE4"
    from submission left join carrier on carrier.id = submission.carrier_id
    where message_id = ${messageId} order by ordinal, segment`)
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
