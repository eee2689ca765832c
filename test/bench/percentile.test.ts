// Percentiles of measured times.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { percentileOf } from '../../bench/percentile.ts'

test('a percentile is the time at the nearest rank, unrounded, in any order of the times', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index + 0.123)
  assert.deepEqual(
    [0, 50, 99, 100].map((percent) => percentileOf(hundred, percent)),
    [1.123, 50.123, 99.123, 100.123],
  )
  assert.equal(percentileOf([...hundred, 101.5], 99), 100.123)
  assert.deepEqual([percentileOf([7], 50), percentileOf([7], 99)], [7, 7])
  assert.equal(percentileOf([], 99), 0)
})
