// Whether messages reach real handsets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulatedShare } from '../../../src/domain/carriers/simulated.ts'
import { isAnswerable, isOfHandset } from '../../../src/domain/messages/handset-message.ts'
import { depthOf, ratePerSecond } from '../../../src/domain/service/traffic.ts'

const route = (country: string, carrierId: string, some = {}) => ({
  country,
  prefixes: [],
  types: null,
  carrierId,
  ...some,
})

test('counts traffic as simulated where a simulator route may serve it; a catch-all serves only countries without a route', () => {
  const part = (routes: ReturnType<typeof route>[], simulatorId: string | null = 'sim') =>
    simulatedShare(routes, { simulatorId, countries: ['NP', 'IN'] })
  const everywhere = route('*', 'sim')
  assert.equal(part([everywhere]), 'all')
  assert.equal(part([everywhere], null), 'none')
  assert.equal(part([everywhere, route('NP', 'real')]), 'some')
  assert.equal(part([everywhere, route('NP', 'real'), route('IN', 'real')]), 'none')
  assert.equal(part([everywhere, route('NP', 'real', { types: ['otp'] }), route('IN', 'real')]), 'some')
  assert.equal(simulatedShare([everywhere], { simulatorId: 'sim', countries: [] }), 'none')
})

test('reports the exact depth of a queue, and beyond the limit of the count an estimate', () => {
  assert.deepEqual(depthOf({ counted: 7, sampled: 900, most: 10 }), { waiting: 7, isEstimate: false })
  assert.deepEqual(depthOf({ counted: 10, sampled: 900, most: 10 }), { waiting: 900, isEstimate: true })
  assert.deepEqual(depthOf({ counted: 10, sampled: 0, most: 10 }), { waiting: 10, isEstimate: true })
})

test('computes a rate over the last minute, or over the time span of the messages read', () => {
  const now = new Date('2026-11-16T04:00:00.000Z')
  const firstAt = new Date(now.getTime() - 2_000)
  assert.equal(ratePerSecond({ counted: 30, looked: 30, firstAt, most: 100 }, now), 0.5)
  assert.equal(ratePerSecond({ counted: 100, looked: 100, firstAt, most: 100 }, now), 50)
  assert.equal(ratePerSecond({ counted: 0, looked: 0, firstAt: null, most: 100 }, now), 0)
})

test('matches a handset by the end of its number, and lets it answer only its senders', () => {
  assert.ok(isOfHandset('+9779800000001', '9800000001'))
  assert.ok(isOfHandset('+9779800000001', '+977 980 000 0001'))
  assert.ok(!isOfHandset('+9779800000001', '9800000002'))
  assert.ok(!isOfHandset('+9779800000001', ''))
  const message = { id: 's1', to: '+9779800000001', from: 'Shop', text: 'x', receivedAt: new Date(0) }
  assert.ok(isAnswerable([message], { from: '+9779800000001', to: 'Shop' }))
  assert.ok(!isAnswerable([message], { from: '+9779800000001', to: 'Bank' }))
  assert.ok(!isAnswerable([message], { from: '+9779800000002', to: 'Shop' }))
})
