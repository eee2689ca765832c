// Throughput of the service, computed from counters that only grow.
import type { MessageCounts, QuarterCounts } from '../message-counts.ts'

/** Messages per second between two reads of the counters. A new quarter starts at zero. */
export function trafficPerSecond(
  before: readonly QuarterCounts[],
  after: readonly QuarterCounts[],
  seconds: number,
): MessageCounts {
  const known = new Map(before.map((it) => [it.quarter.getTime(), it]))
  const growth = (of: keyof MessageCounts) => {
    const grown = after.reduce((sum, it) => sum + it[of] - (known.get(it.quarter.getTime())?.[of] ?? 0), 0)
    return Math.round((grown / seconds) * 10) / 10
  }
  return {
    accepted: growth('accepted'),
    delivered: growth('delivered'),
    undelivered: growth('undelivered'),
    failed: growth('failed'),
  }
}

interface Depth {
  waiting: number
  /** The count stopped at its limit, and this is an estimate. */
  isEstimate: boolean
}

/** The exact count, or a sampled estimate if the count reached its limit. */
export function depthOf({ counted, sampled, most }: { counted: number; sampled: number; most: number }): Depth {
  return counted < most
    ? { waiting: counted, isEstimate: false }
    : { waiting: Math.max(counted, sampled), isEstimate: true }
}

export const RATE_SECONDS = 60

/** Per second over the last minute; if the read was limited, over the time span of the messages read. */
export function ratePerSecond(
  { counted, looked, firstAt, most }: { counted: number; looked: number; firstAt: Date | null; most: number },
  now: Date,
): number {
  const isWhole = looked < most || firstAt === null
  const seconds = isWhole ? RATE_SECONDS : Math.max(1, (now.getTime() - firstAt.getTime()) / 1000)
  return Math.round((counted / seconds) * 100) / 100
}
