import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isFinal } from '../../../src/domain/message-status.ts'
import {
  countSubmissions,
  decideInGeneral,
  decideProgress,
  missingSegments,
  type SegmentReport,
  type Submission,
  segmentCountOf,
} from '../../../src/domain/messages/progress.ts'
import { REPORT_STATUSES } from '../../../src/domain/messages/report.ts'
import { SUBMISSION_OUTCOMES } from '../../../src/domain/messages/submission.ts'
import type { MessageState } from '../../../src/domain/messages/transition.ts'

const now = new Date('2026-11-16T04:00:00Z')
const message = (change: Partial<MessageState> = {}): MessageState => ({
  id: 'm',
  workspaceId: 'w',
  clientId: 'c',
  to: '+9779841000001',
  country: 'NP',
  type: 'transactional',
  segments: 1,
  costE4: 10_000,
  status: 'submitting',
  createdAt: now,
  updatedAt: now,
  hasListener: true,
  ...change,
})
const submission = (change: Partial<Submission> = {}): Submission => ({
  ordinal: 1,
  segment: 1,
  ofSegments: 1,
  carrierId: 'carrier',
  outcome: 'open',
  error: '',
  receipts: 'each',
  ...change,
})
const decide = (
  state: MessageState,
  submissions: Submission[],
  { reports = [] as SegmentReport[], resendUnknown = false, isWaiting = false } = {},
) => decideProgress(state, { submissions, reports, reportedAt: null, resendUnknown, isWaiting }, now)

test('the shortcut for common messages decides like the general rules', () => {
  const submissions = fc.array(
    fc.record({
      ordinal: fc.integer({ min: 1, max: 2 }),
      segment: fc.integer({ min: 1, max: 2 }),
      ofSegments: fc.integer({ min: 1, max: 2 }),
      carrierId: fc.constant('carrier'),
      outcome: fc.constantFrom('accepted' as const, ...SUBMISSION_OUTCOMES),
      error: fc.constantFrom('' as const, 'carrier_rejected' as const),
      receipts: fc.constantFrom('each' as const, 'one' as const, 'none' as const),
    }),
    { maxLength: 2 },
  )
  const reports = fc.array(
    fc.record({
      ordinal: fc.integer({ min: 1, max: 2 }),
      segment: fc.integer({ min: 1, max: 2 }),
      status: fc.constantFrom(...REPORT_STATUSES),
      error: fc.constantFrom('' as const, 'delivery_failed' as const),
    }),
    { maxLength: 2 },
  )
  fc.assert(
    fc.property(
      submissions,
      reports,
      fc.constantFrom('queued' as const, 'submitted' as const, 'sent' as const, 'delivered' as const),
      fc.boolean(),
      (submissions, reports, status, flag) => {
        const facts = { submissions, reports, reportedAt: null, resendUnknown: flag, isWaiting: !flag }
        const state = message({ status })
        const { dlrAt, ...decided } = decideProgress(state, facts, now)
        assert.equal(dlrAt, null)
        assert.deepEqual(decided, decideInGeneral(state, facts, now))
      },
    ),
    { numRuns: 2_000 },
  )
})

test('ends as sent without receipts; settles all segments with one receipt; waits for each receipt otherwise (D56)', () => {
  const parts = (receipts: Submission['receipts'], of = 2) =>
    Array.from({ length: of }, (_, index) =>
      submission({ segment: index + 1, ofSegments: of, outcome: 'accepted', receipts }),
    )
  const report = (segment: number, status: 'delivered' | 'undelivered'): SegmentReport => ({
    ...{ ordinal: 1, segment, status, error: status === 'delivered' ? '' : 'delivery_failed' },
  })
  const decided = (status: 'submitting' | 'sent', submissions: Submission[], reports: SegmentReport[]) =>
    decide(message({ status, segments: 2 }), submissions, { reports }).transitions.map((it) => it.to)
  assert.deepEqual(decided('submitting', parts('none'), [report(1, 'undelivered')]), ['sent'])
  assert.deepEqual(decided('sent', parts('none'), [report(1, 'undelivered')]), [])
  for (const segment of [1, 2]) {
    assert.deepEqual(decided('sent', parts('one'), [report(segment, 'delivered')]), ['delivered'])
    assert.deepEqual(decided('sent', parts('each'), [report(segment, 'delivered')]), [])
  }
  assert.deepEqual(decided('sent', parts('one'), [report(2, 'undelivered')]), ['undelivered'])
  const [first, second] = parts('none')
  assert(first && second)
  const mixed = [first, { ...second, receipts: 'each' as const }]
  assert.deepEqual(decided('sent', mixed, []), [], 'it waits for the other receipt')
  assert.deepEqual(decided('sent', mixed, [report(2, 'delivered')]), ['delivered'])
})

