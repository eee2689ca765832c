// Decides whether and when a call is retried (§7.4, D47).
import type { HulakiError } from './error.ts'

export interface RetryRules {
  /** Maximum number of retries. */
  retries: number
  /** A longer wait throws an error instead. */
  maxWaitMs: number
}

type CallFailure = Pick<HulakiError, 'code' | 'status' | 'retryAfterSeconds'>

const FIRST_WAIT_MS = 300

/** The delay of the next attempt; null if a retry does not help, or not soon. `random` is from 0 to 1. */
export function retryDelay(
  failure: CallFailure,
  { attempt, random }: { attempt: number; random: number },
  { retries, maxWaitMs }: RetryRules,
): number | null {
  if (!(attempt < retries) || !isTemporary(failure)) return null
  const retryAfterMs = failure.retryAfterSeconds === null ? 0 : failure.retryAfterSeconds * 1000
  if (retryAfterMs > maxWaitMs) return null
  const backoffMs = Math.min(FIRST_WAIT_MS * 2 ** attempt, maxWaitMs)
  // The jitter keeps calls that failed together from retrying together.
  return Math.max(retryAfterMs, backoffMs / 2) + (random * backoffMs) / 2
}

/** Whether the same call may succeed later. Decided by the status, because a later version can have new codes. */
export function isTemporary({ code, status, retryAfterSeconds }: CallFailure): boolean {
  if (status === 0) return code === 'network' || code === 'timeout'
  // With Retry-After, the first request is running or a rate limit is reached. Without it, the key has another body.
  if (status === 409 || status === 429) return retryAfterSeconds !== null
  // A success with an unreadable body: a retry with the same key gets the stored response.
  if (status < 300) return code === 'unreadable'
  // 408 is an incomplete request; proxies answer 502 to 504 if they cannot reach the service.
  return status === 408 || status >= 500
}
