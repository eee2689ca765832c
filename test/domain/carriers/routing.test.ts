import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Destinations } from '../../../src/domain/carriers/destinations.ts'
import {
  assignQueueGroups,
  carriersFor,
  destinationName,
  findDestination,
  isWorking,
  parseDestination,
  type QueueGroup,
  type Route,
} from '../../../src/domain/carriers/routing.ts'
import { Intake } from '../../../src/domain/messages/intake.ts'

const route = (id: string, carrierId: string, change: Partial<Route> = {}): Route => ({
  id,
  country: 'NP',
  prefixes: [],
  types: null,
  carrierId,
  priority: 100,
  overflow: false,
  weight: 0,
  ...change,
})
const routes = [
  route('1', 'any', { country: '*', priority: 1 }),
  route('2', 'np'),
  route('3', 'np2', { priority: 50 }),
  route('4', 'ncell', { prefixes: ['+977980', '+977981'] }),
  route('5', 'codes', { prefixes: ['+977980'], types: ['otp'], priority: 10 }),
]
const carriers = (to: string, type: 'otp' | 'transactional' = 'transactional', country = 'NP') =>
  carriersFor(routes, findDestination(routes, { country, to }), { type })

test('prefers the longest prefix, then the priority; a catch-all serves only countries without a route', () => {
  assert.deepEqual(carriers('+9779841000001'), ['np2', 'np'])
  assert.deepEqual(carriers('+9779811000001'), ['ncell', 'np2', 'np'])
  assert.deepEqual(carriers('+9779801000001', 'otp'), ['codes', 'ncell', 'np2', 'np'])
  assert.deepEqual(carriers('+919810000001', 'otp', 'IN'), ['any'])
})

test('round-trips the name of a destination', () => {
  const destination = { country: 'NP', prefix: '+977980' }
  assert.equal(destinationName(destination), 'NP+977980')
  assert.deepEqual(parseDestination('NP+977980'), destination)
  assert.deepEqual(parseDestination('NP'), { country: 'NP', prefix: '' })
})

test('puts an avoided carrier last, but keeps it', () => {
  const avoiding = (avoidCarrierId: string) => ({ type: 'otp', avoidCarrierId }) as const
  assert.deepEqual(carriersFor(routes, parseDestination('NP'), avoiding('np2')), ['np', 'np2'])
  assert.deepEqual(carriersFor([route('1', 'only')], parseDestination('NP'), avoiding('only')), ['only'])
})

test('assigns each queue group to the first working carrier only', () => {
  const places = ['NP', 'NP+977980', 'NP+977981', 'IN'].flatMap((destination) =>
    [null, 'np', 'ncell'].flatMap((avoidCarrierId) =>
      [0, 1, 2].map((priority): QueueGroup => ({ destination, avoidCarrierId, priority })),
    ),
  )
  const working = ['np', 'ncell', 'any']
  const dealt = assignQueueGroups({ routes, places, isWorking: (it) => working.includes(it), isFull: () => true })
  const all = working
    .flatMap((id) => dealt.get(id) ?? [])
    .map((it) => JSON.stringify([it.destination, it.avoidCarrierId, it.priority]))
  assert.equal(new Set(all).size, all.length)
  assert.equal(all.length, places.length)
})

const NOW = new Date('2026-11-16T04:00:00.000Z')
const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)

function destinations({ working = [] as string[], workedAt = null as Date | null, startedAt = secondsAgo(3600) }) {
  const states = routes.map((it) => ({ ...it, isWorking: working.includes(it.carrierId), workedAt }))
  return new Destinations({ routes: states, now: NOW, startedAt })
}

test('closes a destination only if it is full and no working carrier serves the type (D6)', () => {
  const intake = (facts: Parameters<typeof destinations>[0]) =>
    new Intake(destinations(facts), new Map([['NP+977980', 100_000 - 1]]))
  const none = intake({})
  assert.equal(destinations({}).of('NP', '+9779801234567'), 'NP+977980')
  assert.equal(none.isOpen('NP+977980', 'otp'), true)
  none.count('NP+977980', 'otp')
  assert.equal(none.isOpen('NP+977980', 'otp'), false, 'the last message with capacity counts')
  assert.equal(none.isOpen('NP', 'otp'), true, 'not full')
  const codesOnly = intake({ working: ['codes'] })
  codesOnly.count('NP+977980', 'otp')
  assert.equal(codesOnly.isOpen('NP+977980', 'promotional'), true, 'accepted messages do not wait')
  codesOnly.count('NP+977980', 'promotional')
  assert.equal(codesOnly.isOpen('NP+977980', 'otp'), true)
  assert.equal(codesOnly.isOpen('NP+977980', 'promotional'), false)
  assert.deepEqual(codesOnly.withoutCarrier, new Map([['NP+977980', 1]]), 'the backlog of the batch')
  const served = destinations({ working: ['codes'] })
  assert.deepEqual(served.withoutCarrier([{ country: 'NP', to: '+9779801234567' }]), ['NP+977980'])
})

test('counts a carrier as working while it is enabled and a bind to it is leased (D6)', () => {
  const later = secondsAgo(-1)
  assert.equal(isWorking({ isEnabled: true, boundUntil: later }, NOW), true)
  assert.equal(isWorking({ isEnabled: false, boundUntil: later }, NOW), false)
  assert.equal(isWorking({ isEnabled: true, boundUntil: NOW }, NOW), false, 'the lease has ended')
  assert.equal(isWorking({ isEnabled: true, boundUntil: null }, NOW), false)
})

test('accepts an OTP until no carrier of its route has worked for 30 s (D40)', () => {
  const isWorth = (facts: Parameters<typeof destinations>[0], place = 'NP') => destinations(facts).canDeliverOtp(place)
  assert.equal(isWorth({ working: ['np'] }), true)
  assert.equal(isWorth({ working: ['codes'] }), false, 'that carrier serves another prefix')
  assert.equal(isWorth({ working: ['codes'] }, 'NP+977980'), true)
  assert.equal(isWorth({ workedAt: secondsAgo(29) }), true)
  assert.equal(isWorth({ workedAt: secondsAgo(30) }), false)
  assert.equal(isWorth({ startedAt: secondsAgo(29) }), true, 'carriers may still be binding')
})
