// Which reports on a segment are stored. A carrier may repeat reports without limit, and each new report reads all stored ones, so only a few
// are kept (D43). The first final report decides (D13), so it is always kept.
import type { SegmentReport } from './progress.ts'
import { submissionKey } from './submission.ts'

export const MAX_KEPT_OF_SEGMENT = 20

type MessageReport = SegmentReport & { messageId: string }

/** The new reports to store beside the known ones. */
export function keptReports<NewReport extends MessageReport>(
  known: readonly MessageReport[],
  newReports: readonly NewReport[],
): NewReport[] {
  const kept = new Map<string, { count: number; isDecided: boolean }>()
  const add = (report: MessageReport) => {
    const { count = 0, isDecided = false } = kept.get(submissionKey(report)) ?? {}
    kept.set(submissionKey(report), { count: count + 1, isDecided: isDecided || report.status !== 'pending' })
  }
  for (const report of known) add(report)
  return newReports.filter((report) => {
    const { count = 0, isDecided = false } = kept.get(submissionKey(report)) ?? {}
    const decides = !isDecided && report.status !== 'pending'
    if (count >= MAX_KEPT_OF_SEGMENT && !decides) return false
    add(report)
    return true
  })
}
