// What has expired and may be deleted, because no later decision needs it.
import { FIGURE_SECONDS } from '../carriers/carrier-figures.ts'
import { GUARD_MEMORY_SECONDS } from '../codes/pumping.ts'
import { DAY_SECONDS } from '../durations.ts'
import { COUNT_DAYS_KEPT_SECONDS } from '../message-counts.ts'
import { IDEMPOTENCY_SECONDS } from '../messages/idempotency.ts'
import { MAX_WINDOW_SECONDS, OTP_LIMITS } from '../messages/limits.ts'
import { UNMATCHED_SECONDS } from '../messages/receipt-cause.ts'
import { REMEMBERED_SECONDS } from '../people/sign-in-pace.ts'
import { LISTENING_EVENTS_SECONDS } from '../webhooks/listening.ts'
import { MINUTES_KEPT_SECONDS } from './service-minutes.ts'

export type ExpiringKind =
  | 'codes'
  | 'sealedTexts'
  | 'windowHits'
  | 'callers'
  | 'answers'
  | 'otpSends'
  | 'otpSums'
  | 'verifiedNumbers'
  | 'holds'
  | 'unmatchedReceipts'
  | 'unmatchedHours'
  | 'carrierTests'
  | 'carrierCaptures'
  | 'receiptPolls'
  | 'carrierFigures'
  | 'sessions'
  | 'invitations'
  | 'emailLinks'
  | 'wrongSignIns'
  | 'challenges'
  | 'findings'
  | 'otpDays'
  | 'messageDays'
  | 'refusedRequests'
  | 'successfulRequests'
  | 'unknownKeyRequests'
  | 'requestCounts'
  | 'listeningEvents'
  | 'serviceMinutes'
  | 'webhookHalfHours'

const CARRIER_TESTS_SECONDS = 7 * DAY_SECONDS
/** D60 */
const CAPTURES_SECONDS = 3600
/** The API request log covers a week. */
export const REQUEST_LOG_SECONDS = 7 * DAY_SECONDS

/** For each kind of data: everything up to this time has expired. */
export type ExpiredData = [what: ExpiringKind, by: Date][]

/** §2.2: an OTP is deleted after it expired, a locked one later (§3.2); D21: its encrypted text within a second of its 300 s. */
export function expiredCodes(now: Date): ExpiredData {
  return [
    ['codes', now],
    ['sealedTexts', now],
  ]
}

/** Data that need not be deleted on time. */
export function expiredRecords(now: Date): ExpiredData {
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  return [
    ['windowHits', ago(MAX_WINDOW_SECONDS)],
    ['callers', ago(OTP_LIMITS.caller.seconds)],
    ['answers', ago(IDEMPOTENCY_SECONDS)],
    ['otpSends', ago(GUARD_MEMORY_SECONDS.sends)],
    ['otpSums', ago(GUARD_MEMORY_SECONDS.sums)],
    ['verifiedNumbers', ago(GUARD_MEMORY_SECONDS.verifiedNumbers)],
    ['holds', ago(GUARD_MEMORY_SECONDS.holds)],
    ['unmatchedReceipts', ago(UNMATCHED_SECONDS.shown)],
    ['unmatchedHours', ago(UNMATCHED_SECONDS.counted + 3600)],
    ['carrierTests', ago(CARRIER_TESTS_SECONDS)],
    ['carrierCaptures', ago(CAPTURES_SECONDS)],
    // D54: polls of carriers that are no longer polled.
    ['receiptPolls', now],
    // A slot that begins before the hour still counts.
    ['carrierFigures', ago(2 * FIGURE_SECONDS)],
    ['sessions', now],
    ['invitations', now],
    ['emailLinks', now],
    ['wrongSignIns', ago(REMEMBERED_SECONDS)],
    ['challenges', now],
    ['findings', ago(GUARD_MEMORY_SECONDS.findings)],
    ['otpDays', ago(GUARD_MEMORY_SECONDS.days)],
    ['messageDays', ago(COUNT_DAYS_KEPT_SECONDS)],
    ['refusedRequests', ago(REQUEST_LOG_SECONDS)],
    ['successfulRequests', ago(REQUEST_LOG_SECONDS)],
    ['unknownKeyRequests', ago(REQUEST_LOG_SECONDS)],
    ['requestCounts', ago(REQUEST_LOG_SECONDS)],
    ['listeningEvents', ago(LISTENING_EVENTS_SECONDS)],
    ['serviceMinutes', ago(MINUTES_KEPT_SECONDS)],
    ['webhookHalfHours', ago(DAY_SECONDS)],
  ]
}
