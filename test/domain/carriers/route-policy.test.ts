// D62: the choice among routes by priority and weights, by priority alone, or by price.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { priceOf } from '../../../src/domain/carriers/carrier-price.ts'
import {
  assignQueueGroups,
  carriersFor,
  destinationName,
  findDestination,
  parseDestination,
  type Route,
  type RoutePolicy,
} from '../../../src/domain/carriers/routing.ts'

const list = (prices: Record<string, number>) =>
  Object.entries(prices).map(([prefix, priceE4]) => ({ prefix, priceE4 }))

const route = (carrierId: string, change: Partial<Route> = {}): Route => ({
  ...{ id: carrierId, country: 'NP', prefixes: [], types: null, carrierId, priority: 100, overflow: false, weight: 0 },
  policy: 'cheapest',
  ...change,
})
const chosen = (routes: Route[], to: string, avoidCarrierId: string | null = null) =>
  carriersFor(routes, findDestination(routes, { country: 'NP', to }), { type: 'otp', avoidCarrierId })

test('prefers the lowest price for the number, then the priority, and puts unknown prices last', () => {
  const routes = [
    route('dear', { priority: 1, prices: list({ '': 90, '+977981': 10 }) }),
    route('cheap', { priority: 9, prices: list({ '+977': 20, '+97797': 95 }) }),
    route('same', { priority: 2, prices: list({ '+977': 20 }) }),
    route('unknown', { priority: 0, prices: list({ '+91': 1 }) }),
    route('named', { priority: 99, prefixes: ['+977986'], prices: list({ '': 500 }) }),
  ]
  const table: [string, string[]][] = [
    ['+9779841000001', ['same', 'cheap', 'dear', 'unknown']],
    ['+9779811000001', ['dear', 'same', 'cheap', 'unknown']],
    ['+9779761000001', ['same', 'dear', 'cheap', 'unknown']],
    // A route with a prefix is deliberate, at any price.
    ['+9779861000001', ['named', 'same', 'cheap', 'dear', 'unknown']],
  ]
  for (const [to, carriers] of table) assert.deepEqual(chosen(routes, to), carriers, to)
  assert.deepEqual(chosen(routes, '+9779841000001', 'same'), ['cheap', 'dear', 'unknown', 'same'])
})

test('divides destinations by price only with the policy cheapest', () => {
  const prices = list({ '': 1, '+9': 2, '+977': 3, '+97798': 4 })
  const named = (policy: RoutePolicy, to: string) =>
    destinationName(findDestination([route('a', { policy, prices })], { country: 'NP', to }))
  assert.equal(named('cheapest', '+9779841000001'), 'NP+97798')
  assert.equal(named('cheapest', '+9779761000001'), 'NP')
  assert.equal(named('weighted', '+9779841000001'), 'NP')
  assert.equal(named('priority', '+9779841000001'), 'NP')
})

test('shares by weight among equals, but not with the policy priority, nor with different prices', () => {
  const place = { destination: 'NP', avoidCarrierId: null, priority: 1 }
  const sharing = (policy: RoutePolicy, prices: [number, number]) => {
    const routes = prices.map((price, at) => route(`${at}`, { policy, weight: 1, prices: list({ '': price }) }))
    const dealt = assignQueueGroups({ routes, places: [place], isWorking: () => true, isFull: () => false })
    return [...dealt].map(([id, [it]]) => `${id}:${it?.among?.length ?? 1}`)
  }
  assert.deepEqual(sharing('weighted', [1, 2]), ['0:2', '1:2'])
  assert.deepEqual(sharing('cheapest', [1, 1]), ['0:2', '1:2'])
  assert.deepEqual(sharing('cheapest', [2, 1]), ['1:1'])
  assert.deepEqual(sharing('priority', [1, 1]), ['0:1'])
})

test('prefers the cheapest working carrier of the longest prefix, and lists all carriers (property)', () => {
  const prefixes = ['+977', '+97798', '+977981', '+97797']
  const some = fc.record({
    prefixes: fc.subarray(['+97798', '+97797']),
    priority: fc.nat(3),
    prices: fc.dictionary(fc.constantFrom('', ...prefixes), fc.nat(5)).map(list),
    works: fc.boolean(),
  })
  const number = fc.constantFrom('+9779811000001', '+9779841000001', '+9779761000001', '+9779611000001')
  fc.assert(
    fc.property(fc.array(some, { minLength: 1, maxLength: 6 }), number, (given, to) => {
      const routes = given.map(({ works: _, ...it }, at) => route(`c${at}`, it))
      const destination = destinationName(findDestination(routes, { country: 'NP', to }))
      const fits = routes.filter((it) => it.prefixes.length === 0 || it.prefixes.some((own) => to.startsWith(own)))
      assert.deepEqual(chosen(routes, to).sort(), fits.map((it) => it.carrierId).sort())
      const isWorking = (id: string) => given[Number(id.slice(1))]?.works === true
      const places = [{ destination, avoidCarrierId: null, priority: 0 }]
      const dealt = assignQueueGroups({ routes, places, isWorking, isFull: () => false })
      const first = chosen(routes, to).find(isWorking)
      const working = [...dealt.keys()].filter(isWorking)
      assert.deepEqual(working, first === undefined ? [] : [first])
      const rank = ({ prefixes: own, prices = [] }: Route): [number, number] => [
        -(own.length > 0 ? 6 : 0),
        priceOf(prices, to) ?? 1e9,
      ]
      for (const other of fits.filter((it) => isWorking(it.carrierId))) {
        const [mine, its] = [rank(routes.find((it) => it.carrierId === first) as Route), rank(other)]
        assert.ok(mine[0] < its[0] || (mine[0] === its[0] && mine[1] <= its[1]), `${first} before ${other.carrierId}`)
      }
      assert.deepEqual(parseDestination(destination).country, 'NP')
    }),
  )
})
