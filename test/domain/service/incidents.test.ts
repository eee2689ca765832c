// Incidents: cause, reach, impact, next steps and verdict.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Incident, verdictOf } from '../../../src/domain/service/incident.ts'
import { describeIncident } from '../../../src/domain/service/incident-text.ts'
import { findIncidents } from '../../../src/domain/service/incidents.ts'
import type { ServiceFacts } from '../../../src/domain/service/service-facts.ts'
import { waitingGroup } from '../../../src/domain/service/waiting-groups.ts'
import { bound, carrier, downCarrier, NOW, route, SINCE, sound } from './service-facts.ts'

const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)

function only(facts: Partial<ServiceFacts>): Incident {
  const found = findIncidents({ ...sound, ...facts })
  assert.equal(found.length, 1, JSON.stringify(found))
  return found[0] as Incident
}

const waiting = (messages: number, some = {}) => ({
  ...{
    messages,
    isEstimate: false,
    firstExpiresAt: new Date('2026-11-16T08:03:00.000Z'),
    oldestDueAt: ago(300),
    workspaceIds: ['w1'],
  },
  ...some,
})
const refused = (code: string, requests: number, some = {}) => ({
  ...{ code, requests, isEstimate: false, since: ago(300), lastAt: ago(5), workspaceIds: ['w2'] },
  ...some,
})
const names = new Map([
  ['w1', 'Himal Bank'],
  ['w2', 'Daraz'],
  ['w3', 'Ncell'],
  ['w4', 'Yeti'],
])

test('a country whose only carrier is down is one outage with its impact and next steps', () => {
  const incident = only({
    carriers: [downCarrier('NTC')],
    routes: [route('NP', 'ntc')],
    waiting: new Map([[waitingGroup.ofCarrier('ntc'), waiting(101, { workspaceIds: ['w1', 'w3', 'w4'] })]]),
    refused: [refused('unavailable', 96)],
    workspaceNames: names,
  })
  assert.deepEqual(incident, {
    id: 'carrier_down:ntc',
    severity: 'outage',
    code: 'carrier_down',
    about: { kind: 'carrier', id: 'ntc', name: 'NTC' },
    since: SINCE,
    error: 'ECONNREFUSED',
    retryAt: new Date(NOW.getTime() + 18_000),
    count: null,
    connections: { bound: 0, total: 1 },
    reaches: {
      lost: [
        {
          ...{ countryCode: 'NP', countryName: 'Nepal', prefixes: [], prefixCount: 0, types: null },
          ...{ isWholeCountry: true, isOnlyCarrier: true },
        },
      ],
      covered: [],
    },
    impact: {
      waiting: { messages: 101, isEstimate: false, firstExpiresAt: new Date('2026-11-16T08:03:00.000Z') },
      refused: { requests: 96, isEstimate: false, since: ago(300), codes: [{ code: 'unavailable', requests: 96 }] },
      workspaces: {
        count: 4,
        first: [
          { id: 'w2', name: 'Daraz' },
          { id: 'w1', name: 'Himal Bank' },
          { id: 'w3', name: 'Ncell' },
        ],
      },
    },
    next: [
      { kind: 'test_carrier', carrierId: 'ntc' },
      { kind: 'add_route', countryCode: 'NP' },
      { kind: 'open_carrier', carrierId: 'ntc' },
    ],
  })
  assert.equal(
    describeIncident(incident, NOW),
    'Nepal cannot be reached: its only carrier NTC is down since 04:00 UTC (ECONNREFUSED). 101 messages wait, the first expires at 08:03 UTC. ' +
      '96 requests were refused (unavailable) since 04:07 UTC. Workspaces affected: Daraz, Himal Bank, Ncell +1. ' +
      'OTPs to these numbers are rejected. Next: test the carrier (hulaki carrier test ntc), ' +
      'or add a route to another carrier (hulaki route add NP <carrier>), or check its settings (hulaki carrier show ntc).',
  )
})

test('a carrier whose numbers another carrier reaches is degraded, without impact', () => {
  const incident = only({
    carriers: [downCarrier('NTC'), carrier('Sparrow')],
    routes: [route('NP', 'ntc'), route('NP', 'sparrow', { priority: 20 })],
    waiting: new Map([[waitingGroup.ofCarrier('ntc'), waiting(5)]]),
  })
  assert.deepEqual(
    [incident.severity, incident.reaches?.lost, incident.reaches?.covered[0]?.carriers.map(({ name }) => name)],
    ['degraded', [], ['Sparrow']],
  )
  assert.deepEqual(incident.impact, { waiting: null, refused: null, workspaces: null })
  assert.match(
    describeIncident(incident, NOW),
    /^Carrier NTC is down since .*\. Nepal is reached by Sparrow\. Next: test/,
  )
})

