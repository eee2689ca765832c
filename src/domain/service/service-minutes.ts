// Figures of the service by minute, kept for charts.
import { DAY_SECONDS, MINUTE_MS } from '../durations.ts'
import type { MessageType } from '../message-type.ts'
import type { TimeRange } from '../time-ranges.ts'

export interface ServiceMinute {
  minute: Date
  /** Messages. */
  accepted: number
  /** Segments, by the answer of the carrier and by the receipt. */
  sent: number
  rejected: number
  delivered: number
  undelivered: number
  /** API requests. */
  refused: number
  /** Messages in the queue, and seconds since the oldest due message was due. */
  waiting: Record<MessageType, number>
  oldestSeconds: Record<MessageType, number>
}

/** At 60 × 24 × 91 rows the table stays below 135,000 rows. */
export const MINUTES_KEPT_SECONDS = 91 * DAY_SECONDS

/** The last minute that has ended. */
export function lastEndedMinute(now: Date): Date {
  return new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS - MINUTE_MS)
}

/** Each range has at most about 200 points. */
const STEPS: Record<TimeRange, { hours: number; stepSeconds: number }> = {
  '1h': { hours: 1, stepSeconds: 60 },
  '6h': { hours: 6, stepSeconds: 120 },
  '24h': { hours: 24, stepSeconds: 600 },
  '7d': { hours: 7 * 24, stepSeconds: 3_600 },
  '30d': { hours: 30 * 24, stepSeconds: 14_400 },
  '90d': { hours: 90 * 24, stepSeconds: 43_200 },
}

export function historyWindow(range: TimeRange, now: Date): { since: Date; stepSeconds: number } {
  const { hours, stepSeconds } = STEPS[range]
  const stepMs = stepSeconds * 1000
  return { since: new Date(Math.floor((now.getTime() - hours * 60 * MINUTE_MS) / stepMs) * stepMs), stepSeconds }
}
