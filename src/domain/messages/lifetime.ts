// How long a message may be submitted, and how long to wait for its outcome (D13 to D15).
import { OTP_LIFETIME_SECONDS } from '../codes/otp.ts'
import { DAY_MS, DAY_SECONDS } from '../durations.ts'
import type { MessageType } from '../message-type.ts'

const VALIDITY_SECONDS = 48 * 3600
const LATEST_REPORT_SECONDS = DAY_SECONDS

/** An id is created when its request arrives, the message when its batch runs; an id may also be one millisecond ahead. */
export const MAX_ACCEPT_MS = 60_000

/** Longer than any message lives and its receipts are awaited (D13): older messages do not change any more. */
export const SETTLED_MS = 7 * DAY_MS

/** D14: an OTP lives five minutes; every other text may be delivered for two days. */
export function validitySeconds(type: MessageType): number {
  return type === 'otp' ? OTP_LIFETIME_SECONDS : VALIDITY_SECONDS
}

/** The message is not submitted after this time. */
export function expiresAt({ type, createdAt }: { type: MessageType; createdAt: Date }): Date {
  return new Date(createdAt.getTime() + validitySeconds(type) * 1000)
}

/** D13: the age at which a message stops waiting for a receipt. */
export function deadlineSeconds(type: MessageType): number {
  return validitySeconds(type) + LATEST_REPORT_SECONDS
}
