// What may be done to all messages that the list is narrowed to (D59): only where the service can be asked for just these.
import type { Calls } from '../api/calls.ts'
import type { Filter } from './filter.ts'

export type Act = 'cancel' | 'fail' | 'resend'
export const CALLS = { cancel: 'cancelMessages', fail: 'failMessages', resend: 'resendMessages' } as const

/** So many at most in one call. */
export const MOST = 1_000
/** What is failed had its time to come to its end. */
export const LEAST_MINUTES: Record<Act, number> = { cancel: 0, fail: 1, resend: 0 }

const STATUSES: Record<Act, readonly string[]> = {
  cancel: ['queued'],
  fail: ['queued', 'submitting', 'submitted', 'sent'],
  resend: ['failed', 'submitting', 'submitted'],
}

export function actsFor({ status, type, search, from, to }: Filter): Act[] {
  if (status.length === 0 || [type, search, from, to].some(Boolean)) return []
  return (['cancel', 'fail', 'resend'] as const).filter((act) => status.every((it) => STATUSES[act].includes(it)))
}

type Body = Calls['cancelMessages']['body'] & Calls['failMessages']['body'] & Calls['resendMessages']['body']

/** `after` where a call before could not look at all of them. */
export function bodyOf(act: Act, filter: Filter, { minutes, after }: { minutes: number; after: string | null }): Body {
  return {
    ...(filter.client ? { client: filter.client } : {}),
    // What is cancelled is always what is queued: there is nothing to choose.
    ...(act === 'cancel' ? {} : { status: filter.status }),
    olderThanSeconds: typeof minutes === 'number' ? minutes * 60 : minutes,
    ...(after === null || act === 'cancel' ? {} : { after }),
  } as Body
}
