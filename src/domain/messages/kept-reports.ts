// Which reports on a segment are kept. How often a carrier repeats itself is its own decision, and every report that is kept is read again
// with each that comes: so no more than a few are (D43). The first that is final decides (D13), so that one always is.
import type { SegmentReport } from './progress.ts'
import { submissionKey } from './submission.ts'

export const MOST_KEPT_OF_SEGMENT = 20

type Named = SegmentReport & { messageId: string }

/** Of the news, those that are to be kept beside what is known. */
export function keptReports<News extends Named>(known: readonly Named[], news: readonly News[]): News[] {
  const kept = new Map<string, { count: number; isDecided: boolean }>()
  const add = (report: Named) => {
    const { count = 0, isDecided = false } = kept.get(submissionKey(report)) ?? {}
    kept.set(submissionKey(report), { count: count + 1, isDecided: isDecided || report.status !== 'pending' })
  }
  for (const report of known) add(report)
  return news.filter((report) => {
    const { count = 0, isDecided = false } = kept.get(submissionKey(report)) ?? {}
    const decides = !isDecided && report.status !== 'pending'
    if (count >= MOST_KEPT_OF_SEGMENT && !decides) return false
    add(report)
    return true
  })
}
