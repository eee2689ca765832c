// Deletion of expired rows in bounded batches, so that a sweep never delays traffic.
import type { ExpiringKind } from '../../domain/service/expiry.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries } from '../database/db.ts'
import { type Fragment, fragment, sql } from '../database/sql.ts'

interface ExpiringTable {
  table: Fragment
  /** Without it, rows are deleted by the time in their id. */
  endsAt?: Fragment
}

const TABLES: Record<ExpiringKind, ExpiringTable> = {
  codes: { table: fragment`otp_code`, endsAt: fragment`expires_at` },
  sealedTexts: { table: fragment`sealed_text`, endsAt: fragment`expires_at` },
  windowHits: { table: fragment`rate_limit_hit`, endsAt: fragment`at` },
  callers: { table: fragment`otp_caller`, endsAt: fragment`requested_at[cardinality(requested_at)]` },
  answers: { table: fragment`idempotent_answer`, endsAt: fragment`answered_at` },
  otpSends: { table: fragment`otp_send_stat`, endsAt: fragment`sent_at` },
  otpSums: { table: fragment`otp_hour`, endsAt: fragment`hour` },
  verifiedNumbers: { table: fragment`verified_number`, endsAt: fragment`verified_at` },
  holds: { table: fragment`pumping_hold`, endsAt: fragment`struck_at` },
  unmatchedReceipts: { table: fragment`unmatched_receipt`, endsAt: fragment`received_at` },
  unmatchedHours: { table: fragment`unmatched_receipt_hour`, endsAt: fragment`hour` },
  carrierTests: { table: fragment`carrier_test`, endsAt: fragment`started_at` },
  carrierCaptures: { table: fragment`carrier_capture`, endsAt: fragment`ends_at` },
  receiptPolls: { table: fragment`receipt_poll`, endsAt: fragment`ends_at` },
  carrierFigures: { table: fragment`carrier_stats`, endsAt: fragment`slot` },
  sessions: { table: fragment`session`, endsAt: fragment`ends_at` },
  invitations: { table: fragment`invitation`, endsAt: fragment`expires_at` },
  emailLinks: { table: fragment`email_link`, endsAt: fragment`expires_at` },
  wrongSignIns: { table: fragment`failed_sign_in`, endsAt: fragment`last_attempt_at` },
  challenges: { table: fragment`challenge`, endsAt: fragment`expires_at` },
  findings: { table: fragment`pumping_finding`, endsAt: fragment`struck_at` },
  otpDays: { table: fragment`otp_day`, endsAt: fragment`day` },
  messageDays: { table: fragment`message_day`, endsAt: fragment`day` },
  refusedRequests: { table: fragment`refused_request`, endsAt: fragment`at` },
  successfulRequests: { table: fragment`successful_request` },
  unknownKeyRequests: { table: fragment`unknown_key_request`, endsAt: fragment`minute` },
  requestCounts: { table: fragment`request_count`, endsAt: fragment`hour` },
  serviceMinutes: { table: fragment`service_minute`, endsAt: fragment`minute` },
  listeningEvents: { table: fragment`listening_event`, endsAt: fragment`created_at` },
  webhookHalfHours: { table: fragment`webhook_half_hour`, endsAt: fragment`half_hour` },
}

/** Deletes up to `limit` rows that expired at `by` or before. Returns the number of deleted rows. */
export async function deleteExpired(
  db: Queries,
  { kind, by, limit }: { kind: ExpiringKind; by: Date; limit: number },
): Promise<number> {
  const { table, endsAt } = TABLES[kind]
  const isOver = endsAt ? fragment`${endsAt} <= ${by}` : fragment`id <= ${lowestIdOf(by)}`
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
