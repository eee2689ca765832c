// Message counts over time, in the time zone of a workspace. They are kept by quarter hour, because the hours of Nepal begin a quarter past
// the hour of UTC, and later by day (D76).
import { DAY_SECONDS } from './durations.ts'
import type { TimeRange } from './time-ranges.ts'

const QUARTER_MS = 15 * 60_000

/** The start of the quarter of an hour. */
export function quarterOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS)
}

type StepUnit = 'quarterHour' | 'hour' | 'sixHours' | 'day'

const STEPS: Record<TimeRange, { count: number; unit: StepUnit }> = {
  '1h': { count: 4, unit: 'quarterHour' },
  '6h': { count: 24, unit: 'quarterHour' },
  '24h': { count: 24, unit: 'hour' },
  '7d': { count: 28, unit: 'sixHours' },
  '30d': { count: 30, unit: 'day' },
  '90d': { count: 90, unit: 'day' },
}

/** Older quarter hours are part of a day. A week has its first step completely. */
export const QUARTERS_KEPT_SECONDS = 8 * DAY_SECONDS
/** More than the longest range. */
export const COUNT_DAYS_KEPT_SECONDS = 93 * DAY_SECONDS

/** Whether the range has steps of days, which may be older than the quarter hours. */
export function hasDays(range: TimeRange): boolean {
  return STEPS[range].unit === 'day'
}

export interface TimeStep {
  startsAt: Date
  endsAt: Date
}

/** The steps of a range, in order; the last one contains `now`. */
export function stepsOf(range: TimeRange, now: Date, timeZone: string): TimeStep[] {
  const { count, unit } = STEPS[range]
  const steps: TimeStep[] = []
  for (let at = now.getTime(); steps.length < count; ) {
    const { start, end } = stepAround(at, unit, timeZone)
    const endsAt = steps.at(-1)?.startsAt ?? new Date(end.epochMilliseconds)
    steps.push({ startsAt: new Date(start.epochMilliseconds), endsAt })
    at = start.epochMilliseconds - 1
  }
  return steps.reverse()
}

function stepAround(at: number, unit: StepUnit, timeZone: string) {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone)
  if (unit === 'day') return { start: local.startOfDay(), end: local.add({ days: 1 }).startOfDay() }
  const [smallestUnit, roundingIncrement] =
    unit === 'quarterHour' ? (['minute', 15] as const) : (['hour', unit === 'hour' ? 1 : 6] as const)
  const start = local.round({ smallestUnit, roundingIncrement, roundingMode: 'floor' })
  return { start, end: start.add({ [`${smallestUnit}s`]: roundingIncrement }) }
}

export interface MessageCounts {
  accepted: number
  delivered: number
  undelivered: number
  failed: number
}

export interface QuarterCounts extends MessageCounts {
  quarter: Date
}

export interface DayCounts extends MessageCounts {
  /** In the time zone of the workspace. */
  day: string
}

interface StepCounts extends TimeStep {
  delivered: number
  underWay: number
  undelivered: number
  failed: number
}

interface CountsAt extends MessageCounts {
  at: Date
}

/** Every step, also one without messages. A message counts in the step in which it was accepted. A day is counted at its start. */
export function countBySteps(
  steps: readonly TimeStep[],
  { quarters, days, timeZone }: { quarters: readonly QuarterCounts[]; days: readonly DayCounts[]; timeZone: string },
): StepCounts[] {
  const startOf = (day: string) => new Date(Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds)
  const counts: CountsAt[] = [
    ...quarters.map(({ quarter, ...rest }) => ({ at: quarter, ...rest })),
    ...days.map(({ day, ...rest }) => ({ at: startOf(day), ...rest })),
  ]
  const ofStep = Map.groupBy(counts, ({ at }) => steps.findLast(({ startsAt }) => startsAt <= at))
  return steps.map((step) => {
    const sum = (ofStep.get(step) ?? []).reduce<MessageCounts>(add, NO_COUNTS)
    const { accepted, delivered, undelivered, failed } = sum
    // Different processes store accepted and finished counts, so one may be ahead for a moment.
    return {
      ...step,
      delivered,
      underWay: Math.max(0, accepted - delivered - undelivered - failed),
      undelivered,
      failed,
    }
  })
}

export const NO_COUNTS: MessageCounts = { accepted: 0, delivered: 0, undelivered: 0, failed: 0 }

function add(one: MessageCounts, other: MessageCounts): MessageCounts {
  return {
    accepted: one.accepted + other.accepted,
    delivered: one.delivered + other.delivered,
    undelivered: one.undelivered + other.undelivered,
    failed: one.failed + other.failed,
  }
}

export function calendarDay(at: Date, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate().toString()
}

export interface WorkspaceQuarter extends QuarterCounts {
  workspaceId: string
  timeZone: string
}

export interface WorkspaceDay extends DayCounts {
  workspaceId: string
}

/** Quarter hours as days of their workspaces, in order of workspace and day. */
export function sumByDay(quarters: readonly WorkspaceQuarter[]): WorkspaceDay[] {
  const days = new Map<string, WorkspaceDay>()
  for (const { workspaceId, timeZone, quarter, ...counts } of quarters) {
    const day = calendarDay(quarter, timeZone)
    const key = `${workspaceId} ${day}`
    days.set(key, { workspaceId, day, ...add(days.get(key) ?? NO_COUNTS, counts) })
  }
  return [...days.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, day]) => day)
}