test('becomes submitted and sent at once with a single segment (D12)', () => {
  const { transitions, queue } = decide(message(), [submission({ outcome: 'accepted' })])
  assert.deepEqual(
    transitions.map((it) => [it.to, it.announces, it.counts]),
    [['sent', 'sent', 'sent']],
  )
  assert.equal(queue, 'leave')
})

test('sends the webhook at the first of submitted and sent, and counts it once (D12, D17)', () => {
  const two = [submission({ ofSegments: 2, outcome: 'accepted' }), submission({ ofSegments: 2, segment: 2 })]
  const first = decide(message({ segments: 2 }), two)
  assert.deepEqual(
    first.transitions.map((it) => [it.to, it.announces, it.counts]),
    [['submitted', 'sent', 'sent']],
  )
  assert.equal(first.queue, 'stay')
  const both = two.map((it) => ({ ...it, outcome: 'accepted' as const }))
  const second = decide(message({ segments: 2, status: 'submitted' }), both)
  assert.deepEqual(
    second.transitions.map((it) => [it.to, it.announces, it.counts]),
    [['sent', undefined, null]],
  )
})

test('becomes sent, then delivered by a report before the answer', () => {
  const reports: SegmentReport[] = [{ ordinal: 1, segment: 1, status: 'delivered', error: '' }]
  const { transitions } = decide(message(), [submission({ outcome: 'accepted' })], { reports })
  assert.deepEqual(
    transitions.map((it) => it.to),
    ['sent', 'delivered'],
  )
})

test('keeps an unsent message waiting without an event, and defers a throttled one with an event (D14)', () => {
  const quiet = decide(message(), [submission({ outcome: 'unwritten' })])
  assert.deepEqual(quiet.transitions, [])
  assert.equal(typeof quiet.queue, 'object')
  const deferred = decide(message(), [submission({ outcome: 'throttled' })])
  assert.deepEqual(
    deferred.transitions.map((it) => [it.to, it.announces, it.error]),
    [['queued', 'queued', 'network_unavailable']],
  )
})

test('waits after an unknown outcome, except for an OTP or a carrier that allows a resend (D15)', () => {
  const unknown = [submission({ outcome: 'unknown' })]
  assert.deepEqual(decide(message(), unknown), { transitions: [], queue: 'leave', dlrAt: null })
  assert.equal(typeof decide(message({ type: 'otp' }), unknown).queue, 'object')
  assert.equal(typeof decide(message(), unknown, { resendUnknown: true }).queue, 'object')
})

test('prefers another carrier after a temporary rejection or a missing answer (D14, D15)', () => {
  const next = (outcome: Submission['outcome']) => decide(message({ type: 'otp' }), [submission({ outcome })]).queue
  for (const outcome of ['other_carrier', 'retryable', 'unknown'] as const) {
    assert.equal((next(outcome) as { avoidCarrierId: string }).avoidCarrierId, 'carrier', outcome)
  }
  for (const outcome of ['throttled', 'unwritten'] as const) {
    assert.equal((next(outcome) as { avoidCarrierId: null }).avoidCarrierId, null, outcome)
  }
})

test('submits unsent segments although another has an unknown outcome, which is not resent (D15)', () => {
  const cut = (outcomes: Submission['outcome'][], change: Partial<Submission> = {}) =>
    outcomes.map((outcome, index) => submission({ ofSegments: 3, segment: index + 1, outcome, ...change }))
  const long = message({ segments: 3 })
  const lost = cut(['accepted', 'unknown', 'unwritten'])
  const after = decide(long, lost)
  assert.deepEqual(after.queue, { dueAt: new Date(now.getTime() + 1000), avoidCarrierId: null })
  assert.deepEqual(
    after.transitions.map((it) => it.to),
    ['submitted'],
  )
  const rest = [...lost, submission({ ordinal: 2, ofSegments: 3, segment: 3, outcome: 'accepted' })]
  assert.deepEqual(decide({ ...long, status: 'submitted' }, rest), { transitions: [], queue: 'leave', dlrAt: null })
  assert.deepEqual(missingSegments(lost, { ofSegments: 3, isHeld: true }), [3])
  assert.deepEqual(missingSegments(lost, { ofSegments: 3, isHeld: false }), [2, 3])
  assert.equal(segmentCountOf(cut(['unknown', 'unwritten', 'unwritten']), true), 3)
})

