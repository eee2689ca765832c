// When to poll for the receipt of a message (D54): soon, then at doubling intervals, and once more before its deadline (D13). A message
// without a receipt is polled for a few dozen times at most.

import type { MessageType } from '../../message-type.ts'
import { deadlineSeconds } from '../../messages/lifetime.ts'
import type { ReceiptPoll } from './description.ts'

export type PollWaits = Pick<ReceiptPoll, 'firstAfterSeconds' | 'longestWaitSeconds'>

/** The last poll runs this long before the deadline, so that its response can arrive. */
const LAST_BEFORE_MS = 5 * 60_000

/** No polls run after this time. */
export function pollEnd({ type, createdAt }: { type: MessageType; createdAt: Date }): Date {
  return new Date(createdAt.getTime() + deadlineSeconds(type) * 1000)
}

export function firstPoll({ firstAfterSeconds }: PollWaits, now: Date): Date {
  return new Date(now.getTime() + firstAfterSeconds * 1000)
}

/** The poll after this many; null after the last one. */
export function nextPoll(
  { attempts, endsAt }: { attempts: number; endsAt: Date },
  { firstAfterSeconds, longestWaitSeconds }: PollWaits,
  now: Date,
): Date | null {
  const waitSeconds = Math.min(longestWaitSeconds, firstAfterSeconds * 2 ** Math.min(attempts, 30))
  const lastAt = endsAt.getTime() - LAST_BEFORE_MS
  if (now.getTime() >= lastAt) return null
  return new Date(Math.min(lastAt, now.getTime() + waitSeconds * 1000))
}

const FIRST_REST_MS = 1_000
const MAX_PAUSE_MS = 5 * 60_000

/** How long to stop polling after this many failures in a row; `requestedMs` is the carrier's Retry-After. */
export function pollPauseMs(failures: number, requestedMs: number): number {
  if (failures === 0) return 0
  return Math.max(requestedMs, Math.min(MAX_PAUSE_MS, FIRST_REST_MS * 2 ** Math.min(failures - 1, 20)))
}
