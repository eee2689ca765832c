// What follows a posting: done, another one after a wait, or dead (§6.4, D29).
import assert from 'node:assert/strict'

export type PostingOutcome = { kind: 'answered'; statusCode: number } | { kind: 'failed' }

/** A posting as it ended. `bodyHead` is what is kept of the answer, `why` the lack of one in plain words. */
export type PostingResult =
  | { kind: 'answered'; statusCode: number; bodyHead: Uint8Array; milliseconds: number }
  | { kind: 'failed'; why: string; timedOut: boolean; milliseconds: number }

/** The last two end a delivery that could not even be posted: the client has no URL, or no claim ever came to a result. */
export const FAILURE_REASONS = ['retries_exhausted', 'rejected', 'no_url', 'abandoned'] as const
export type Death = (typeof FAILURE_REASONS)[number]

export type NextStep =
  | { kind: 'delivered' }
  | { kind: 'retry'; afterSeconds: number }
  | { kind: 'failed'; because: Death }

/** §6.4 rule 1 */
export const ANSWER_WITHIN_SECONDS = 10
export const MAX_POSTINGS = 8
export const MAX_POSTINGS_WHEN_REFUSED_FOR_GOOD = 3

/**
 * A claim is lost when its process dies. What was claimed this often without any result is taken for the cause, and no
 * longer tried.
 */
const MAX_CLAIMS = 10

// D29: eight postings have seven waits between them, so the 6 h of §6.4 is never reached.
export const WAITS_IN_SECONDS = [10, 30, 2 * 60, 10 * 60, 30 * 60, 60 * 60, 3 * 60 * 60]

/** Why a claimed delivery shall not be posted; null when it shall. `claims` counts this one. */
export function deathBeforePosting({ url, claims }: { url: string | null; claims: number }): Death | null {
  if (url === null) return 'no_url'
  return claims > MAX_CLAIMS ? 'abandoned' : null
}

/** `postingNumber` counts from 1 and includes the posting that ended with `outcome`. */
export function afterPosting(postingNumber: number, outcome: PostingOutcome): NextStep {
  if (isSuccess(outcome)) return { kind: 'delivered' }
  // D29: only the latest answer counts. After two 404s a time-out goes on; after four time-outs a 404 is the end.
  if (isRefusalForGood(outcome) && postingNumber >= MAX_POSTINGS_WHEN_REFUSED_FOR_GOOD) {
    return { kind: 'failed', because: 'rejected' }
  }
  if (postingNumber >= MAX_POSTINGS) return { kind: 'failed', because: 'retries_exhausted' }
  const afterSeconds = WAITS_IN_SECONDS[postingNumber - 1]
  assert(afterSeconds !== undefined, 'postings are counted from 1')
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
