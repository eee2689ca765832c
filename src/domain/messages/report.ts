// The meaning of a carrier's report on a segment (D13). The `err` codes differ between carriers.
import type { FailureCode } from '../message-status.ts'
import { getOwnValue } from '../own-value.ts'

export const REPORT_STATUSES = ['pending', 'delivered', 'undelivered', 'rejected'] as const
export type ReportStatus = (typeof REPORT_STATUSES)[number]

export interface ReportVerdict {
  status: ReportStatus
  error: FailureCode | ''
}

/** A delivery receipt from a carrier. */
export interface Report extends ReportVerdict {
  id: string
  carrierId: string
  /** The carrier's id of the segment, normalised. */
  reference: string
  to: string
  /** Recognised by its text alone, which any handset can write: it counts only if it comes from the number it is about. */
  byText: boolean
  state: string
  code: string
  raw: string
  receivedAt: Date
}

/** By the carrier's `err`: the failure code of an undelivered message. */
export type ReportOverrides = Record<string, { error: FailureCode }>

/** By the carrier's state, alone or as `state:err`: the status of the segment. */
export type StateOverrides = Record<string, { status: ReportStatus; error?: FailureCode | undefined }>

const DELIVERED: ReportVerdict = { status: 'delivered', error: '' }
const PENDING: ReportVerdict = { status: 'pending', error: '' }
const EXPIRED: ReportVerdict = { status: 'undelivered', error: 'delivery_timeout' }
const UNDELIVERED: ReportVerdict = { status: 'undelivered', error: 'delivery_failed' }
const REJECTED: ReportVerdict = { status: 'rejected', error: 'carrier_rejected' }

/** Abbreviations, full words, and common misspellings of both. */
const STATES: [ReportVerdict, string][] = [
  [DELIVERED, 'DELIVRD DELIVERED DELIVERD DELIVRED DELIVD DELVRD DLVRD'],
  [PENDING, 'ENROUTE EN_ROUTE SCHEDLD SCHEDULED SCHEDULD ACCEPTD ACCEPTED ACCEPT ACCPTD ACKED'],
  [PENDING, 'BUFFRED BUFFERED BUFFERD BUFFRD QUEUED ENQUEUD PENDING SUBMITD SUBMITTED'],
  [EXPIRED, 'EXPIRED EXPIRE EXPIRD EXPRD'],
  [UNDELIVERED, 'UNDELIV UNDELIVERED UNDELIVERABLE UNDELIVRD UNDELIVERD UNDELIVRED UNDELVRD UNDLVRD UNDELIVE'],
  [UNDELIVERED, 'NOT_DELIVERED NOTDELIVERED NOTDELIVRD FAILED FAILD FAIL DELETED DELETD UNKNOWN UNKNWN SKIPPED SKIPED'],
  [REJECTED, 'REJECTD REJECTED REJECT REJCTD REJECTE'],
]
const VERDICTS = new Map(STATES.flatMap(([verdict, states]) => states.split(' ').map((state) => [state, verdict])))

export function isKnownState(state: string, own: StateOverrides = {}): boolean {
  const called = state.toUpperCase()
  return VERDICTS.has(called) || Object.keys(own).some((name) => name.split(':')[0] === called)
}

/** The carrier's own table comes first: a state with its `err`, then the state, then the `err` of an undelivered segment. */
export function interpretReport(
  { state, code, isIntermediate }: { state: string; code: string; isIntermediate: boolean },
  { reports = {}, states = {} }: { reports?: ReportOverrides; states?: StateOverrides } = {},
): ReportVerdict {
  if (isIntermediate) return PENDING
  const called = state.toUpperCase()
  const own = getOwnValue(states, `${called}:${code}`) ?? getOwnValue(states, called)
  if (own) return verdictOf(own)
  // Unknown states change nothing.
  const verdict = VERDICTS.get(called)
  if (!verdict) return PENDING
  const override = verdict.status === 'undelivered' ? getOwnValue(reports, code) : undefined
  return override ? { status: 'undelivered', error: override.error } : verdict
}

const USUAL_ERRORS = { undelivered: 'delivery_failed', rejected: 'carrier_rejected' } as const

function verdictOf({ status, error }: StateOverrides[string]): ReportVerdict {
  if (status === 'pending' || status === 'delivered') return { status, error: '' }
  return { status, error: error ?? USUAL_ERRORS[status] }
}

export const RECEIPTS = ['each', 'one', 'none'] as const
/** Which segments request a receipt (D56). */
export type Receipts = (typeof RECEIPTS)[number]

/** D56 */
export function requestsReceipt(receipts: Receipts, { segment, of }: { segment: number; of: number }): boolean {
  return receipts === 'each' || (receipts === 'one' && segment === of)
}
