// A request of a workspace for credit (D86).
import { HOUR_MS } from '../durations.ts'

export const CREDIT_REQUEST_STATUSES = ['open', 'granted', 'declined', 'withdrawn'] as const

export interface CreditRequest {
  amountE4: number
  note: string | null
  status: (typeof CREDIT_REQUEST_STATUSES)[number]
  requestedAt: Date
  decidedAt: Date | null
  /** Why it was declined. */
  reason: string | null
}

/** How often one workspace can mail the operators. */
export const CREDIT_REQUEST_MAIL_EVERY_MS = HOUR_MS

export function openRequest({
  amountE4,
  note,
  now,
}: {
  amountE4: number
  note: string | null
  now: Date
}): CreditRequest {
  return { amountE4, note, status: 'open', requestedAt: now, decidedAt: null, reason: null }
}

/** null if there is no open request. */
export function endRequest(
  request: CreditRequest | null,
  end: { status: 'granted' | 'withdrawn'; now: Date } | { status: 'declined'; reason: string | null; now: Date },
): CreditRequest | null {
  if (request?.status !== 'open') return null
  return { ...request, status: end.status, decidedAt: end.now, reason: end.status === 'declined' ? end.reason : null }
}
