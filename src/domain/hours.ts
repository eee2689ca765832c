// Hours in the time zone of a workspace, made of quarters: the hours of Nepal begin a quarter past the hour of UTC.

const QUARTER_MS = 15 * 60_000

/** The start of the quarter of an hour. */
export function quarterOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS)
}

/** The start of each of this many hours, in order; the last one contains `now`. */
export function hoursUntil(now: Date, count: number, timeZone: string): Date[] {
  const hours: Date[] = []
  for (let at = now.getTime(); hours.length < count; ) {
    const startsAt = Temporal.Instant.fromEpochMilliseconds(at)
      .toZonedDateTimeISO(timeZone)
      .round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds
    hours.push(new Date(startsAt))
    at = startsAt - 1
  }
  return hours.reverse()
}

export interface QuarterCounts {
  quarter: Date
  accepted: number
  delivered: number
  undelivered: number
  failed: number
}

interface HourCounts {
  startsAt: Date
  delivered: number
  underWay: number
  undelivered: number
  failed: number
}

/** Every hour, also one without messages. A message counts in the hour in which it was accepted. */
export function byHour(hours: readonly Date[], quarters: readonly QuarterCounts[]): HourCounts[] {
  const counts = hours.map((startsAt) => ({ startsAt, delivered: 0, underWay: 0, undelivered: 0, failed: 0 }))
  for (const { quarter, accepted, delivered, undelivered, failed } of quarters) {
    const hour = counts.findLast(({ startsAt }) => startsAt <= quarter)
    if (!hour) continue
    hour.delivered += delivered
    hour.undelivered += undelivered
    hour.failed += failed
    // Different processes store accepted and finished counts, so one may be ahead for a moment.
    hour.underWay += Math.max(0, accepted - delivered - undelivered - failed)
  }
  return counts
}
