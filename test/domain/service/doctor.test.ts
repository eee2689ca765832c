// The findings of the health check: passing checks, and incidents as sentences.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diagnose } from '../../../src/domain/service/doctor.ts'
import type { CarrierFacts, ServiceFacts } from '../../../src/domain/service/service-facts.ts'
import { bound, carrier, route, SINCE, sound } from './service-facts.ts'

const textsOf = (facts: ServiceFacts) => diagnose(facts).findings.map(({ state, what }) => `${state}: ${what}`)

test('reports only healthy findings for a healthy service', () => {
  assert.deepEqual(textsOf(sound), [
    'ok: sending enabled',
    'ok: carrier Up connected: 1 of 1 connections',
    'ok: live country Nepal served',
    'ok: active workspaces: 1',
  ])
  const { verdict, incidents } = diagnose(sound)
  assert.deepEqual([verdict, incidents], ['operational', []])
})

test('reports partial routes, disconnected and broken carriers, unmatched receipts and long lists', () => {
  const country = (code: string) => ({ code, name: code })
  const facts: ServiceFacts = {
    ...sound,
    liveCountries: ['NP', 'IN', 'BD', 'BT'].map(country),
    carriers: [
      carrier('Up', { binds: [bound, { ...bound, state: 'waiting', lastError: 'no' }] }),
      carrier('Down', {
        health: { state: 'down', reason: 'connect ECONNREFUSED 10.0.0.1:2775', since: null },
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
    lowCredit: [
      { id: 'w1', name: 'Poor Shop', isEmpty: true },
      { id: 'w2', name: 'Low Shop', isEmpty: false },
    ],
    pendingTemplates: 201,
  }
  assert.deepEqual(textsOf(facts), [
    'error: NP cannot be reached: its carriers are disabled. Next: enable the carrier (hulaki carrier change off --enabled), or add a route to another carrier (hulaki route add NP <carrier>).',
    'error: BD cannot be reached: its carriers are disabled. Next: enable the carrier (hulaki carrier change off --enabled), or add a route to another carrier (hulaki route add BD <carrier>).',
    'error: BT cannot be reached: it is live and has no route. Next: add a route to another carrier (hulaki route add BT <carrier>).',
    'warning: Carrier Up is partly connected: 1 of 2 connections (no). Next: check its settings (hulaki carrier show up), or see its traffic (hulaki carrier capture up).',
    'warning: Carrier Down is down (ECONNREFUSED). No route to a live country uses it. Next: test the carrier (hulaki carrier test down), or check its settings (hulaki carrier show down).',
    'warning: Carrier Mute is connected but accepts no messages since 04:00 UTC (no response for 10 s). No route to a live country uses it. Next: see its traffic (hulaki carrier capture mute), or check its settings (hulaki carrier show mute).',
    'warning: Unmatched receipts of carrier Mute: 3 in the last day. They update no message. Next: see the receipts (hulaki carrier receipts mute).',
    'warning: Unreadable receipts of carrier Mute: 7 in the last hour. Check its secret and description. Next: see its traffic (hulaki carrier capture mute), or check its settings (hulaki carrier show mute).',
    'warning: Unexpected responses of carrier Mute: 12 in the last hour, late or duplicate. Next: see its traffic (hulaki carrier capture mute), or check its settings (hulaki carrier show mute).',
    'warning: Messages with unknown outcome at carrier Mute: 31, the oldest since 04:00 UTC. Each fails at its deadline. Next: ask the carrier, then run hulaki message fail-all or resend-all <workspace> --carrier mute.',
    'warning: Carrier Off is disabled: it gets no messages. Next: enable the carrier (hulaki carrier change off --enabled).',
    'warning: IN is partly served: its routes cover only some numbers or types. Next: add a route to another carrier (hulaki route add IN <carrier>).',
    'warning: Workspace Poor Shop has no credit: its messages are rejected. Next: add credit (hulaki credit add w1 <amount>).',
    'warning: Templates in review: 201. Next: review them (hulaki template list-all --status pending).',
    'ok: sending enabled',
    'ok: active workspaces: 1',
  ])
  const down = diagnose(facts).findings.find(({ code }) => code === 'carrier_down')
  assert.deepEqual(down?.about, { kind: 'carrier', id: 'down', name: 'Down' })
})

test('reports a carrier that rejects everything, unless its open circuit reports it already', () => {
  const errors = ['the older one', 'HTTP 401'].map((lastError, index) => ({
    ...{ state: 'bound', lastError, lastErrorAt: new Date(SINCE.getTime() + index), retryAt: null },
  }))
  const codes = (some: Partial<CarrierFacts>) =>
    diagnose({ ...sound, carriers: [carrier('Up', some)] })
      .findings.filter(({ about, state }) => about?.kind === 'carrier' && state !== 'ok')
      .map(({ state, code }) => `${state} ${code}`)
  const broken = { state: 'broken', reason: 'refused', since: SINCE } as const
  assert.deepEqual(codes({ accountRejections: 3 }), ['error carrier_refuses'])
  assert.deepEqual(codes({ accountRejections: 3, accepted: 1 }), [])
  assert.deepEqual(codes({ accountRejections: 3, health: broken }), ['error carrier_broken'])
  assert.deepEqual(codes({ unreadableAnswers: 3 }), ['error answers_unreadable'])
  assert.deepEqual(codes({ unreadableAnswers: 3, health: broken }), [
    'error carrier_broken',
    'warning answers_unreadable',
  ])
  assert.deepEqual(codes({ unreadableAnswers: 3, accepted: 1 }), ['warning answers_unreadable'])
  assert.deepEqual(codes({ duplicateMessageIds: 1 }), ['warning receipts_shared'])
  assert.deepEqual(codes({ duplicateMessageIds: 1, receipts: 'one' }), [])
  const texts = textsOf({ ...sound, carriers: [carrier('Up', { accountRejections: 3, binds: errors })] })
  assert.match(texts.join(), /carrier Up rejects every message: 3 in the last hour \(HTTP 401\)\./)
})

test('reports what an empty service lacks', () => {
  const empty = { smsEnabled: false, liveCountries: [], carriers: [], routes: [], activeWorkspaces: 0 }
  assert.deepEqual(textsOf({ ...sound, ...empty }), [
    'error: Sending is paused: new send requests of all workspaces are rejected. Next: resume sending (hulaki service change --sms-enabled).',
    'error: No country is live: nothing can be sent. Next: add a country (hulaki country set).',
    'error: The service has no carrier: nothing can be sent. Next: add a carrier (hulaki carrier add).',
    'warning: No workspace is active: no client can send. Next: activate a workspace (hulaki workspace change <workspace> --status active).',
  ])
  const unbound = carrier('New', {
    health: { state: 'down', reason: null, since: null },
    binds: [{ ...bound, state: 'idle' }],
  })
  assert.match(textsOf({ ...sound, carriers: [unbound] }).join(), /no process has its connections/)
})
