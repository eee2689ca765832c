// The calendar of a workspace for billing and caps: months and days in its own time zone (§2.3, D9, D27).

type BillingPeriod = { period: string; startsAt: Date; endsAt: Date }
type CalendarDay = { day: string; startsAt: Date; endsAt: Date }

// The month of an instant, named by its first day: '2026-07-01'.
export function periodOf(at: Date, timeZone: string): BillingPeriod {
  const { firstDate, startsAtMs, endsAtMs } = spanAround(at.getTime(), timeZone, 'months')
  return { period: firstDate, startsAt: new Date(startsAtMs), endsAt: new Date(endsAtMs) }
}

export function dayOf(at: Date, timeZone: string): CalendarDay {
  const { firstDate, startsAtMs, endsAtMs } = spanAround(at.getTime(), timeZone, 'days')
  return { day: firstDate, startsAt: new Date(startsAtMs), endsAt: new Date(endsAtMs) }
}

// The day of that name: '2026-07-01'.
export function parseDay(day: string, timeZone: string): CalendarDay {
  const date = Temporal.PlainDate.from(day)
  const endsAt = new Date(firstInstantOf(date.add({ days: 1 }), timeZone))
  return { day, startsAt: new Date(firstInstantOf(date, timeZone)), endsAt }
}

// The month of that name: '2026-07'.
export function parseMonth(
  month: string,
  timeZone: string,
): { from: string; to: string; startsAt: Date; endsAt: Date } {
  const first = Temporal.PlainDate.from(`${month}-01`)
  const last = first.add({ months: 1 }).subtract({ days: 1 })
  const endsAt = new Date(firstInstantOf(last.add({ days: 1 }), timeZone))
  const startsAt = new Date(firstInstantOf(first, timeZone))
  return { from: first.toString(), to: last.toString(), startsAt, endsAt }
}

// A time with the offset of its zone: '2026-11-16T09:45:00.000+05:45'.
export function zonedTime(at: Date, timeZone: string): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  return zoned.toString({ timeZoneName: 'never', fractionalSecondDigits: 3 })
}

// Every day from the first to the last, inclusive.
export function daysBetween({ from, to }: { from: string; to: string }): string[] {
  const first = Temporal.PlainDate.from(from)
  const { days } = first.until(to)
  return Array.from({ length: days + 1 }, (_, index) => first.add({ days: index }).toString())
}

// A name of the IANA database that Temporal supports; Intl accepts more names, for example IST, without rules. An offset ('+05:45') is rejected: it
// has no daylight saving time, and PostgreSQL reads its sign the other way round.
export function isTimeZone(name: string): boolean {
  if (!/^[a-z][a-z0-9_+/-]*$/i.test(name) || /^t\d/i.test(name)) return false
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name) !== null
  } catch {
    return false
  }
}

type Span = { firstDate: string; startsAtMs: number; endsAtMs: number }
type Unit = 'months' | 'days'

// Every request needs a span, which changes once a day, so the latest span of each zone is cached.
const latestSpans = new Map<string, Span>()
const MAX_LATEST_SPANS = 1_000

function spanAround(atMs: number, timeZone: string, unit: Unit): Span {
  const name = `${unit} ${timeZone}`
  const latest = latestSpans.get(name)
  if (latest && latest.startsAtMs <= atMs && atMs < latest.endsAtMs) return latest
  const span = computeSpan(atMs, timeZone, unit)
  if (latestSpans.size >= MAX_LATEST_SPANS) latestSpans.clear()
  latestSpans.set(name, span)
  return span
}

// A span runs from the first instant of its first date to the first instant of the next one's, so spans never overlap and leave no gap. If clocks
// go back over midnight (St. John's, 00:01 to 23:01), the repeated hour belongs to the span that already began: money and caps count an instant
// once.
function computeSpan(atMs: number, timeZone: string, unit: Unit): Span {
  const date = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone).toPlainDate()
  const step = { [unit]: 1 }
  let first = unit === 'months' ? date.with({ day: 1 }) : date
  while (firstInstantOf(first.add(step), timeZone) <= atMs) first = first.add(step)
  return {
    firstDate: first.toString(),
    startsAtMs: firstInstantOf(first, timeZone),
    endsAtMs: firstInstantOf(first.add(step), timeZone),
  }
}

// Not always 00:00: if clocks go forward at midnight the day begins at 01:00, and a skipped date has no length.
function firstInstantOf(date: Temporal.PlainDate, timeZone: string): number {
  return date.toZonedDateTime(timeZone).epochMilliseconds
}
