// The whole of §6.4 rules 2 and 3 as tables: every wait, and both ways to die.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterPosting,
  type Death,
  deathBeforePosting,
  type PostingOutcome,
} from '../../../src/domain/webhooks/webhook-schedule.ts'

const answered = (statusCode: number): PostingOutcome => ({ kind: 'answered', statusCode })
const failed: PostingOutcome = { kind: 'failed' }

const retry = (afterSeconds: number) => ({ kind: 'retry', afterSeconds })
const dead = (because: Death) => ({ kind: 'failed', because })
const usedUp = dead('retries_exhausted')
const refused = dead('rejected')

test('§6.4: any 2xx ends the delivery, at every posting', () => {
  for (const statusCode of [200, 201, 202, 204, 226, 299]) {
    for (const number of [1, 3, 8]) assert.deepEqual(afterPosting(number, answered(statusCode)), { kind: 'delivered' })
  }
})

test('§6.4, D29: the waits are 10 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, and posting 8 is the last', () => {
  const steps = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => afterPosting(number, answered(500)))
  assert.deepEqual(steps, [...[10, 30, 120, 600, 1800, 3600, 10_800].map(retry), usedUp])
})

test('§6.4: whatever may pass is tried 8 times: no answer, a redirect, 408, 429, 5xx', () => {
  for (const outcome of [failed, ...[300, 301, 302, 304, 307, 308, 399, 408, 429, 500, 502, 503, 599].map(answered)]) {
    assert.deepEqual(afterPosting(3, outcome), retry(120))
    assert.deepEqual(afterPosting(7, outcome), retry(10_800))
    assert.deepEqual(afterPosting(8, outcome), usedUp)
  }
})

test('§6.4: a permanent 4xx is dead after 3 postings', () => {
  for (const statusCode of [400, 401, 403, 404, 405, 407, 409, 410, 422, 428, 430, 451, 499]) {
    assert.deepEqual(afterPosting(1, answered(statusCode)), retry(10))
    assert.deepEqual(afterPosting(2, answered(statusCode)), retry(30))
    assert.deepEqual(afterPosting(3, answered(statusCode)), refused)
  }
})

test('D29: only the latest answer counts: a permanent 4xx at posting 5 is dead, though the earlier ones timed out', () => {
  assert.deepEqual(afterPosting(4, failed), retry(600))
  assert.deepEqual(afterPosting(5, answered(404)), refused)
})

test('a posting number that cannot be is a bug, not a verdict', () => {
  for (const number of [0, -1, 1.5]) assert.throws(() => afterPosting(number, failed), /counted from 1/)
})

test('what cannot be posted is dead: without a URL, or claimed more than 10 times without any result', () => {
  assert.equal(deathBeforePosting({ url: 'https://receiver.test/', claims: 10 }), null)
  assert.equal(deathBeforePosting({ url: 'https://receiver.test/', claims: 11 }), 'abandoned')
  assert.equal(deathBeforePosting({ url: null, claims: 1 }), 'no_url')
})
