// What follows a webhook attempt: delivered, retry or failed (§6.4, D29).
import assert from 'node:assert/strict'

export type AttemptOutcome = { kind: 'answered'; statusCode: number } | { kind: 'failed' }

/** `bodyHead` is the stored beginning of the response, `why` the error without a response. */
export type AttemptResult =
  | { kind: 'answered'; statusCode: number; bodyHead: Uint8Array; milliseconds: number }
  | { kind: 'failed'; why: string; timedOut: boolean; milliseconds: number }

/** The last two end a delivery without an attempt: the client has no URL, or no claim ever completed. */
export const FAILURE_REASONS = ['retries_exhausted', 'rejected', 'no_url', 'abandoned'] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

export type NextStep =
  | { kind: 'delivered' }
  | { kind: 'retry'; afterSeconds: number }
  | { kind: 'failed'; failureReason: FailureReason }

/** §6.4 rule 1 */
export const ANSWER_WITHIN_SECONDS = 10
export const MAX_ATTEMPTS = 8
export const MAX_ATTEMPTS_WHEN_REJECTED = 3

/**
 * A claim is lost when its process crashes. A delivery that was claimed this often without a result may cause it, and is not retried. Many,
 * because others that were claimed with it are lost too.
 */
const MAX_CLAIMS = 30

// D29: eight attempts have seven waits between them, so the 6 h of §6.4 is never reached.
export const WAITS_IN_SECONDS = [10, 30, 2 * 60, 10 * 60, 30 * 60, 60 * 60, 3 * 60 * 60]

/** Why a claimed delivery must not be posted; null if it may. `claims` includes this one. */
export function failureBeforeAttempt({ url, claims }: { url: string | null; claims: number }): FailureReason | null {
  if (url === null) return 'no_url'
  return claims > MAX_CLAIMS ? 'abandoned' : null
}

/** `attemptNumber` counts from 1 and includes the attempt that ended with `outcome`. */
export function afterAttempt(attemptNumber: number, outcome: AttemptOutcome): NextStep {
  if (isSuccess(outcome)) return { kind: 'delivered' }
  // D29: only the latest response counts. After two 404s a timeout is retried; after four timeouts a 404 is final.
  if (isRefusalForGood(outcome) && attemptNumber >= MAX_ATTEMPTS_WHEN_REJECTED) {
    return { kind: 'failed', failureReason: 'rejected' }
  }
  if (attemptNumber >= MAX_ATTEMPTS) return { kind: 'failed', failureReason: 'retries_exhausted' }
  const afterSeconds = WAITS_IN_SECONDS[attemptNumber - 1]
  assert(afterSeconds !== undefined, 'attempts count from 1')
  return { kind: 'retry', afterSeconds }
}

export function isSuccess(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'answered' && outcome.statusCode >= 200 && outcome.statusCode <= 299
}

function isRefusalForGood(outcome: AttemptOutcome): boolean {
  if (outcome.kind === 'failed') return false
  const { statusCode } = outcome
  return statusCode >= 400 && statusCode <= 499 && statusCode !== 408 && statusCode !== 429
}
