// D16: promotional text waits while it is night where it goes.

export interface QuietHours {
  timeZone: string
  quietFrom: string | null
  quietTo: string | null
}

/** When the night that holds `now` ends, or null by day. From and to may lie on two days. */
export function quietUntil(now: Date, { timeZone, quietFrom, quietTo }: QuietHours): Date | null {
  if (quietFrom === null || quietTo === null || quietFrom === quietTo) return null
  const here = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone)
  const time = here.toPlainTime().toString().slice(0, 5)
  const overMidnight = quietFrom > quietTo
  const isQuiet = overMidnight ? time >= quietFrom || time < quietTo : time >= quietFrom && time < quietTo
  if (!isQuiet) return null
  const endsOn = overMidnight && time >= quietFrom ? here.toPlainDate().add({ days: 1 }) : here.toPlainDate()
  return new Date(endsOn.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(quietTo) }).epochMilliseconds)
}
