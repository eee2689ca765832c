// The options of a route: overflow, and a weight among equals.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Saturation } from '../../../src/domain/carriers/room.ts'
import { RouteShares } from '../../../src/domain/carriers/route-shares.ts'
import { assignQueueGroups, carriersFor, parseDestination, type Route } from '../../../src/domain/carriers/routing.ts'

const route = (id: string, change: Partial<Route> = {}): Route => ({
  id,
  country: 'NP',
  prefixes: [],
  types: null,
  carrierId: `carrier ${id}`,
  priority: 100,
  overflow: false,
  weight: 0,
  ...change,
})

/** The carriers that may claim OTPs of a group, and the carriers they share it with. */
function turns(
  routes: Route[],
  { place = 'NP', avoiding = null as string | null, broken = [] as string[], full = [] as string[] } = {},
): Record<string, number[] | null> {
  const dealt = assignQueueGroups({
    routes,
    places: [{ destination: place, avoidCarrierId: avoiding, priority: 0 }],
    isWorking: (id) => !broken.includes(id),
    isFull: (id) => full.includes(id),
  })
  return Object.fromEntries(
    Array.from(dealt, ([id, [place]]) => [
      id.replace('carrier ', ''),
      place?.among?.map(({ weight }) => weight) ?? null,
    ]),
  )
}

test('gives the next carrier the overflow of the first, only with overflow set and only while it is full', () => {
  const routes = [route('1', { overflow: true }), route('2', { priority: 200 }), route('3', { priority: 300 })]
  assert.deepEqual(turns(routes), { 1: null })
  assert.deepEqual(turns(routes, { full: ['carrier 1'] }), { 1: null, 2: null })
  assert.deepEqual(
    turns(routes, { full: ['carrier 1', 'carrier 2'] }),
    { 1: null, 2: null },
    'the second listener keeps it',
  )
  const keeping = routes.map((it) => ({ ...it, overflow: false }))
  assert.deepEqual(turns(keeping, { full: ['carrier 1'] }), { 1: null })
})

test('shares by weight among routes of equal priority; routes without a weight are standby in their order', () => {
  const routes = [route('1'), route('2', { weight: 30 }), route('3', { weight: 70 }), route('4', { priority: 200 })]
  assert.deepEqual(carriersFor(routes, parseDestination('NP'), { type: 'otp' }), [
    'carrier 2',
    'carrier 3',
    'carrier 1',
    'carrier 4',
  ])
  assert.deepEqual(turns(routes), { 2: [30, 70], 3: [30, 70] })
  assert.deepEqual(turns(routes, { broken: ['carrier 2'] }), { 2: [30, 70], 3: [30, 70] }, 'the carrier is tried')
  assert.deepEqual(turns(routes, { broken: ['carrier 2', 'carrier 3'] }), { 2: [30, 70], 3: [30, 70], 1: null })
})

test('shares nothing without weights, or with other prefixes or priorities', () => {
  assert.deepEqual(turns([route('1'), route('2')]), { 1: null })
  const longer = route('2', { prefixes: ['+97798'], weight: 1 })
  assert.deepEqual(turns([route('1', { weight: 1 }), longer], { place: 'NP+97798' }), { 2: null })
  assert.deepEqual(turns([route('1', { weight: 1 }), route('2', { weight: 1, priority: 101 })]), { 1: null })
})

test('gives messages that one carrier rejected to the others, regardless of weights', () => {
  const routes = [route('1', { weight: 1 }), route('2', { weight: 1 })]
  assert.deepEqual(turns(routes, { avoiding: 'carrier 1' }), { 2: null })
})

const A = { carrierId: 'a', weight: 70 }
const B = { carrierId: 'b', weight: 30 }

function share(shares: RouteShares, count: number, ready = (_: string) => true) {
  const had = { a: 0, b: 0 }
  for (let index = 0; index < count; index++) {
    const next = [A, B].filter((it) => ready(it.carrierId) && shares.isNext(it.carrierId, [A, B], ready))
    assert.equal(next.length, 1, 'one carrier is next')
    const carrierId = next[0]?.carrierId as 'a' | 'b'
    shares.record(carrierId, { among: [A, B], messages: 1 })
    had[carrierId] += 1
  }
  return had
}

test('splits shared messages exactly by weight', () => {
  assert.deepEqual(share(new RouteShares(), 1_000), { a: 700, b: 300 })
})

test('does not wait for a carrier that is not ready', () => {
  const shares = new RouteShares()
  assert.deepEqual(
    share(shares, 500, (id) => id === 'a'),
    { a: 500, b: 0 },
  )
})

test('lets a carrier that was down catch up on a thousand messages at most', () => {
  const shares = new RouteShares()
  share(shares, 100_000, (id) => id === 'a')
  const { a, b } = share(shares, 2_000)
  assert(b >= 800 && b <= 1_000 && a >= 1_000, `${a} and ${b}`)
})

test('reports a carrier as full after claims without capacity for a second, until a claim has capacity', () => {
  const saturation = new Saturation()
  saturation.claimed({ hasRoom: false, now: 0 })
  assert.equal(saturation.isFull(999), false)
  saturation.claimed({ hasRoom: false, now: 900 })
  assert.equal(saturation.isFull(1_000), true)
  saturation.claimed({ hasRoom: true, now: 1_100 })
  assert.equal(saturation.isFull(9_000), false)
})