test('does not retry an OTP beyond its expiry (D14)', () => {
  const old = message({ type: 'otp', createdAt: new Date(now.getTime() - 299_000) })
  const { transitions } = decide(old, [submission({ outcome: 'other_carrier' })])
  assert.deepEqual(
    transitions.map((it) => [it.to, it.error, it.refund]),
    [['failed', 'delivery_timeout', true]],
  )
})

test('counts attempts without throttling and lost connections (§2.1, D14)', () => {
  const outcomes = ['throttled', 'unwritten', 'other_carrier', 'unknown', 'accepted'] as const
  assert.equal(countSubmissions(outcomes.map((outcome, index) => submission({ ordinal: index + 1, outcome }))), 3)
})

const anySubmissions = fc
  .array(fc.constantFrom(...SUBMISSION_OUTCOMES), { minLength: 1, maxLength: 12 })
  .chain((outcomes) =>
    fc.record({
      ofSegments: fc.integer({ min: 1, max: 3 }),
      outcomes: fc.constant(outcomes),
    }),
  )
  .map(({ ofSegments, outcomes }) =>
    outcomes.map((outcome, index) =>
      submission({
        ordinal: 1 + Math.floor(index / ofSegments),
        segment: 1 + (index % ofSegments),
        ofSegments,
        outcome,
        error: outcome === 'rejected' ? 'carrier_rejected' : '',
      }),
    ),
  )
const anyReports = fc.array(
  fc.record({
    ordinal: fc.integer({ min: 1, max: 4 }),
    segment: fc.integer({ min: 1, max: 3 }),
    status: fc.constantFrom(...REPORT_STATUSES),
    error: fc.constant('' as const),
  }),
  { maxLength: 6 },
)

test('keeps a final status, refunds only failed, and never leaves a message without a next step (property)', () => {
  fc.assert(
    fc.property(
      anySubmissions,
      anyReports,
      fc.constantFrom('queued', 'submitting', 'submitted', 'sent', 'delivered', 'failed', 'rejected'),
      fc.constantFrom('otp', 'transactional', 'promotional'),
      (submissions, reports, status, type) => {
        const state = message({ status, type, segments: submissions[0]?.ofSegments ?? 1 })
        if (status === 'sent' && submissions.some((it) => it.outcome !== 'accepted')) return
        const { transitions, queue } = decide(state, submissions, { reports })
        if (isFinal(status)) assert.deepEqual(transitions, [])
        let at = status as string
        for (const it of transitions) {
          assert.equal(it.from, at)
          assert.equal(it.refund, it.to === 'failed')
          at = it.to
        }
        if (isFinal(at as typeof status)) assert.equal(queue, 'leave')
        if (typeof queue === 'object') assert(queue.dueAt > now)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('doubles the wait of a throttled message up to a minute, and keeps OTPs fast (D14)', () => {
  const waits = (type: MessageState['type'], times: number) =>
    Array.from({ length: times }, (_, index) => {
      const slow = Array.from({ length: index + 1 }, (_, it) => submission({ ordinal: it + 1, outcome: 'throttled' }))
      const { queue } = decide(message({ type }), slow)
      return typeof queue === 'string' ? queue : (queue.dueAt.getTime() - now.getTime()) / 1000
    })
  assert.deepEqual(waits('transactional', 9), [1, 2, 4, 8, 16, 32, 60, 60, 60])
  assert.deepEqual(waits('otp', 5), [1, 2, 4, 4, 4])
})

test('restarts the waits of a throttled message after a rejection', () => {
  const outcomes = ['throttled', 'throttled', 'other_carrier', 'throttled'] as const
  const { queue } = decide(
    message(),
    outcomes.map((outcome, index) => submission({ ordinal: index + 1, outcome })),
  )
  assert.deepEqual(queue, { dueAt: new Date(now.getTime() + 1000), avoidCarrierId: null })
})

test('does not delay the retry of one segment by a report on another', () => {
  const taken = submission({ ofSegments: 2, outcome: 'accepted' })
  const refused = submission({ ofSegments: 2, segment: 2, outcome: 'other_carrier' })
  const reports = [{ ordinal: 1, segment: 1, status: 'delivered' as const, error: '' as const }]
  const partly = message({ segments: 2, status: 'submitted' })
  const { transitions, queue } = decide(partly, [taken, refused], { reports, isWaiting: true })
  assert.deepEqual([transitions, queue], [[], 'stay'])
})
