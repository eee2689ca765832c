// What a carrier's report on a segment means (D13). Its `err` has no meaning that two carriers share.
import type { FailureCode } from './message-status.ts'

export const REPORT_STATUSES = ['pending', 'delivered', 'undelivered', 'rejected'] as const
export type ReportStatus = (typeof REPORT_STATUSES)[number]

export interface ReportVerdict {
  status: ReportStatus
  error: FailureCode | ''
}

/** By the carrier's `err`: what an undelivered message is put down to. */
export type ReportOverrides = Record<string, { error: FailureCode }>

const STATES: Record<string, ReportVerdict> = {
  DELIVRD: { status: 'delivered', error: '' },
  EXPIRED: { status: 'undelivered', error: 'delivery_timeout' },
  UNDELIV: { status: 'undelivered', error: 'delivery_failed' },
  FAILED: { status: 'undelivered', error: 'delivery_failed' },
  DELETED: { status: 'undelivered', error: 'delivery_failed' },
  UNKNOWN: { status: 'undelivered', error: 'delivery_failed' },
  SKIPPED: { status: 'undelivered', error: 'delivery_failed' },
  REJECTD: { status: 'rejected', error: 'carrier_rejected' },
}

export function judgeReport(
  { state, code, isIntermediate }: { state: string; code: string; isIntermediate: boolean },
  overrides: ReportOverrides = {},
): ReportVerdict {
  // ENROUTE, SCHEDLD, ACCEPTD, ACKED, BUFFRED and whatever else a carrier may say on the way move nothing.
  const verdict = STATES[state]
  if (!verdict || isIntermediate) return { status: 'pending', error: '' }
  const override = verdict.status === 'undelivered' ? overrides[code] : undefined
  return override ? { status: 'undelivered', error: override.error } : verdict
}
