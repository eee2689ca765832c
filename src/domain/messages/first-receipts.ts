// Which of the reports that came are the first to end the wait for a segment: however often a carrier says it, it counts once.
import type { ReportStatus } from './report.ts'
import { type SubmissionName, submissionKey } from './submission.ts'

export interface FirstReceipt {
  carrierId: string
  /** The number that the segment went to, whether the report names it or not. */
  to: string
  status: Exclude<ReportStatus, 'pending'>
  /** How long after the segment it came. */
  ms: number
}

interface Known {
  messages: readonly { id: string; to: string }[]
  submissions: readonly (SubmissionName & { claimedAt: Date })[]
  reports: readonly (SubmissionName & { status: ReportStatus })[]
}

type News = SubmissionName & { carrierId: string; status: ReportStatus; receivedAt: Date }

export function firstReceipts({ messages, submissions, reports }: Known, news: readonly News[]): FirstReceipt[] {
  if (news.length === 0) return []
  const decided = new Set(reports.filter((it) => it.status !== 'pending').map(submissionKey))
  const claimed = new Map(submissions.map((it) => [submissionKey(it), it.claimedAt]))
  const numbers = new Map(messages.map(({ id, to }) => [id, to]))
  return news.flatMap(({ carrierId, status, receivedAt, ...name }) => {
    const key = submissionKey(name)
    const [to, claimedAt] = [numbers.get(name.messageId), claimed.get(key)]
    if (status === 'pending' || decided.has(key) || to === undefined || !claimedAt) return []
    decided.add(key)
    return [{ carrierId, to, status, ms: Math.max(0, receivedAt.getTime() - claimedAt.getTime()) }]
  })
}
