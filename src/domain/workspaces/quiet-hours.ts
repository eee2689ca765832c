// D16: promotional text waits while it is night where it goes.
import { isTimeZone } from './billing-period.ts'

interface QuietHours {
  timeZone: string
  quietFrom: string | null
  quietTo: string | null
}

/** When the night that holds `now` ends, or null by day. From and to may lie on two days. */
export function quietUntil(now: Date, { timeZone, quietFrom, quietTo }: QuietHours): Date | null {
  if (quietFrom === null || quietTo === null || quietFrom === quietTo) return null
  // A zone that this Node does not know has no night: better that than messages that can never be judged.
  if (!isTimeZone(timeZone)) return null
  const here = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone)
  const time = here.toPlainTime().toString().slice(0, 5)
  const overMidnight = quietFrom > quietTo
  const isQuiet = overMidnight ? time >= quietFrom || time < quietTo : time >= quietFrom && time < quietTo
  if (!isQuiet) return null
  const endsOn = overMidnight && time >= quietFrom ? here.toPlainDate().add({ days: 1 }) : here.toPlainDate()
  // Where clocks go back over the end, it is the later of the two: the earlier may have passed.
  const end = endsOn.toPlainDateTime(Temporal.PlainTime.from(quietTo))
  return new Date(end.toZonedDateTime(timeZone, { disambiguation: 'later' }).epochMilliseconds)
}
