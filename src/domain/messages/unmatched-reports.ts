// When to retry matching a report that fits no submission, and when people see it.

/** Seconds after the previous attempt; a report that the last attempt does not match stays unmatched. */
const ATTEMPT_WAITS_SECONDS = [2, 10, 60, 600, 3600, 6 * 3600, 24 * 3600, 48 * 3600] as const
/** About a minute after the report arrived: later attempts rarely succeed. */
const SHOWN_AFTER_ATTEMPTS = 3

/** The next attempt after this many; null after the last one. */
export function planMatchAttempt(attempts: number, now: Date): Date | null {
  const seconds = ATTEMPT_WAITS_SECONDS[attempts]
  return seconds === undefined ? null : new Date(now.getTime() + seconds * 1000)
}

/** The first attempt for a report that has just arrived. */
export function planFirstMatchAttempt(now: Date): Date {
  return new Date(now.getTime() + ATTEMPT_WAITS_SECONDS[0] * 1000)
}

/** Whether people see a report after this many attempts. */
export function isShown(attempts: number): boolean {
  return attempts >= SHOWN_AFTER_ATTEMPTS
}

interface UnmatchedPlan<Report> {
  again: { id: string; nextMatchAt: Date }[]
  /** No more attempts. */
  over: Report[]
  /** People see them from now on. */
  show: Report[]
  /** Matched, although people already saw them as unmatched. */
  hide: Report[]
}

/** Plans what follows an attempt: `found` reports were matched, `settled` ones are about something other than a message. */
export function planUnmatched<Report extends { id: string; matchAttempts: number }>(
  reports: readonly Report[],
  { found, settled, now }: { found: ReadonlySet<string>; settled: ReadonlySet<string>; now: Date },
): UnmatchedPlan<Report> {
  const plan: UnmatchedPlan<Report> = { again: [], over: [], show: [], hide: [] }
  for (const report of reports) {
    const { id, matchAttempts } = report
    const isLost = !found.has(id) && !settled.has(id)
    const nextMatchAt = isLost ? planMatchAttempt(matchAttempts + 1, now) : null
    if (nextMatchAt === null) plan.over.push(report)
    else plan.again.push({ id, nextMatchAt })
    if (isLost && isShown(matchAttempts + 1) && !isShown(matchAttempts)) plan.show.push(report)
    if (found.has(id) && isShown(matchAttempts)) plan.hide.push(report)
  }
  return plan
}
