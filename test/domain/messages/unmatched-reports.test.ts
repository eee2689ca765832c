// When matching is retried for reports without a submission, and when people see them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isShown,
  planFirstMatchAttempt,
  planMatchAttempt,
  planUnmatched,
} from '../../../src/domain/messages/unmatched-reports.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const secondsOf = (at: Date | null) => at && (at.getTime() - NOW.getTime()) / 1000
const NONE: ReadonlySet<string> = new Set()

test('retries matching after 2 s, then at growing intervals for three days', () => {
  assert.equal(secondsOf(planFirstMatchAttempt(NOW)), 2)
  const waits = Array.from({ length: 9 }, (_, matchAttempts) => secondsOf(planMatchAttempt(matchAttempts, NOW)))
  assert.deepEqual(waits, [2, 10, 60, 600, 3600, 21_600, 86_400, 172_800, null])
})

test('shows a report from the third attempt on', () => {
  assert.deepEqual([0, 1, 2, 3, 7].map(isShown), [false, false, false, true, true])
})

test('plans the next attempt of an unmatched report, shows it once, and stops after the last', () => {
  const reports = [0, 2, 3, 7].map((matchAttempts) => ({ id: `${matchAttempts}`, matchAttempts }))
  const { again, over, show, hide } = planUnmatched(reports, { found: NONE, settled: NONE, now: NOW })
  assert.deepEqual(
    again.map(({ id, nextMatchAt }) => [id, secondsOf(nextMatchAt)]),
    [
      ['0', 10],
      ['2', 600],
      ['3', 3600],
    ],
  )
  assert.deepEqual(
    [over, show, hide].map((some) => some.map((it) => it.id)),
    [['7'], ['2'], []],
  )
})

test('stops after a match and hides a shown report; a report on a test is never shown', () => {
  const reports = [1, 2, 3].map((matchAttempts) => ({ id: `${matchAttempts}`, matchAttempts }))
  const found = planUnmatched(reports, { found: new Set(['1', '3']), settled: new Set(['2']), now: NOW })
  assert.deepEqual(
    [found.over, found.show, found.hide].map((some) => some.map((it) => it.id)),
    [['1', '2', '3'], [], ['3']],
  )
  assert.deepEqual(found.again, [])
})
