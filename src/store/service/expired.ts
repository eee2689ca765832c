// Deletion of expired rows in bounded batches, so that a sweep never delays traffic.
import type { Expiring } from '../../domain/service/expiry.ts'
import type { Queries } from '../database/db.ts'
import { type Fragment, part, sql } from '../database/sql.ts'

const TABLES: Record<Expiring, { table: Fragment; endsAt: Fragment }> = {
  codes: { table: part`otp_code`, endsAt: part`expires_at` },
  sealedTexts: { table: part`sealed_text`, endsAt: part`expires_at` },
  windowHits: { table: part`rate_limit_hit`, endsAt: part`at` },
  callers: { table: part`otp_caller`, endsAt: part`requested_at[cardinality(requested_at)]` },
  answers: { table: part`idempotent_answer`, endsAt: part`answered_at` },
  otpSends: { table: part`otp_send_stat`, endsAt: part`sent_at` },
  otpSums: { table: part`otp_hour`, endsAt: part`hour` },
  verifiedNumbers: { table: part`verified_number`, endsAt: part`verified_at` },
  holds: { table: part`pumping_hold`, endsAt: part`struck_at` },
  unmatchedReceipts: { table: part`unmatched_receipt`, endsAt: part`received_at` },
  unmatchedHours: { table: part`unmatched_receipt_hour`, endsAt: part`hour` },
  carrierTests: { table: part`carrier_test`, endsAt: part`started_at` },
  carrierCaptures: { table: part`carrier_capture`, endsAt: part`ends_at` },
  receiptPolls: { table: part`receipt_poll`, endsAt: part`ends_at` },
  carrierFigures: { table: part`carrier_stats`, endsAt: part`slot` },
  sessions: { table: part`session`, endsAt: part`ends_at` },
  invitations: { table: part`invitation`, endsAt: part`expires_at` },
  emailLinks: { table: part`email_link`, endsAt: part`expires_at` },
  wrongSignIns: { table: part`failed_sign_in`, endsAt: part`last_attempt_at` },
  challenges: { table: part`challenge`, endsAt: part`expires_at` },
  findings: { table: part`pumping_finding`, endsAt: part`struck_at` },
  otpDays: { table: part`otp_day`, endsAt: part`day` },
  messageQuarters: { table: part`message_quarter_hour`, endsAt: part`quarter_hour` },
  refusedRequests: { table: part`refused_request`, endsAt: part`at` },
  requestCounts: { table: part`request_count`, endsAt: part`hour` },
  listeningEvents: { table: part`listening_event`, endsAt: part`created_at` },
}

/** Deletes up to `limit` rows that expired at `by` or before. Returns the number of deleted rows. */
export async function deleteExpired(
  db: Queries,
  { kind, by, limit }: { kind: Expiring; by: Date; limit: number },
): Promise<number> {
  const { table, endsAt } = TABLES[kind]
  const isOver = part`${endsAt} <= ${by}`
  // Locked rows are left for the next sweep, which avoids waits and deadlocks. The condition is repeated because a row can be renewed
  // between the two checks.
  const gone = await db.query(sql`
    delete from ${table}
    where ctid = any(array(select ctid from ${table} where ${isOver} limit ${limit} for update skip locked)) and ${isOver} returning 1`)
  return gone.length
}

/** When the next OTP or sealed text expires: only these have to be deleted on time. */
export async function findNextExpiry(db: Queries): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(sql`
    select least((select min(expires_at) from otp_code), (select min(expires_at) from sealed_text)) as at`)
  return row?.at ?? null
}
