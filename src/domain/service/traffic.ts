// How much goes through the service, read from sums that only grow.
import type { QuarterCounts } from '../hours.ts'

type Traffic = Omit<QuarterCounts, 'quarter'>

/** In a second, between two looks at the sums by quarter. A quarter that is new has grown from nothing. */
export function trafficPerSecond(
  before: readonly QuarterCounts[],
  after: readonly QuarterCounts[],
  seconds: number,
): Traffic {
  const known = new Map(before.map((it) => [it.quarter.getTime(), it]))
  const growth = (of: keyof Traffic) => {
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
  /** There are more than were counted, and this is about how many. */
  isEstimate: boolean
}

/** What was counted stands, unless the count ended at its bound: then a sample says about how many there are. */
export function depthOf({ counted, sampled, most }: { counted: number; sampled: number; most: number }): Depth {
  return counted < most
    ? { waiting: counted, isEstimate: false }
    : { waiting: Math.max(counted, sampled), isEstimate: true }
}

export const RATE_SECONDS = 60

/** Per second, over the last minute; over the time of the latest, where there were more than are looked at. */
export function ratePerSecond(
  { counted, looked, firstAt, most }: { counted: number; looked: number; firstAt: Date | null; most: number },
  now: Date,
): number {
  const isWhole = looked < most || firstAt === null
  const seconds = isWhole ? RATE_SECONDS : Math.max(1, (now.getTime() - firstAt.getTime()) / 1000)
  return Math.round((counted / seconds) * 100) / 100
}
