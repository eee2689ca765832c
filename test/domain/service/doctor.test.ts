// The findings of the health check.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CarrierFacts, diagnose, type HealthFacts } from '../../../src/domain/service/doctor.ts'

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

const sound: HealthFacts = {
  smsEnabled: true,
  liveCountries: [{ code: 'NP', name: 'Nepal' }],
  carriers: [carrier('Up')],
  routes: [{ country: '*', prefixes: [], types: null, carrierId: 'up' }],
  activeWorkspaces: 1,
  withoutCredit: [],
  pendingTemplates: 0,
}

const textsOf = (facts: HealthFacts) => diagnose(facts).map(({ state, what }) => `${state}: ${what}`)

test('reports only healthy findings for a healthy service', () => {
  assert.deepEqual(textsOf(sound), [
    'ok: sending enabled',
    'ok: carrier Up connected: 1 of 1 connections',
    'ok: live country Nepal served',
    'ok: active workspaces: 1',
  ])
})

test('reports partial routes, disconnected and broken carriers, unmatched receipts and long lists', () => {
  const country = (code: string) => ({ code, name: code })
  const route = (to: string, carrierId: string, only = {}) => ({
    country: to,
    prefixes: [],
    types: null,
    carrierId,
    ...only,
  })
  const facts: HealthFacts = {
    ...sound,
    liveCountries: ['NP', 'IN', 'BD', 'BT'].map(country),
    carriers: [
      carrier('Up', { binds: [bound, { ...bound, state: 'waiting', lastError: 'no' }] }),
      carrier('Down', {
        health: { state: 'down', reason: null, since: null },
        binds: [{ ...bound, state: 'waiting', lastError: 'refused' }],
      }),
      carrier('Mute', {
        health: { state: 'broken', reason: 'no response for 10 s', since: SINCE },
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
  assert.deepEqual(textsOf(facts), [
    'ok: sending enabled',
    'warning: carrier Up partly connected: 1 of 2 connections; last error: no',
    'error: carrier Down disconnected: 0 of 1 connections; last error: refused',
    'error: carrier Mute connected but not accepting messages since 2026-11-16T04:00:00.000Z: no response for 10 s; check its account; run hulaki carrier capture mute',
    'warning: unmatched receipts of carrier Mute: 3 in the last day; they update no message; run hulaki carrier receipts mute',
    'warning: unreadable receipts of carrier Mute: 7 in the last hour; check its secret and description; see the log; run hulaki carrier capture mute',
    'warning: unexpected responses of carrier Mute: 12 in the last hour, late or duplicate; see the log; run hulaki carrier capture mute',
    'warning: messages with unknown outcome at carrier Mute: 31, the oldest since 2026-11-16T04:00:00.000Z; each fails at its deadline; ask the carrier, then run hulaki message fail-all or resend-all <workspace> --carrier mute',
    'warning: carrier Off disabled: it gets no messages',
    'error: no enabled route to NP: its messages wait; enable a carrier, or run hulaki route add NP <carrier>',
    'warning: live country IN partly served: its routes cover only some numbers or types',
    'error: no enabled route to BD: its messages wait; enable a carrier, or run hulaki route add BD <carrier>',
    'error: live country BT without route: its messages wait; run hulaki route add BT <carrier>',
    'ok: active workspaces: 1',
    'warning: workspace Poor Shop without credit: its messages are rejected; run hulaki credit add w1 <amount>',
    'warning: templates in review: 201; run hulaki template list-all --status pending',
  ])
  const [, , down] = diagnose(facts)
  assert.deepEqual([down?.code, down?.about], ['carrier_down', { kind: 'carrier', id: 'down', name: 'Down' }])
})

test('reports a carrier that rejects everything, unless its open circuit reports it already', () => {
  const errors = ['the older one', 'HTTP 401'].map((lastError, index) => ({
    ...{ state: 'bound', lastError, lastErrorAt: new Date(SINCE.getTime() + index) },
  }))
  const codes = (some: Partial<CarrierFacts>) =>
    diagnose({ ...sound, carriers: [carrier('Up', some)] })
      .filter(({ about, state }) => about?.kind === 'carrier' && state !== 'ok')
      .map(({ state, code }) => `${state} ${code}`)
  const broken = { state: 'broken', reason: 'refused', since: SINCE } as const
  assert.deepEqual(codes({ accountRejections: 3 }), ['error carrier_refuses'])
  assert.deepEqual(codes({ accountRejections: 3, accepted: 1 }), [])
  assert.deepEqual(codes({ accountRejections: 3, health: broken }), ['error carrier_broken'])
  assert.deepEqual(codes({ unreadableAnswers: 3 }), ['error answers_unreadable'])
  assert.deepEqual(codes({ unreadableAnswers: 3, accepted: 1 }), ['warning answers_unreadable'])
  assert.deepEqual(codes({ duplicateMessageIds: 1 }), ['warning receipts_shared'])
  assert.deepEqual(codes({ duplicateMessageIds: 1, receipts: 'one' }), [])
  const [, , refuses] = textsOf({ ...sound, carriers: [carrier('Up', { accountRejections: 3, binds: errors })] })
  assert.match(refuses ?? '', /: 3 in the last hour; last error: HTTP 401;/)
})

test('reports what an empty service lacks', () => {
  const empty = { smsEnabled: false, liveCountries: [], carriers: [], routes: [], activeWorkspaces: 0 }
  assert.deepEqual(textsOf({ ...sound, ...empty }), [
    'error: sending paused: no message is submitted; run hulaki service change --sms-enabled',
    'error: no live country: nothing can be sent; run hulaki country set',
    'error: no carrier: nothing can be sent; run hulaki carrier add',
    'warning: no active workspace: no client can send',
  ])
  const unbound = carrier('New', {
    health: { state: 'down', reason: null, since: null },
    binds: [{ ...bound, state: 'idle' }],
  })
  assert.match(textsOf({ ...sound, carriers: [unbound] })[1] ?? '', /no process has the role delivery/)
})
