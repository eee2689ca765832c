// When a carrier is asked about a message (D54): soon, then after waits that double, and for a last time before its deadline (D13). Every
// number here is bounded, so a message that is never reported on is asked about a few dozen times, and no more.

import type { MessageType } from '../../message-type.ts'
import { deadlineSeconds } from '../../messages/lifetime.ts'
import type { ReceiptPoll } from './description.ts'

export type PollWaits = Pick<ReceiptPoll, 'firstAfterSeconds' | 'longestWaitSeconds'>

/** The last question leaves so long before the message ends by itself: time enough for its answer. */
const LAST_BEFORE_MS = 5 * 60_000

/** From then on nothing is asked any more. */
export function pollEnd({ type, createdAt }: { type: MessageType; createdAt: Date }): Date {
  return new Date(createdAt.getTime() + deadlineSeconds(type) * 1000)
}

export function firstPoll({ firstAfterSeconds }: PollWaits, now: Date): Date {
  return new Date(now.getTime() + firstAfterSeconds * 1000)
}

/** After it was asked so often, the last time now; null where that was the last time. */
export function nextPoll(
  { asked, endsAt }: { asked: number; endsAt: Date },
  { firstAfterSeconds, longestWaitSeconds }: PollWaits,
  now: Date,
): Date | null {
  const waitSeconds = Math.min(longestWaitSeconds, firstAfterSeconds * 2 ** Math.min(asked, 30))
  const lastAt = endsAt.getTime() - LAST_BEFORE_MS
  if (now.getTime() >= lastAt) return null
  return new Date(Math.min(lastAt, now.getTime() + waitSeconds * 1000))
}

const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 5 * 60_000

/** How long a carrier is not asked at all after so many failures in a row; `askedMs` is what it wishes itself. */
export function pollRestMs(failures: number, askedMs: number): number {
  if (failures === 0) return 0
  return Math.max(askedMs, Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(failures - 1, 20)))
}
