// What follows a webhook attempt: delivered, retry or failed (§6.4, D29).
import assert from 'node:assert/strict'

export type PostingOutcome = { kind: 'answered'; statusCode: number } | { kind: 'failed' }

/** `bodyHead` is the stored beginning of the response, `why` the error without a response. */
export type PostingResult =
  | { kind: 'answered'; statusCode: number; bodyHead: Uint8Array; milliseconds: number }
  | { kind: 'failed'; why: string; timedOut: boolean; milliseconds: number }

/** The last two end a delivery without an attempt: the client has no URL, or no claim ever completed. */
export const FAILURE_REASONS = ['retries_exhausted', 'rejected', 'no_url', 'abandoned'] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

export type NextStep =
  | { kind: 'delivered' }
  | { kind: 'retry'; afterSeconds: number }
  | { kind: 'failed'; because: FailureReason }

/** §6.4 rule 1 */
export const ANSWER_WITHIN_SECONDS = 10
export const MAX_POSTINGS = 8
export const MAX_POSTINGS_WHEN_REFUSED_FOR_GOOD = 3

/** A claim is lost when its process dies. A delivery that was claimed this often without a result probably causes it, and is not retried. */
const MAX_CLAIMS = 10

// D29: eight attempts have seven waits between them, so the 6 h of §6.4 is never reached.
export const WAITS_IN_SECONDS = [10, 30, 2 * 60, 10 * 60, 30 * 60, 60 * 60, 3 * 60 * 60]

/** Why a claimed delivery must not be posted; null if it may. `claims` includes this one. */
export function failureBeforePosting({ url, claims }: { url: string | null; claims: number }): FailureReason | null {
  if (url === null) return 'no_url'
  return claims > MAX_CLAIMS ? 'abandoned' : null
}

/** `postingNumber` counts from 1 and includes the attempt that ended with `outcome`. */
export function afterPosting(postingNumber: number, outcome: PostingOutcome): NextStep {
  if (isSuccess(outcome)) return { kind: 'delivered' }
  // D29: only the latest response counts. After two 404s a timeout is retried; after four timeouts a 404 is final.
  if (isRefusalForGood(outcome) && postingNumber >= MAX_POSTINGS_WHEN_REFUSED_FOR_GOOD) {
    return { kind: 'failed', because: 'rejected' }
  }
  if (postingNumber >= MAX_POSTINGS) return { kind: 'failed', because: 'retries_exhausted' }
  const afterSeconds = WAITS_IN_SECONDS[postingNumber - 1]
  assert(afterSeconds !== undefined, 'attempts count from 1')
  return { kind: 'retry', afterSeconds }
}

export function isSuccess(outcome: PostingOutcome): boolean {
  return outcome.kind === 'answered' && outcome.statusCode >= 200 && outcome.statusCode <= 299
}

function isRefusalForGood(outcome: PostingOutcome): boolean {
  if (outcome.kind === 'failed') return false
  const { statusCode } = outcome
  return statusCode >= 400 && statusCode <= 499 && statusCode !== 408 && statusCode !== 429
}
