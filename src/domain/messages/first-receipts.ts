// Which new reports are the first final ones of their segment, so that repeated reports count once.
import type { ReportStatus } from './report.ts'
import { type SubmissionName, submissionKey } from './submission.ts'

export interface FirstReceipt {
  carrierId: string
  /** The recipient of the segment, even if the report does not name it. */
  to: string
  status: Exclude<ReportStatus, 'pending'>
  /** Time from the submission to the report. */
  ms: number
}

interface ReceiptFacts {
  messages: readonly { id: string; to: string }[]
  submissions: readonly (SubmissionName & { claimedAt: Date })[]
  reports: readonly (SubmissionName & { status: ReportStatus })[]
}

type NewReport = SubmissionName & { carrierId: string; status: ReportStatus; receivedAt: Date }

export function firstReceipts(
  { messages, submissions, reports }: ReceiptFacts,
  newReports: readonly NewReport[],
): FirstReceipt[] {
  if (newReports.length === 0) return []
  const decided = new Set(reports.filter((it) => it.status !== 'pending').map(submissionKey))
  const claimed = new Map(submissions.map((it) => [submissionKey(it), it.claimedAt]))
  const numbers = new Map(messages.map(({ id, to }) => [id, to]))
  return newReports.flatMap(({ carrierId, status, receivedAt, ...name }) => {
    const key = submissionKey(name)
    const [to, claimedAt] = [numbers.get(name.messageId), claimed.get(key)]
    if (status === 'pending' || decided.has(key) || to === undefined || !claimedAt) return []
    decided.add(key)
    return [{ carrierId, to, status, ms: Math.max(0, receivedAt.getTime() - claimedAt.getTime()) }]
  })
}
