// What doctor makes of the facts: each finding with its mark and its sentence.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CarrierFacts, diagnose, type Facts } from '../../../src/domain/service/doctor.ts'

const SINCE = new Date('2026-11-16T04:00:00.000Z')
const bound = { state: 'bound', lastError: null, lastErrorAt: null }

function carrier(name: string, some: Partial<CarrierFacts> = {}): CarrierFacts {
  const health = { state: 'working', reason: null, since: SINCE } as const
  return {
    id: name.toLowerCase(),
    name,
    enabled: true,
    health,
    binds: [bound],
    unmatched: 0,
    receipts: 'each',
    inDoubt: null,
    ...{
      accepted: 0,
      accountRejections: 0,
      unreadableAnswers: 0,
      duplicateMessageIds: 0,
      unexpectedAnswers: 0,
      unreadableReceipts: 0,
    },
    ...some,
  }
}

const sound: Facts = {
  smsEnabled: true,
  liveCountries: [{ code: 'NP', name: 'Nepal' }],
  carriers: [carrier('Up')],
  routes: [{ country: '*', prefixes: [], types: null, carrierId: 'up' }],
  activeWorkspaces: 1,
  withoutCredit: [],
  pendingTemplates: 0,
}

const told = (facts: Facts) => diagnose(facts).map(({ state, what }) => `${state}: ${what}`)

test('where all is well, every finding says so', () => {
  assert.deepEqual(told(sound), [
    'well: sending is switched on',
    'well: carrier Up: 1 of 1 binds are bound',
    'well: Nepal is live and has a route',
    'well: active workspaces: 1',
  ])
})

test('doctor judges by all there is: routes in part, carriers that are down or broken, unmatched receipts, long lists', () => {
  const country = (code: string) => ({ code, name: code })
  const route = (to: string, carrierId: string, only = {}) => ({
    country: to,
    prefixes: [],
    types: null,
    carrierId,
    ...only,
  })
  const facts: Facts = {
    ...sound,
    liveCountries: ['NP', 'IN', 'BD', 'BT'].map(country),
    carriers: [
      carrier('Up', { binds: [bound, { ...bound, state: 'waiting', lastError: 'no' }] }),
      carrier('Down', {
        health: { state: 'down', reason: null, since: null },
        binds: [{ ...bound, state: 'waiting', lastError: 'refused' }],
      }),
      carrier('Mute', {
        health: { state: 'broken', reason: 'no answer for 10 s', since: SINCE },
        unmatched: 3,
        unexpectedAnswers: 12,
        unreadableReceipts: 7,
        inDoubt: { messages: 31, since: SINCE },
      }),
      carrier('Off', { enabled: false, health: { state: 'off', reason: null, since: null }, binds: [] }),
    ],
    routes: [route('NP', 'off'), route('IN', 'up', { prefixes: ['+9198'] }), route('BD', 'off')],
    withoutCredit: [{ id: 'w1', name: 'Poor Shop' }],
    pendingTemplates: 201,
  }
  assert.deepEqual(told(facts), [
    'well: sending is switched on',
    'look: carrier Up: 1 of 2 binds are bound (no)',
    'bad: carrier Down: 0 of 1 binds are bound (refused)',
    'bad: carrier Mute is bound, but does not work since 2026-11-16T04:00:00.000Z: no answer for 10 s',
    'look: carrier Mute sent receipts in the last day that belong to nothing: 3; hulaki carrier receipts mute',
    'look: receipts of carrier Mute were refused or could not be read in the last hour: 7; its secret, or where they stand, is not as described; the log says which; hulaki carrier capture mute',
    'look: carrier Mute answered in the last hour what nobody asked, or asked no more: 12; it answers late or twice, the log has which; hulaki carrier capture mute',
    'look: messages in doubt at carrier Mute: 31, the oldest since 2026-11-16T04:00:00.000Z; it may have taken them, but neither answer nor receipt came; ask the carrier, then hulaki message fail-all or resend-all <workspace> --carrier mute; else each fails at its deadline',
    'look: carrier Off is not enabled',
    'bad: NP is live, but its routes lead only to carriers that are not enabled',
    'look: IN is live, but its routes serve only some numbers or types',
    'bad: BD is live, but its routes lead only to carriers that are not enabled',
    'bad: BT is live, but no route leads there: hulaki route add BT <carrier>',
    'well: active workspaces: 1',
    'look: workspace Poor Shop has no credit: hulaki credit add w1 <amount>',
    'look: templates that wait for review: 201; hulaki template list-all --status pending',
  ])
  const [, , down] = diagnose(facts)
  assert.deepEqual([down?.code, down?.about], ['carrier_down', { kind: 'carrier', id: 'down', name: 'Down' }])
})

test('a carrier that took nothing and refused for its own reasons is bad, unless its broken circuit says so already', () => {
  const errors = ['the older one', 'HTTP 401'].map((lastError, index) => ({
    ...{ state: 'bound', lastError, lastErrorAt: new Date(SINCE.getTime() + index) },
  }))
  const codes = (some: Partial<CarrierFacts>) =>
    diagnose({ ...sound, carriers: [carrier('Up', some)] })
      .filter(({ about, state }) => about?.kind === 'carrier' && state !== 'well')
      .map(({ state, code }) => `${state} ${code}`)
  const broken = { state: 'broken', reason: 'refused', since: SINCE } as const
  assert.deepEqual(codes({ accountRejections: 3 }), ['bad carrier_refuses'])
  assert.deepEqual(codes({ accountRejections: 3, accepted: 1 }), [])
  assert.deepEqual(codes({ accountRejections: 3, health: broken }), ['bad carrier_broken'])
  assert.deepEqual(codes({ unreadableAnswers: 3 }), ['bad answers_unreadable'])
  assert.deepEqual(codes({ unreadableAnswers: 3, accepted: 1 }), ['look answers_unreadable'])
  assert.deepEqual(codes({ duplicateMessageIds: 1 }), ['look receipts_shared'])
  assert.deepEqual(codes({ duplicateMessageIds: 1, receipts: 'one' }), [])
  const [, , refuses] = told({ ...sound, carriers: [carrier('Up', { accountRejections: 3, binds: errors })] })
  assert.match(refuses ?? '', /: 3; last error: HTTP 401;/)
})

test('an empty service is told what it lacks', () => {
  const empty = { smsEnabled: false, liveCountries: [], carriers: [], routes: [], activeWorkspaces: 0 }
  assert.deepEqual(told({ ...sound, ...empty }), [
    'bad: sending is switched off: hulaki service change --sms-enabled',
    'bad: no country is live, so nothing can be sent: hulaki country set',
    'bad: there is no carrier: hulaki carrier add',
    'look: no workspace is active, so nobody can send',
  ])
  const nobody = carrier('New', {
    health: { state: 'down', reason: null, since: null },
    binds: [{ ...bound, state: 'idle' }],
  })
  assert.match(told({ ...sound, carriers: [nobody] })[1] ?? '', /no process plays the role delivery/)
})
