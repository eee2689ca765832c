import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trafficPerSecond } from '../../../src/domain/service/traffic.ts'

const of = (quarter: string, accepted: number, delivered: number) => ({
  quarter: new Date(quarter),
  accepted,
  delivered,
  undelivered: 0,
  failed: 0,
})

test('computes traffic from the growth of counters, across quarters and without deleted ones', () => {
  const before = [of('2026-11-16T03:45:00Z', 100, 90), of('2026-11-16T04:00:00Z', 10, 5)]
  const after = [of('2026-11-16T04:00:00Z', 30, 10), of('2026-11-16T04:15:00Z', 4, 0)]
  assert.deepEqual(trafficPerSecond(before, after, 2), { accepted: 12, delivered: 2.5, undelivered: 0, failed: 0 })
})
