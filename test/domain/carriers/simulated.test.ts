// Whether what is sent reaches anybody.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulatedPart } from '../../../src/domain/carriers/simulated.ts'
import { isAnswerable, isOfHandset } from '../../../src/domain/messages/handset-message.ts'
import { depthOf, ratePerSecond } from '../../../src/domain/service/traffic.ts'

const route = (country: string, carrierId: string, some = {}) => ({
  country,
  prefixes: [],
  types: null,
  carrierId,
  ...some,
})

test('traffic goes to the simulator where its route may be taken: a catch-all serves only what no own route of a country does', () => {
  const part = (routes: ReturnType<typeof route>[], simulatorId: string | null = 'sim') =>
    simulatedPart(routes, { simulatorId, countries: ['NP', 'IN'] })
  const everywhere = route('*', 'sim')
  assert.equal(part([everywhere]), 'all')
  assert.equal(part([everywhere], null), 'none')
  assert.equal(part([everywhere, route('NP', 'real')]), 'some')
  assert.equal(part([everywhere, route('NP', 'real'), route('IN', 'real')]), 'none')
  assert.equal(part([everywhere, route('NP', 'real', { types: ['otp'] }), route('IN', 'real')]), 'some')
  assert.equal(simulatedPart([everywhere], { simulatorId: 'sim', countries: [] }), 'none')
})

test('a lane is as deep as was counted; past the bound of the count a sample tells about how deep', () => {
  assert.deepEqual(depthOf({ counted: 7, sampled: 900, most: 10 }), { waiting: 7, isEstimate: false })
  assert.deepEqual(depthOf({ counted: 10, sampled: 900, most: 10 }), { waiting: 900, isEstimate: true })
  assert.deepEqual(depthOf({ counted: 10, sampled: 0, most: 10 }), { waiting: 10, isEstimate: true })
})

test('a rate is over the last minute, or over the time of the latest where they are too many to count', () => {
  const now = new Date('2026-11-16T04:00:00.000Z')
  const firstAt = new Date(now.getTime() - 2_000)
  assert.equal(ratePerSecond({ counted: 30, looked: 30, firstAt, most: 100 }, now), 0.5)
  assert.equal(ratePerSecond({ counted: 100, looked: 100, firstAt, most: 100 }, now), 50)
  assert.equal(ratePerSecond({ counted: 0, looked: 0, firstAt: null, most: 100 }, now), 0)
})

test('a handset is known by the end of its number, and answers only what reached it', () => {
  assert.ok(isOfHandset('+9779800000001', '9800000001'))
  assert.ok(isOfHandset('+9779800000001', '+977 980 000 0001'))
  assert.ok(!isOfHandset('+9779800000001', '9800000002'))
  assert.ok(!isOfHandset('+9779800000001', ''))
  const message = { id: 's1', to: '+9779800000001', from: 'Shop', text: 'x', receivedAt: new Date(0) }
  assert.ok(isAnswerable([message], { from: '+9779800000001', to: 'Shop' }))
  assert.ok(!isAnswerable([message], { from: '+9779800000001', to: 'Bank' }))
  assert.ok(!isAnswerable([message], { from: '+9779800000002', to: 'Shop' }))
})
