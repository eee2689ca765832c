// Actions on all messages that match the filter (D59), where the API accepts the same filter.
import type { Calls } from '../api/calls.ts'
import type { Filter } from './filter.ts'

export type BulkAction = 'cancel' | 'fail' | 'resend'
export const CALLS = { cancel: 'cancelMessages', fail: 'failMessages', resend: 'resendMessages' } as const

/** The limit of one call. */
export const MAX_MESSAGES = 1_000
/** A message can be failed only after it had time to end. */
export const MIN_MINUTES: Record<BulkAction, number> = { cancel: 0, fail: 1, resend: 0 }

const STATUSES: Record<BulkAction, readonly string[]> = {
  cancel: ['queued'],
  fail: ['queued', 'submitting', 'submitted', 'sent'],
  resend: ['failed', 'submitting', 'submitted'],
}

export function actionsFor({ status, type, search, from, to }: Filter): BulkAction[] {
  if (status.length === 0 || [type, search, from, to].some(Boolean)) return []
  return (['cancel', 'fail', 'resend'] as const).filter((action) => status.every((it) => STATUSES[action].includes(it)))
}

type Body = Calls['cancelMessages']['body'] & Calls['failMessages']['body'] & Calls['resendMessages']['body']

/** `after` continues where the call before stopped. */
export function bodyOf(
  action: BulkAction,
  filter: Filter,
  { minutes, after }: { minutes: number; after: string | null },
): Body {
  return {
    ...(filter.client ? { client: filter.client } : {}),
    // Only queued messages can be cancelled: the API takes no status.
    ...(action === 'cancel' ? {} : { status: filter.status }),
    olderThanSeconds: typeof minutes === 'number' ? minutes * 60 : minutes,
    ...(after === null || action === 'cancel' ? {} : { after }),
  } as Body
}
