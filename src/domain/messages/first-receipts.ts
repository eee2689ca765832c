// Which new reports are the first final ones of their segment, so that repeated reports count once.
import type { MessageType } from '../message-type.ts'
import type { ReportStatus } from './report.ts'
import { type SubmissionName, submissionKey } from './submission.ts'

export interface FirstReceipt {
  carrierId: string
  /** The recipient of the segment, even if the report does not name it. */
  to: string
  type: MessageType
  status: Exclude<ReportStatus, 'pending'>
  /** Time from the submission to the report. */
  ms: number
}

interface ReceiptFacts {
  messages: readonly { id: string; to: string; type: MessageType }[]
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
  const messagesById = new Map(messages.map((it) => [it.id, it]))
  return newReports.flatMap(({ carrierId, status, receivedAt, ...name }) => {
    const key = submissionKey(name)
    const [message, claimedAt] = [messagesById.get(name.messageId), claimed.get(key)]
    if (status === 'pending' || decided.has(key) || !message || !claimedAt) return []
    decided.add(key)
    const { to, type } = message
    return [{ carrierId, to, type, status, ms: Math.max(0, receivedAt.getTime() - claimedAt.getTime()) }]
  })
}
