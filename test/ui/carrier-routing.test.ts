// The steps of a new carrier in the console: providers, the order of routes and the steps of a test, without a browser.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { PRESETS } from '../../src/domain/carriers/http/expand-preset.ts'
import { carriersFor, type Route } from '../../src/domain/carriers/routing.ts'
import { MESSAGE_TYPES } from '../../src/domain/message-type.ts'
import { callingPrefix } from '../../src/domain/phone-number.ts'
import type { CarrierTest } from '../../ui/api/calls.ts'
import { ONLY_COUNTRY } from '../../ui/carriers/preset-countries.ts'
import { countOthers, orderRoutes } from '../../ui/carriers/route-order.ts'
import { loadServiceWords, loadWords } from '../../ui/words/index.ts'

interface TestSteps {
  stepsOf: (test: CarrierTest) => { kind: string; tone: string; detail: string; advice: string | null }[]
  isPassed: (test: CarrierTest) => boolean
}
// Imported by URL: the tests are compiled without the types of the browser.
const { stepsOf, isPassed }: TestSteps = await import(new URL('../../ui/carriers/test-steps.ts', import.meta.url).href)

before(async () => {
  Object.assign(globalThis, { document: { documentElement: { lang: 'en' } } })
  await loadWords('en')
  await loadServiceWords()
})
after(() => Reflect.deleteProperty(globalThis, 'document'))

test('names the country of every preset that reaches one country only', () => {
  const limited = PRESETS.filter(({ description }) => description.onlyTo.length > 0)
  assert.deepEqual(Object.keys(ONLY_COUNTRY).sort(), limited.map(({ name }) => name).sort())
  for (const { name, description } of limited)
    assert.deepEqual(description.onlyTo, [callingPrefix(ONLY_COUNTRY[name] ?? '')], name)
})

const PREFIXES = ['+97798', '+977980', '+97797']
const route: fc.Arbitrary<Route> = fc.record({
  id: fc.uuid(),
  country: fc.constantFrom('NP', 'IN', '*'),
  prefixes: fc.constantFrom([], ['+97798'], ['+977980'], ['+97797', '+97798']),
  types: fc.constantFrom(null, null, ['otp' as const]),
  carrierId: fc.constantFrom('a', 'b', 'c'),
  priority: fc.constantFrom(10, 100),
  overflow: fc.boolean(),
  weight: fc.constantFrom(0, 1, 3),
})
const routes = fc
  .uniqueArray(route, { selector: ({ id }) => id, maxLength: 8 })
  .map((all) => all.map((it) => (it.country === 'NP' ? it : { ...it, prefixes: [] })))

test('orders routes like the service (D62)', () => {
  const facts = fc.tuple(routes, fc.constantFrom('', ...PREFIXES), fc.constantFrom('weighted', 'priority'))
  fc.assert(
    fc.property(facts, fc.constantFrom(...MESSAGE_TYPES), ([all, prefix, policy], type) => {
      const ofType = all.filter(({ types }) => types === null || types.includes(type))
      const places = orderRoutes(ofType, { country: 'NP', prefix, policy })
      const carriers = [...new Set(places.map((it) => it.route.carrierId))]
      assert.deepEqual(carriers, carriersFor(all, { country: 'NP', prefix }, { type }))
    }),
  )
})

test('shares the traffic of equal routes by weight, and gives a standby the next rank', () => {
  const of = (id: string, weight: number, priority = 100) => ({
    ...{ id, country: 'NP', prefixes: [], types: null, carrierId: id },
    ...{ priority, weight },
  })
  const all = [of('a', 1), of('b', 3), of('c', 0), of('d', 5, 200)]
  const places = (policy: 'weighted' | 'priority') =>
    orderRoutes(all, { country: 'NP', prefix: '', policy }).map((it) => [it.route.id, it.rank, it.share])
  assert.deepEqual(places('weighted'), [
    ['a', 1, 0.25],
    ['b', 1, 0.75],
    ['c', 2, null],
    ['d', 3, null],
  ])
  assert.deepEqual(places('priority'), [
    ['a', 1, null],
    ['b', 2, null],
    ['c', 3, null],
    ['d', 4, null],
  ])
  assert.equal(countOthers([of('a', 1), { ...of('b', 1), prefixes: ['+97798'] }], { country: 'NP', prefix: '' }), 1)
})

const BIND: CarrierTest['binds'][number] = {
  ...{ number: 1, mode: 'transceiver', state: 'bound', boundAt: '2026-11-18T04:00:00.000Z' },
  ...{ milliseconds: 12.4, fault: null, answeredAt: null, steps: [] },
}
const MESSAGE: NonNullable<CarrierTest['message']> = {
  ...{ to: '+9779800000001', text: 'x', outcome: 'accepted', commandStatus: 0, carrierMessageId: 'id-1' },
  ...{ milliseconds: 30, answeredAt: null, report: null },
}
const testOf = (bind: Partial<typeof BIND>, message: typeof MESSAGE | null = null): CarrierTest => ({
  ...{ id: '1', startedAt: '2026-11-18T04:00:00.000Z', message },
  binds: [{ ...BIND, ...bind }],
})
const kinds = (it: CarrierTest) => stepsOf(it).map(({ kind, tone }) => `${kind} ${tone}`)

test('lists the steps of an SMPP test; a missing receipt is open, not failed', () => {
  assert.deepEqual(kinds(testOf({})), ['bind good', 'enquiry good'])
  assert.match(stepsOf(testOf({}))[1]?.detail ?? '', /responded in 12 ms/)
  assert.deepEqual(kinds(testOf({}, MESSAGE)), ['bind good', 'enquiry good', 'message good', 'receipt idle'])
  assert.equal(isPassed(testOf({}, MESSAGE)), true)
})

test('lists the steps of an HTTP test with their times, up to the one that failed', () => {
  const address = { step: 'address' as const, detail: '203.0.113.1', fault: null, milliseconds: 3 }
  const tls = { step: 'tls' as const, detail: '', fault: 'certificate has expired', milliseconds: 40 }
  const failed = testOf({ milliseconds: null, fault: tls.fault, steps: [address, tls] })
  assert.deepEqual(kinds(failed), ['address good', 'tls bad'])
  const [first, last] = stepsOf(failed)
  assert.equal(first?.detail, '203.0.113.1 · 3 ms')
  assert.match(last?.detail ?? '', /certificate has expired · 40 ms/)
  assert.equal(isPassed(failed), false)
})

test('every step that failed says what to do', () => {
  const answer = { step: 'answer' as const, detail: '', fault: 'not JSON', milliseconds: 9 }
  const dialed = (['address', 'connection', 'tls'] as const).map((step) => ({ ...answer, step }))
  const failed = [
    testOf({ boundAt: null, state: 'waiting', milliseconds: null, fault: 'connect ECONNREFUSED' }),
    testOf({ milliseconds: null }),
    ...dialed.map((it) => testOf({ steps: [it] })),
    testOf({ steps: [answer] }, { ...MESSAGE, outcome: 'rejected' }),
  ].flatMap((it) => stepsOf(it).filter(({ tone }) => tone === 'bad'))
  assert.deepEqual(
    failed.map(({ kind }) => kind),
    ['bind', 'enquiry', 'address', 'connection', 'tls', 'message', 'answer'],
  )
  for (const { kind, advice } of failed) assert.ok(advice, kind)
})
