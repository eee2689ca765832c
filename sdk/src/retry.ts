// When a call is made again (§7.4), and after how long. Every repetition carries the key of the first, so that the service knows it
// for the same: never a second message, never a second charge.
import type { HulakiError } from './error.ts'

export interface RetryRules {
  /** How often a call is repeated at most. */
  retries: number
  /** What has to be waited for longer is told to the caller instead. */
  longestWaitMs: number
}

const FIRST_WAIT_MS = 300

/** How long to wait before the call is made again; null where that would not help, or not soon. `chance` is from 0 to 1. */
export function waitBefore(
  fault: Pick<HulakiError, 'code' | 'status' | 'retryAfterSeconds'>,
  { attempt, chance }: { attempt: number; chance: number },
  { retries, longestWaitMs }: RetryRules,
): number | null {
  if (attempt >= retries || !isWorthIt(fault)) return null
  const told = fault.retryAfterSeconds === null ? 0 : fault.retryAfterSeconds * 1000
  const grown = FIRST_WAIT_MS * 2 ** attempt
  // Told or not, those that were turned away together should not come back together.
  const wait = Math.max(told, grown / 2) + (chance * grown) / 2
  return told > longestWaitMs ? null : Math.min(wait, Math.max(longestWaitMs, told))
}

function isWorthIt({
  code,
  status,
  retryAfterSeconds,
}: Pick<HulakiError, 'code' | 'status' | 'retryAfterSeconds'>): boolean {
  if (code === 'network' || code === 'timeout' || code === 'unreadable') return true
  // The first one is still running; a key that was used for another body comes without a time to wait.
  if (code === 'idempotency_conflict') return retryAfterSeconds !== null
  // A cap of the day, of the number, or the guard: another try changes nothing.
  if (status === 429) return code === 'rate_limited'
  return status >= 500
}
