// Which day a charge counts for, and how charges add up (D7 to D10).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargedDay, UsageSum } from '../../../src/domain/workspaces/usage.ts'

test('counts a charge for its day in the time zone of the workspace, never before the paying month (D9)', () => {
  const zone = { timeZone: 'Asia/Kathmandu', period: '2026-11-01' }
  assert.equal(chargedDay(new Date('2026-11-16T18:14:59Z'), zone), '2026-11-16')
  assert.equal(chargedDay(new Date('2026-11-16T18:15:00Z'), zone), '2026-11-17')
  const december = { ...zone, period: '2026-12-01' }
  assert.equal(chargedDay(new Date('2026-11-30T18:14:59Z'), december), '2026-12-01')
  assert.equal(chargedDay(new Date('2026-12-24T00:00:00Z'), december), '2026-12-24')
})

test('adds up to one row per client, day, type and country, in a fixed order', () => {
  const sum = new UsageSum()
  const shop = { workspaceId: 'w', clientId: 'b', day: '2026-11-16', type: 'otp', country: 'NP' } as const
  sum.add(shop, { messages: 1, segments: 2, costE4: 300 })
  sum.add({ ...shop, clientId: 'a' }, { messages: 1, segments: 1, costE4: 1 })
  sum.add(shop, { refunds: 1, refundedE4: 300 })
  sum.add({ ...shop, country: 'IN' }, { messages: 1, segments: 1, costE4: 9 })
  sum.add({ ...shop, day: '2026-11-15' }, { refunds: 1, refundedE4: 7 })
  const none = { messages: 0, segments: 0, costE4: 0, refunds: 0, refundedE4: 0 }
  assert.deepEqual(sum.rows(), [
    { ...shop, ...none, clientId: 'a', messages: 1, segments: 1, costE4: 1 },
    { ...shop, ...none, day: '2026-11-15', refunds: 1, refundedE4: 7 },
    { ...shop, ...none, country: 'IN', messages: 1, segments: 1, costE4: 9 },
    { ...shop, messages: 1, segments: 2, costE4: 300, refunds: 1, refundedE4: 300 },
  ])
})
