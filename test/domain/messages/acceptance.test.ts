// The decisions on a batch of sends (§4.1, §4.2, D6), on facts alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Destinations } from '../../../src/domain/carriers/destinations.ts'
import { type AcceptFacts, type Decision, decideAcceptance } from '../../../src/domain/messages/acceptance.ts'
import { MAX_WITHOUT_CARRIER } from '../../../src/domain/messages/intake.ts'
import { windowLimits } from '../../../src/domain/messages/limits.ts'
import type { OtpRequest, SendingClient, SendRequest, TextRequest } from '../../../src/domain/messages/send-request.ts'
import { readPhoneNumber } from '../../../src/domain/phone-number.ts'
import { windowReadsOf } from '../../../src/domain/sliding-window.ts'
import { compileTemplates } from '../../../src/domain/templates/template-index.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const WORKSPACE = 'w'
const PRICE_E4 = 10_000

const client: SendingClient = {
  id: 'c',
  workspaceId: WORKSPACE,
  mode: 'live',
  brandName: 'Himal',
  defaultSender: 'HIMAL',
  onlyTypes: null,
  onlyPrefixes: null,
  dailyCap: null,
  hourlyCapPerNumber: null,
  hourlyCapSince: null,
  pumpingGuard: 'off',
  workspaceStatus: 'active',
}

let made = 0
const common = (of: Partial<SendingClient>, to: string) => ({
  client: { ...client, ...of },
  messageId: `m${++made}`,
  number: readPhoneNumber(to, 'NP'),
  senderId: null,
  idempotency: null,
})
const text = (of: Partial<SendingClient> = {}, to = '9841234567'): TextRequest => ({
  kind: 'text',
  ...common(of, to),
  type: null,
  content: { text: 'Namaste' },
})
const code = (of: Partial<SendingClient> = {}, to = '9841234567'): OtpRequest => ({
  kind: 'otp',
  ...common(of, to),
  otpId: 'o',
  purpose: 'login',
  endUserScope: null,
  callerWaitSeconds: 0,
})

const none = compileTemplates([])
const order = { priority: 1, overflow: false, weight: 0 }
const routes = [{ id: 'r', country: 'NP', prefixes: [], types: null, carrierId: 'x', ...order, workedAt: NOW }]

/** The facts for these requests: balance for `paid` messages, capacity for `room` while the carrier is down. */
function factsFor(requests: SendRequest[], { paid = 100, room = 100, isWorking = true } = {}): AcceptFacts {
  const looks = windowReadsOf(requests.flatMap(windowLimits), NOW)
  const capped = requests.filter((request) => request.client.dailyCap !== null)
  const destinations = new Destinations({
    routes: routes.map((route) => ({ ...route, isWorking })),
    now: NOW,
    startedAt: new Date(0),
  })
  return {
    smsEnabled: true,
    knownAnswers: new Map(),
    windows: new Map(looks.map(({ limit, skipped }) => [limit.scope, { limit, skipped, times: [] }])),
    codeSentAt: new Map(),
    today: new Map(capped.map((request) => [request.client.id, { messages: 0, endsAt: new Date(NOW.getTime() + 1) }])),
    pumping: new Map(),
    destinations,
    waiting: new Map([['NP', MAX_WITHOUT_CARRIER - room]]),
    workspaces: new Map([
      [
        WORKSPACE,
        {
          account: {
            workspaceId: WORKSPACE,
            timeZone: 'Asia/Kathmandu',
            monthlyCreditE4: 0,
            balanceE4: paid * PRICE_E4,
            period: '2026-11-01',
            periodEndsAt: new Date('2026-11-30T18:15:00.000Z'),
            lastEntryId: null,
          },
          priceE4: { transactional: PRICE_E4, otp: PRICE_E4, promotional: PRICE_E4 },
          allowedTypes: ['transactional', 'otp'],
          allowedCountries: ['NP'],
          templatesRequired: false,
          templates: new Map(),
          templateIndex: { transactional: none, otp: none, promotional: none },
        },
      ],
    ]),
  }
}

