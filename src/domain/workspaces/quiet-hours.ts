// D16: promotional text waits during the night of its destination.
import { isTimeZone } from './billing-period.ts'

export interface QuietHours {
  timeZone: string
  quietFrom: string | null
  quietTo: string | null
}

/** When the current quiet hours end; null outside of them. The hours may span midnight. */
export function quietUntil(now: Date, { timeZone, quietFrom, quietTo }: QuietHours): Date | null {
  if (quietFrom === null || quietTo === null || quietFrom === quietTo) return null
  // An unknown time zone has no quiet hours; otherwise its messages could never be sent.
  if (!isTimeZone(timeZone)) return null
  const here = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone)
  const time = here.toPlainTime().toString().slice(0, 5)
  const overMidnight = quietFrom > quietTo
  const isQuiet = overMidnight ? time >= quietFrom || time < quietTo : time >= quietFrom && time < quietTo
  if (!isQuiet) return null
  const endsOn = overMidnight && time >= quietFrom ? here.toPlainDate().add({ days: 1 }) : here.toPlainDate()
  // If the clock change repeats the end, the later one counts: the earlier may have passed.
  const end = endsOn.toPlainDateTime(Temporal.PlainTime.from(quietTo))
  return new Date(end.toZonedDateTime(timeZone, { disambiguation: 'later' }).epochMilliseconds)
}
