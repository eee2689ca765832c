// How much goes through the service, read from sums that only grow.
import type { QuarterCounts } from '../hours.ts'

export type Traffic = Omit<QuarterCounts, 'quarter'>

/** In a second, between two looks at the sums by quarter. A quarter that is new has grown from nothing. */
export function perSecond(before: readonly QuarterCounts[], after: readonly QuarterCounts[], seconds: number): Traffic {
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
