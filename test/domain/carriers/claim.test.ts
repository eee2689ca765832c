// Which messages a carrier claims.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type ClaimFacts,
  type DueMessage,
  decideClaim,
  decideClaims,
  hasMoved,
  planClaim,
} from '../../../src/domain/carriers/claim.ts'
import { Room } from '../../../src/domain/carriers/room.ts'
import { priorityOf } from '../../../src/domain/carriers/routing.ts'

/** 09:45 in Nepal. */
const NOW = new Date('2026-11-16T04:00:00.000Z')
const NIGHT = new Date('2026-11-16T16:00:00.000Z')
const MORNING = new Date('2026-11-17T02:15:00.000Z')
const NEPAL = { code: 'NP', timeZone: 'Asia/Kathmandu', quietFrom: '20:00', quietTo: '08:00' }
const UNLIMITED = Number.POSITIVE_INFINITY

const message = (more: Partial<DueMessage> = {}): DueMessage => ({
  id: 'message',
  workspaceId: 'workspace',
  clientId: 'client',
  to: '+9779841000001',
  type: 'transactional',
  segments: 1,
  costE4: 15_000,
  status: 'queued',
  createdAt: NOW,
  updatedAt: NOW,
  hasListener: true,
  country: 'NP',
  sender: 'Shop',
  text: 'Hello',
  sealedText: null,
  encoding: 'GSM7',
  currency: 'NPR',
  place: { destination: 'NP', avoidCarrierId: null, priority: 1 },
  firstMessageId: 'message',
  attempts: 0,
  submissions: [],
  ...more,
})
const submission = (more: Partial<DueMessage['submissions'][number]> = {}) => ({
  ordinal: 1,
  segment: 1,
  ofSegments: 1,
  carrierId: 'carrier',
  outcome: 'accepted' as const,
  error: '' as const,
  receipts: 'each' as const,
  resendUnknown: false,
  ...more,
})
const rules = {
  inOnePiece: false,
  senderRules: { defaultSender: null, senderRewrites: {}, allowedSenders: [] },
  receipts: 'each' as const,
  wantsFields: true,
  prices: { currency: 'NPR', prices: [{ prefix: '', priceE4: 1_234 }] },
}
const facts = (more: Partial<ClaimFacts> = {}): ClaimFacts => ({
  rules,
  room: new Room({ places: 10, free: 10, tokens: UNLIMITED }),
  countries: [NEPAL],
  fieldsOf: new Map(),
  now: NOW,
  ...more,
})
const decide = (one: DueMessage, more: Partial<ClaimFacts> = {}) => decideClaim(one, { ...facts(more), zone: NEPAL })
const place = (type: 'otp' | 'transactional' | 'promotional') => ({
  destination: 'NP',
  avoidCarrierId: null,
  priority: priorityOf(type),
})

test('looks for OTPs first, in the capacity reserved for them (D16)', () => {
  const places = [place('promotional'), place('otp'), place('transactional')]
  const room = new Room({ places: 10, free: 10, tokens: UNLIMITED })
  assert.deepEqual(planClaim(places, room), [
    { places: [place('otp')], limit: 10 },
    { places: [place('promotional'), place('transactional')], limit: 8 },
  ])
  const crowded = new Room({ places: 10, free: 2, tokens: UNLIMITED })
  assert.deepEqual(planClaim(places, crowded), [{ places: [place('otp')], limit: 2 }])
  assert.deepEqual(planClaim([place('transactional')], crowded), [])
})

test('claims at most 500 messages at once', () => {
  const room = new Room({ places: 2_000, free: 2_000, tokens: UNLIMITED })
  assert.equal(planClaim([place('transactional')], room)[0]?.limit, 500)
})

test('prepares a message by the rules of its carrier', () => {
  const claim = decide(message({ segments: 3, attempts: 2 }), { fieldsOf: new Map([['message', { entity: '1' }]]) })
  assert.equal(claim.kind, 'submit')
  const { ordinal, submitting, ofSegments, load, fields, carrierCostE4, claimedAt } = claim.message
  assert.deepEqual([ordinal, submitting, ofSegments], [3, [1, 2, 3], 3])
  assert.deepEqual(
    [load, fields, carrierCostE4, claimedAt],
    [{ submissions: 3, segments: 3 }, { entity: '1' }, 1_234, NOW],
  )
  const whole = decide(message({ segments: 3 }), { rules: { ...rules, inOnePiece: true } })
  assert.equal(whole.kind, 'submit')
  assert.deepEqual(whole.message.load, { submissions: 1, segments: 3 })
  assert.deepEqual([whole.message.submitting, whole.message.carrierCostE4], [[1], 3 * 1_234])
})

