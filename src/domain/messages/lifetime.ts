// How long a message may be submitted, and how long its outcome is waited for (D13 to D15).

import { OTP_LIFETIME_SECONDS } from '../codes/otp.ts'
import type { MessageType } from '../message-type.ts'

const VALIDITY_SECONDS = 48 * 3600
const LATEST_REPORT_SECONDS = 24 * 3600

/** An id is made when its request comes, and the message when its batch does; or the id has borrowed a millisecond. */
export const LONGEST_ACCEPT_MS = 60_000

/** D14: a code lives five minutes; every other text is still worth delivering for two days. */
export function validitySeconds(type: MessageType): number {
  return type === 'otp' ? OTP_LIFETIME_SECONDS : VALIDITY_SECONDS
}

/** From here on it is not submitted any more. */
export function expiresAt({ type, createdAt }: { type: MessageType; createdAt: Date }): Date {
  return new Date(createdAt.getTime() + validitySeconds(type) * 1000)
}

/** D13: the end of waiting for a report, as an age of the message. */
export function deadlineSeconds(type: MessageType): number {
  return validitySeconds(type) + LATEST_REPORT_SECONDS
}