test('names only the prefixes and types that no working carrier reaches', () => {
  const [incident] = findIncidents({
    ...sound,
    carriers: [downCarrier('NTC'), carrier('Ncell')],
    routes: [
      route('NP', 'ntc', { prefixes: ['+977986', '+977984', '+977985'] }),
      route('NP', 'ncell', { types: ['otp'] }),
    ],
  })
  const prefixes = ['+977984', '+977985', '+977986']
  const numbers = { countryCode: 'NP', countryName: 'Nepal', prefixes, prefixCount: 3 }
  const { lost, covered } = incident?.reaches ?? {}
  const types = ['transactional', 'promotional']
  assert.deepEqual(lost, [{ ...numbers, types, isWholeCountry: false, isOnlyCarrier: true }])
  assert.deepEqual(
    covered?.map(({ carriers, ...it }) => ({ ...it, by: carriers.map(({ id }) => id) })),
    [{ ...numbers, types: ['otp'], by: ['ncell'] }],
  )
  assert.match(
    describeIncident(incident as Incident, NOW),
    /^Nepal \+977984, \+977985, \+977986 \(transactional, promotional\) cannot be reached: its only carrier NTC is down/,
  )
})

test('an outage of one carrier does not lose the numbers of another', () => {
  const found = findIncidents({
    ...sound,
    carriers: [downCarrier('NTC'), carrier('Ncell')],
    routes: [route('NP', 'ntc'), route('NP', 'ncell', { prefixes: ['+97798'] })],
  })
  const [incident] = found
  assert.deepEqual(
    incident?.reaches?.lost.map(({ prefixes, isWholeCountry }) => [prefixes, isWholeCountry]),
    [[[], false]],
  )
  assert.match(describeIncident(incident as Incident, NOW), /^The rest of Nepal cannot be reached/)
})

test('suggests the cheapest working carrier that is known for the country, with the price difference', () => {
  const prices = (priceE4: number, prefix = '+977') => ({ currency: 'NPR', prices: [{ prefix, priceE4 }] })
  const facts = {
    carriers: [
      downCarrier('NTC'),
      carrier('Dear'),
      carrier('Sparrow'),
      carrier('Simulator', { isSimulator: true }),
      carrier('Elsewhere'),
    ],
    routes: [route('NP', 'ntc'), route('IN', 'elsewhere'), route('*', 'simulator')],
  }
  const listed = new Map([
    ['ntc', prices(10_000)],
    ['dear', prices(20_000)],
    ['sparrow', prices(11_200)],
    ['elsewhere', prices(1, '+91')],
  ])
  const [step] = only({ ...facts, prices: listed }).next
  const expected = { kind: 'route_to_carrier', carrierId: 'sparrow', name: 'Sparrow', countryCode: 'NP' }
  assert.deepEqual(step, { ...expected, costDifference: { amountE4: 1_200, currency: 'NPR' } })
  assert.match(
    describeIncident(only({ ...facts, prices: listed }), NOW),
    /route to Sparrow for NPR 0\.12 more per segment/,
  )
  const unknown = new Map([...listed].filter(([id]) => id !== 'ntc'))
  assert.deepEqual(only({ ...facts, prices: unknown }).next[0], expected)
  assert.equal(only({ ...facts, prices: new Map() }).next[0]?.kind, 'test_carrier')
})

