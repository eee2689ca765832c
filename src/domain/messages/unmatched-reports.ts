// When to retry matching a report that fits no submission, and when people see it.

/** Seconds after the previous attempt; a report that the last attempt does not match stays unmatched. */
const ATTEMPT_WAITS_SECONDS = [2, 10, 60, 600, 3600, 6 * 3600, 24 * 3600, 48 * 3600] as const
/** About a minute after the report arrived: later attempts rarely succeed. */
const SHOWN_AFTER_ATTEMPTS = 3

/** The next attempt after this many; null after the last one. */
export function planMatchAttempt(looks: number, now: Date): Date | null {
  const seconds = ATTEMPT_WAITS_SECONDS[looks]
  return seconds === undefined ? null : new Date(now.getTime() + seconds * 1000)
}

/** The first attempt for a report that has just arrived. */
export function planFirstMatchAttempt(now: Date): Date {
  return new Date(now.getTime() + ATTEMPT_WAITS_SECONDS[0] * 1000)
}

/** Whether people see a report after this many attempts. */
export function isShown(looks: number): boolean {
  return looks >= SHOWN_AFTER_ATTEMPTS
}

interface UnmatchedPlan<Report> {
  again: { id: string; lookAt: Date }[]
  /** No more attempts. */
  over: Report[]
  /** People see them from now on. */
  show: Report[]
  /** Matched, although people already saw them as unmatched. */
  hide: Report[]
}

/** Plans what follows an attempt: `found` reports were matched, `settled` ones are about something other than a message. */
export function planUnmatched<Report extends { id: string; looks: number }>(
  reports: readonly Report[],
  { found, settled, now }: { found: ReadonlySet<string>; settled: ReadonlySet<string>; now: Date },
): UnmatchedPlan<Report> {
  const plan: UnmatchedPlan<Report> = { again: [], over: [], show: [], hide: [] }
  for (const report of reports) {
    const { id, looks } = report
    const isLost = !found.has(id) && !settled.has(id)
    const lookAt = isLost ? planMatchAttempt(looks + 1, now) : null
    if (lookAt === null) plan.over.push(report)
    else plan.again.push({ id, lookAt })
    if (isLost && isShown(looks + 1) && !isShown(looks)) plan.show.push(report)
    if (found.has(id) && isShown(looks)) plan.hide.push(report)
  }
  return plan
}
