// §6.4 rules 2 and 3 as tables: every wait, and both ways to fail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AttemptOutcome,
  afterAttempt,
  type FailureReason,
  failureBeforeAttempt,
} from '../../../src/domain/webhooks/webhook-schedule.ts'

const answered = (statusCode: number): AttemptOutcome => ({ kind: 'answered', statusCode })
const failed: AttemptOutcome = { kind: 'failed' }

const retry = (afterSeconds: number) => ({ kind: 'retry', afterSeconds })
const dead = (failureReason: FailureReason) => ({ kind: 'failed', failureReason })
const usedUp = dead('retries_exhausted')
const refused = dead('rejected')

test('ends the delivery with any 2xx, at every attempt (§6.4)', () => {
  for (const statusCode of [200, 201, 202, 204, 226, 299]) {
    for (const number of [1, 3, 8]) assert.deepEqual(afterAttempt(number, answered(statusCode)), { kind: 'delivered' })
  }
})

test('waits 10 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, and ends with attempt 8 (§6.4, D29)', () => {
  const steps = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => afterAttempt(number, answered(500)))
  assert.deepEqual(steps, [...[10, 30, 120, 600, 1800, 3600, 10_800].map(retry), usedUp])
})

test('tries 8 times after a temporary failure: no response, a redirect, 408, 429, 5xx (§6.4)', () => {
  for (const outcome of [failed, ...[300, 301, 302, 304, 307, 308, 399, 408, 429, 500, 502, 503, 599].map(answered)]) {
    assert.deepEqual(afterAttempt(3, outcome), retry(120))
    assert.deepEqual(afterAttempt(7, outcome), retry(10_800))
    assert.deepEqual(afterAttempt(8, outcome), usedUp)
  }
})

test('fails after 3 attempts with a permanent 4xx (§6.4)', () => {
  for (const statusCode of [400, 401, 403, 404, 405, 407, 409, 410, 422, 428, 430, 451, 499]) {
    assert.deepEqual(afterAttempt(1, answered(statusCode)), retry(10))
    assert.deepEqual(afterAttempt(2, answered(statusCode)), retry(30))
    assert.deepEqual(afterAttempt(3, answered(statusCode)), refused)
  }
})

test('decides by the latest response: a permanent 4xx at attempt 5 fails, although earlier ones timed out (D29)', () => {
  assert.deepEqual(afterAttempt(4, failed), retry(600))
  assert.deepEqual(afterAttempt(5, answered(404)), refused)
})

test('throws for an impossible attempt number', () => {
  for (const number of [0, -1, 1.5]) assert.throws(() => afterAttempt(number, failed), /attempts count from 1/)
})

test('fails a delivery without a URL, or with more than 30 claims without a result', () => {
  assert.equal(failureBeforeAttempt({ url: 'https://receiver.test/', claims: 30 }), null)
  assert.equal(failureBeforeAttempt({ url: 'https://receiver.test/', claims: 31 }), 'abandoned')
  assert.equal(failureBeforeAttempt({ url: null, claims: 1 }), 'no_url')
})