test('each problem is an incident with its code, severity and first step', () => {
  const working = { routes: [route('NP', 'up')] }
  const endpoint = {
    ...{ client: { id: 'c1', name: 'App' }, workspace: { id: 'w1', name: 'Himal Bank' }, failures: 4 },
    ...{ firstAt: ago(600), lastAt: ago(60), lastDeliveredAt: null, error: 'HTTP 500' },
  }
  const late = (type: 'otp' | 'transactional' | 'promotional', seconds: number) => ({
    waiting: new Map([[waitingGroup.ofType(type), waiting(7, { oldestDueAt: ago(seconds) })]]),
  })
  const cases: [Partial<ServiceFacts>, string | null][] = [
    [{ smsEnabled: false }, 'outage sending_off resume_sending'],
    [{ liveCountries: [] }, 'outage no_live_country add_country'],
    [{ carriers: [], liveCountries: [] }, 'outage no_live_country add_country; outage no_carrier add_carrier'],
    [{ carriers: [], routes: [] }, 'outage no_carrier add_carrier'],
    [{ routes: [] }, 'outage country_without_route add_route'],
    [{ routes: [route('NP', 'up', { types: ['otp'] })] }, 'notice country_in_part add_route'],
    [
      { carriers: [carrier('Up', { binds: [bound, { ...bound, state: 'waiting' }] })] },
      'degraded carrier_in_part open_carrier',
    ],
    [{ carriers: [carrier('Up', { unmatched: 1 })] }, 'notice receipts_unmatched open_receipts'],
    [
      { carriers: [carrier('Up', { inDoubt: { messages: 1, since: SINCE } })] },
      'notice messages_in_doubt review_messages_in_doubt',
    ],
    [late('otp', 29), null],
    [late('otp', 31), 'degraded queue_late open_carrier'],
    [late('transactional', 299), null],
    [late('transactional', 301), 'degraded queue_late open_carrier'],
    [late('promotional', 1_799), null],
    [late('promotional', 1_801), 'degraded queue_late open_carrier'],
    [{ refused: [refused('unavailable', 20)], requests: 100 }, 'degraded requests_refused open_requests'],
    [{ refused: [refused('rate_limited', 20)], requests: 100 }, 'notice requests_refused open_requests'],
    [{ refused: [refused('rate_limited', 19)], requests: 100 }, null],
    [{ refused: [refused('rate_limited', 20)], requests: 1_000 }, null],
    [{ refused: [refused('rate_limited', 20, { lastAt: ago(1_000) })], requests: 100 }, null],
    [{ endpoints: [endpoint] }, 'notice endpoint_failing open_endpoint'],
    [{ endpoints: [{ ...endpoint, failures: 3 }] }, null],
    [{ endpoints: [{ ...endpoint, lastDeliveredAt: ago(30) }] }, null],
    [{ endpoints: [{ ...endpoint, lastDeliveredAt: ago(90) }] }, 'notice endpoint_failing open_endpoint'],
    [{ lowCredit: [{ id: 'w1', name: 'Shop', isEmpty: true }] }, 'notice workspace_without_credit top_up'],
    [{ lowCredit: [{ id: 'w1', name: 'Shop', isEmpty: false }] }, 'notice workspace_low_credit top_up'],
    [
      { creditRequests: [{ id: 'w1', name: 'Shop', currency: 'NPR', amountE4: 5, requestedAt: ago(30) }] },
      'notice credit_requested top_up',
    ],
    [{ pendingTemplates: 1 }, 'notice templates_pending review_templates'],
  ]
  for (const [facts, expected] of cases) {
    const found = findIncidents({ ...sound, ...working, ...facts })
    const texts = found.map(({ severity, code, next }) => `${severity} ${code} ${next[0]?.kind}`)
    assert.equal(texts.join('; ') || null, expected)
    for (const incident of found) assert.match(describeIncident(incident, NOW), /^[A-Z].*\. Next: .*\.$/)
  }
})

test('refusals that another incident explains are no incident of their own', () => {
  const many = {
    requests: 100,
    refused: [refused('unavailable', 50), refused('sms_disabled', 50), refused('insufficient_balance', 50)],
  }
  const found = findIncidents({
    ...sound,
    ...many,
    smsEnabled: false,
    carriers: [downCarrier('NTC')],
    routes: [route('NP', 'ntc')],
    lowCredit: [{ id: 'w1', name: 'Shop', isEmpty: true }],
  })
  assert.deepEqual(
    found.map(({ code }) => code),
    ['sending_off', 'carrier_down', 'workspace_without_credit'],
  )
})

test('the verdict is the worst severity, and a notice keeps the service operational', () => {
  const withSeverity = (...severities: Incident['severity'][]) =>
    severities.map((severity) => ({ severity }) as Incident)
  assert.equal(verdictOf([]), 'operational')
  assert.equal(verdictOf(withSeverity('notice')), 'operational')
  assert.equal(verdictOf(withSeverity('notice', 'degraded')), 'degraded')
  assert.equal(verdictOf(withSeverity('notice', 'degraded', 'outage')), 'outage')
})