test('does not resubmit a segment that a carrier has or may have, except an OTP (D15)', () => {
  const taken = submission({ ofSegments: 2 })
  const partly = decide(message({ segments: 2, submissions: [taken] }))
  assert.equal(partly.kind, 'submit')
  assert.deepEqual(partly.message.submitting, [2])
  const unknown = [submission({ outcome: 'unknown' })]
  assert.equal(decide(message({ submissions: unknown })).kind, 'done')
  assert.equal(decide(message({ type: 'otp', submissions: unknown })).kind, 'submit')
  assert.equal(
    decide(message({ submissions: [submission({ outcome: 'unknown', resendUnknown: true })] })).kind,
    'submit',
  )
})

test('removes final messages, and expires old ones', () => {
  assert.equal(decide(message({ status: 'failed' })).kind, 'done')
  assert.equal(decide(message({ type: 'otp' }), { now: new Date(NOW.getTime() + 300_000) }).kind, 'expired')
})

test('defers promotional text until morning with one event, unless a part was accepted (D16)', () => {
  const night = { now: NIGHT }
  const claim = decide(message({ type: 'promotional' }), night)
  assert.equal(claim.kind, 'deferred')
  assert.deepEqual([claim.until, claim.transitions.map((it) => it.to)], [MORNING, ['queued']])
  const partly = decide(message({ type: 'promotional', status: 'submitted' }), night)
  assert.equal(partly.kind, 'deferred')
  assert.deepEqual(partly.transitions, [])
  assert.equal(decide(message(), night).kind, 'submit')
  assert.equal(decide(message({ type: 'promotional' })).kind, 'submit')
})

test('leaves messages without capacity in the queue, and lets no later one overtake them', () => {
  const due = [message({ id: 'long', segments: 5 }), message({ id: 'short' })]
  const decided = decideClaims(due, facts({ room: new Room({ places: 10, free: 4, tokens: UNLIMITED }) }))
  assert.deepEqual([decided.messages, decided.hasRoom, hasMoved(decided)], [[], false, false])
  const mixed = decideClaims([message({ id: 'over', status: 'failed' }), ...due], facts())
  assert.deepEqual(
    mixed.messages.map((it) => it.id),
    ['long', 'short'],
  )
  assert.deepEqual([mixed.done.map((it) => it.id), mixed.hasRoom, hasMoved(mixed)], [['over'], true, true])
})

const arbitraryDue = fc.array(
  fc.record({
    type: fc.constantFrom('otp' as const, 'transactional' as const, 'promotional' as const),
    segments: fc.integer({ min: 1, max: 6 }),
    status: fc.constantFrom('queued' as const, 'submitted' as const, 'failed' as const),
    createdAt: fc.integer({ min: 0, max: 72 * 3600 }).map((seconds) => new Date(NIGHT.getTime() - seconds * 1000)),
  }),
  { maxLength: 30 },
)

test('decides at most one fate per message, claims only what fits, and does not change the facts (property)', () => {
  fc.assert(
    fc.property(
      arbitraryDue,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 40 }),
      (some, free, tokens) => {
        const due = some.map((it, index) => message({ ...it, id: `${index}` }))
        const room = new Room({ places: 40, free, tokens })
        const before = [room.availableFor('otp'), room.availableFor('transactional')]
        const decided = decideClaims(due, facts({ room, now: NIGHT }))
        assert.deepEqual([room.availableFor('otp'), room.availableFor('transactional')], before)
        const claimed = decided.messages.map((it) => it.id)
        const others = [...decided.deferred.map((it) => it.message), ...decided.done].map((it) => it.id)
        const fates = [...claimed, ...others, ...decided.expired]
        assert.equal(new Set(fates).size, fates.length)
        const loads = decided.messages.map((it) => it.load)
        const sum = (of: 'submissions' | 'segments') => loads.reduce((all, it) => all + it[of], 0)
        // The first message may exceed both limits; otherwise it would wait forever.
        assert.ok(loads.length <= 1 || (sum('submissions') <= free && sum('segments') <= tokens))
        assert.deepEqual(decideClaims(due, facts({ room, now: NIGHT })), decided)
      },
    ),
  )
})
