// When a report that fits no submission is looked at again, and when people get to see it.

/** In seconds after the look before; a report that the last look does not match is nobody's. */
const LOOKS_SECONDS = [2, 10, 60, 600, 3600, 6 * 3600, 24 * 3600, 48 * 3600] as const
/** About a minute after the report came: later looks seldom find anything. */
const SHOWN_AFTER_LOOKS = 3

/** The time of the look that follows so many; null where there is none. */
export function planLook(looks: number, now: Date): Date | null {
  const seconds = LOOKS_SECONDS[looks]
  return seconds === undefined ? null : new Date(now.getTime() + seconds * 1000)
}

/** When a report that came just now is looked at again. */
export function planFirstLook(now: Date): Date {
  return new Date(now.getTime() + LOOKS_SECONDS[0] * 1000)
}

/** Whether people see a report that was looked at so often. */
export function isShown(looks: number): boolean {
  return looks >= SHOWN_AFTER_LOOKS
}

export interface UnmatchedPlan<Report> {
  again: { id: string; lookAt: Date }[]
  /** They leave those that wait. */
  over: Report[]
  /** From now on people see them. */
  show: Report[]
  /** Their submissions were found, though people see them as unmatched. */
  hide: Report[]
}

/** What follows a look: `found` are the reports that it matched, `settled` those that are about something else than a message. */
export function planUnmatched<Report extends { id: string; looks: number }>(
  reports: readonly Report[],
  { found, settled, now }: { found: ReadonlySet<string>; settled: ReadonlySet<string>; now: Date },
): UnmatchedPlan<Report> {
  const plan: UnmatchedPlan<Report> = { again: [], over: [], show: [], hide: [] }
  for (const report of reports) {
    const { id, looks } = report
    const isLost = !found.has(id) && !settled.has(id)
    const lookAt = isLost ? planLook(looks + 1, now) : null
    if (lookAt === null) plan.over.push(report)
    else plan.again.push({ id, lookAt })
    if (isLost && isShown(looks + 1) && !isShown(looks)) plan.show.push(report)
    if (found.has(id) && isShown(looks)) plan.hide.push(report)
  }
  return plan
}
