// When a call is made again (§7.4, D47), and after how long. Every repetition carries the key of the first, so that the service knows
// it for the same: never a second message, never a second charge.
import type { HulakiError } from './error.ts'

export interface RetryRules {
  /** How often a call is repeated at most. */
  retries: number
  /** What has to be waited for longer is told to the caller instead. */
  longestWaitMs: number
}

type Fault = Pick<HulakiError, 'code' | 'status' | 'retryAfterSeconds'>

const FIRST_WAIT_MS = 300

/** How long to wait before the call is made again; null where that would not help, or not soon. `chance` is from 0 to 1. */
export function waitBefore(
  fault: Fault,
  { attempt, chance }: { attempt: number; chance: number },
  { retries, longestWaitMs }: RetryRules,
): number | null {
  if (!(attempt < retries) || !mayPass(fault)) return null
  const told = fault.retryAfterSeconds === null ? 0 : fault.retryAfterSeconds * 1000
  if (told > longestWaitMs) return null
  const grown = Math.min(FIRST_WAIT_MS * 2 ** attempt, longestWaitMs)
  // Told or not, those that were turned away together should not come back together.
  return Math.max(told, grown / 2) + (chance * grown) / 2
}

/** Whether the same call may be answered otherwise a little later. Decided by the status: a code may be one of a later version. */
export function mayPass({ code, status, retryAfterSeconds }: Fault): boolean {
  if (status === 0) return code === 'network' || code === 'timeout'
  // The first one is still running, or there were too many: it says for how long. Another body for the same key comes without.
  if (status === 409 || status === 429) return retryAfterSeconds !== null
  // An answer that was garbled on its way: what it says is given again to the same key.
  if (status < 300) return code === 'unreadable'
  // 408 is a request that did not arrive whole; what proxies say of a service that they do not reach is 502 to 504.
  return status === 408 || status >= 500
}
