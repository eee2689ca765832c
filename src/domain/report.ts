// What a carrier's report on a segment means (D13). Its `err` has no meaning that two carriers share.
import type { FailureCode } from './message-status.ts'
import { ownOf } from './own.ts'

export const REPORT_STATUSES = ['pending', 'delivered', 'undelivered', 'rejected'] as const
export type ReportStatus = (typeof REPORT_STATUSES)[number]

export interface ReportVerdict {
  status: ReportStatus
  error: FailureCode | ''
}

/** By the carrier's `err`: what an undelivered message is put down to. */
export type ReportOverrides = Record<string, { error: FailureCode }>

const DELIVERED: ReportVerdict = { status: 'delivered', error: '' }
const PENDING: ReportVerdict = { status: 'pending', error: '' }
const EXPIRED: ReportVerdict = { status: 'undelivered', error: 'delivery_timeout' }
const UNDELIVERED: ReportVerdict = { status: 'undelivered', error: 'delivery_failed' }
const REJECTED: ReportVerdict = { status: 'rejected', error: 'carrier_rejected' }

/** As SMPP abbreviates them, and as carriers spell them out. */
const STATES: [ReportVerdict, string[]][] = [
  [DELIVERED, ['DELIVRD', 'DELIVERED']],
  [PENDING, ['ENROUTE', 'SCHEDLD', 'SCHEDULED', 'ACCEPTD', 'ACCEPTED', 'ACKED', 'BUFFRED', 'BUFFERED']],
  [EXPIRED, ['EXPIRED', 'EXPIRE']],
  [UNDELIVERED, ['UNDELIV', 'UNDELIVERED', 'UNDELIVERABLE', 'FAILED', 'DELETED', 'UNKNOWN', 'SKIPPED']],
  [REJECTED, ['REJECTD', 'REJECTED']],
]
const VERDICTS = new Map(STATES.flatMap(([verdict, states]) => states.map((state) => [state, verdict])))

export function isKnownState(state: string): boolean {
  return VERDICTS.has(state.toUpperCase())
}

export function judgeReport(
  { state, code, isIntermediate }: { state: string; code: string; isIntermediate: boolean },
  overrides: ReportOverrides = {},
): ReportVerdict {
  // Whatever else a carrier may say on the way moves nothing.
  const verdict = VERDICTS.get(state.toUpperCase())
  if (!verdict || isIntermediate) return PENDING
  const override = verdict.status === 'undelivered' ? ownOf(overrides, code) : undefined
  return override ? { status: 'undelivered', error: override.error } : verdict
}
