// Why a message waits, as its timeline shows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CarrierHealth } from '../../../src/domain/carriers/carrier-health.ts'
import type { Route } from '../../../src/domain/carriers/routing.ts'
import { explainWaiting, type WaitingFacts } from '../../../src/domain/carriers/waiting.ts'

const NOW = new Date('2026-11-16T10:00:00.000Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const order = { prefixes: [], types: null, overflow: false, weight: 0 }
const routes: Route[] = [
  { id: '1', country: 'NP', carrierId: 'first', priority: 1, ...order },
  { id: '2', country: 'NP', carrierId: 'second', priority: 2, ...order },
]

function explain(change: Partial<WaitingFacts>, health: Record<string, CarrierHealth> = {}) {
  const message = { type: 'transactional' as const, createdAt: at(-60), updatedAt: at(-50) }
  const off: CarrierHealth = { state: 'off', reason: null, since: null }
  const {
    for: what,
    since,
    until,
    endsAt,
    reason,
  } = explainWaiting({
    message,
    queued: { destination: 'NP', avoidCarrierId: null, dueAt: at(-60) },
    submitted: null,
    isNight: false,
    routes,
    healthOf: (id) => health[id] ?? off,
    now: NOW,
    ...change,
  })
  assert.deepEqual(endsAt, at(-60 + 48 * 3600))
  return [what, since, until, reason]
}

test('explains a deferred message by quiet hours or its next retry, with the time (D14, D16)', () => {
  const queued = { destination: 'NP', avoidCarrierId: null, dueAt: at(30) }
  assert.deepEqual(explain({ queued, isNight: true }), ['quiet_hours', at(-50), at(30), null])
  const submitted = { claimedAt: at(-20), answeredAt: at(-10) }
  assert.deepEqual(explain({ queued, submitted }), ['retry', at(-10), at(30), null])
})

test('explains a due message by a carrier that is down, broken or busy', () => {
  const down: CarrierHealth = { state: 'down', reason: 'connect ECONNREFUSED', since: at(-40) }
  const broken: CarrierHealth = { state: 'broken', reason: '5 in a row were not answered', since: at(-5) }
  const working: CarrierHealth = { state: 'working', reason: null, since: at(-900) }
  assert.deepEqual(explain({}), ['route', at(-60), null, null], 'all carriers are disabled')
  assert.deepEqual(explain({ routes: [] }), ['route', at(-60), null, null])
  assert.deepEqual(explain({}, { first: down }), ['network_down', at(-40), null, 'connect ECONNREFUSED'])
  assert.deepEqual(explain({}, { first: down, second: broken }), ['network_broken', at(-5), null, broken.reason])
  assert.deepEqual(explain({}, { first: broken, second: working }), ['turn', at(-60), null, null])
})

test('explains a message that a carrier may have by the missing answer (D15)', () => {
  const submitted = { claimedAt: at(-20), answeredAt: null }
  assert.deepEqual(explain({ queued: null, submitted }), ['answer', at(-20), null, null])
})