const codeOf = (decision: Decision) => (decision.kind === 'refused' ? decision.refusal.code : decision.kind)
const idempotency = { ownerId: 'c', idempotencyKey: 'k', fingerprintOf: () => Buffer.from('body') }

const batches: [what: string, requests: SendRequest[], given: Parameters<typeof factsFor>[1], expected: string[]][] = [
  ['money', [text(), text(), text()], { paid: 2 }, ['accepted', 'accepted', 'insufficient_balance']],
  ['a daily cap', [text({ dailyCap: 1 }), text({ dailyCap: 1 })], {}, ['accepted', 'daily_cap']],
  [
    'an hourly cap',
    [text({ hourlyCapPerNumber: 1 }), text({ hourlyCapPerNumber: 1 }), text({ hourlyCapPerNumber: 1 }, '9841234568')],
    {},
    ['accepted', 'number_cap', 'accepted'],
  ],
  ['a cooldown', [code(), code()], {}, ['accepted', 'rate_limited']],
  [
    'the limit of a number',
    [code({ id: 'c1' }), code({ id: 'c2' }), code({ id: 'c3' }), code({ id: 'c4' })],
    {},
    ['accepted', 'accepted', 'accepted', 'rate_limited'],
  ],
  [
    'an Idempotency-Key',
    [text(), text()].map((it) => ({ ...it, idempotency })),
    {},
    ['accepted', 'idempotency_conflict'],
  ],
  ['room in the queue', [text(), text()], { room: 1, isWorking: false }, ['accepted', 'unavailable']],
]
for (const [what, requests, given, expected] of batches) {
  test(`shows each request what earlier ones used of ${what}, and does not change the facts (D6)`, () => {
    const facts = factsFor(requests, given)
    const first = decideAcceptance(requests, facts, NOW)
    assert.deepEqual(first.decisions.map(codeOf), expected)
    // A second decision on the same facts is equal: the first one did not change them.
    const again = decideAcceptance(requests, facts, NOW)
    assert.deepEqual(again.decisions, first.decisions)
    assert.deepEqual([again.hits, again.withoutCarrier], [first.hits, first.withoutCarrier])
    assert.deepEqual(
      again.accounts.map(({ entries }) => entries),
      first.accounts.map(({ entries }) => entries),
    )
  })
}

test('gives a test message the status test and charges nothing; a live one is queued and charged (D19)', () => {
  const requests = [text({ mode: 'test' }), text()]
  const { decisions, accounts } = decideAcceptance(requests, factsFor(requests), NOW)
  const messages = decisions.map((decision) => (decision.kind === 'accepted' ? decision.message : null))
  assert.deepEqual(
    messages.map((it) => [it?.status, it?.costE4, it?.reservedE4, it?.destination]),
    [
      ['test', PRICE_E4, 0, null],
      ['queued', PRICE_E4, PRICE_E4, 'NP'],
    ],
  )
  assert.deepEqual(
    accounts.flatMap(({ entries }) => entries.map(({ kind, amountE4, messages: count }) => [kind, amountE4, count])),
    [['reservation', PRICE_E4, 1]],
  )
})

test('decides an OTP message without its text, and always as one segment (D21)', () => {
  const { decisions } = decideAcceptance([code()], factsFor([code()]), NOW)
  const [decision] = decisions
  assert.ok(decision?.kind === 'accepted')
  const { text: kept, encoding, segments, type } = decision.message
  assert.deepEqual([kept, encoding, segments, type], [null, 'GSM7', 1, 'otp'])
})

test('closes an ended month with the first batch, even if all its requests are rejected (D9)', () => {
  const facts = factsFor([text()], { paid: 1 })
  const { decisions, accounts } = decideAcceptance([text()], facts, new Date('2026-12-01T00:00:00.000Z'))
  assert.deepEqual(decisions.map(codeOf), ['insufficient_balance'])
  assert.deepEqual(
    accounts.flatMap(({ entries }) => entries.map(({ kind }) => kind)),
    ['expiry'],
  )
})
