// When reports that fit no submission are looked at again, and when people see them.
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

test('a report is looked at after 2 s, then ever more seldom for three days, and then no more', () => {
  assert.equal(secondsOf(planFirstMatchAttempt(NOW)), 2)
  const waits = Array.from({ length: 9 }, (_, looks) => secondsOf(planMatchAttempt(looks, NOW)))
  assert.deepEqual(waits, [2, 10, 60, 600, 3600, 21_600, 86_400, 172_800, null])
})

test('people see a report from its third look on', () => {
  assert.deepEqual([0, 1, 2, 3, 7].map(isShown), [false, false, false, true, true])
})

test('what is not found gets its next look, is shown once, and is over after the last', () => {
  const reports = [0, 2, 3, 7].map((looks) => ({ id: `${looks}`, looks }))
  const { again, over, show, hide } = planUnmatched(reports, { found: NONE, settled: NONE, now: NOW })
  assert.deepEqual(
    again.map(({ id, lookAt }) => [id, secondsOf(lookAt)]),
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

test('what is found is over, and hidden where people see it; what is about a test is over and never shown', () => {
  const reports = [1, 2, 3].map((looks) => ({ id: `${looks}`, looks }))
  const found = planUnmatched(reports, { found: new Set(['1', '3']), settled: new Set(['2']), now: NOW })
  assert.deepEqual(
    [found.over, found.show, found.hide].map((some) => some.map((it) => it.id)),
    [['1', '2', '3'], [], ['3']],
  )
  assert.deepEqual(found.again, [])
})
