// What follows a posting: done, another one after a wait, or dead (§6.4, D29).
import assert from 'node:assert/strict'

export type PostingOutcome = { kind: 'answered'; statusCode: number } | { kind: 'failed' }

export type NextStep = { kind: 'done' } | { kind: 'retry'; afterSeconds: number } | { kind: 'dead' }

const MAX_POSTINGS = 8
const MAX_POSTINGS_WHEN_REFUSED_FOR_GOOD = 3

// D29: eight postings have seven waits between them, so the 6 h of §6.4 is never reached.
const WAITS_IN_SECONDS = [10, 30, 2 * 60, 10 * 60, 30 * 60, 60 * 60, 3 * 60 * 60]

/** `postingNumber` counts from 1 and includes the posting that ended with `outcome`. */
export function afterPosting(postingNumber: number, outcome: PostingOutcome): NextStep {
  if (isSuccess(outcome)) return { kind: 'done' }
  // D29: only the latest answer counts. After two 404s a time-out goes on; after four time-outs a 404 is the end.
  const lastPosting = isRefusalForGood(outcome) ? MAX_POSTINGS_WHEN_REFUSED_FOR_GOOD : MAX_POSTINGS
  if (postingNumber >= lastPosting) return { kind: 'dead' }
  const afterSeconds = WAITS_IN_SECONDS[postingNumber - 1]
  assert(afterSeconds !== undefined, 'postings are counted from 1')
  return { kind: 'retry', afterSeconds }
}

function isSuccess(outcome: PostingOutcome): boolean {
  return outcome.kind === 'answered' && outcome.statusCode >= 200 && outcome.statusCode <= 299
}

function isRefusalForGood(outcome: PostingOutcome): boolean {
  if (outcome.kind === 'failed') return false
  const { statusCode } = outcome
  return statusCode >= 400 && statusCode <= 499 && statusCode !== 408 && statusCode !== 429
}
