import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isFinal, MESSAGE_STATUSES } from '../../../src/domain/message-status.ts'
import { type ActFacts, decideAct, MESSAGE_ACTS, type MessageAct } from '../../../src/domain/messages/message-acts.ts'
import { missingSegments, type Submission, segmentCountOf } from '../../../src/domain/messages/progress.ts'
import { SUBMISSION_OUTCOMES } from '../../../src/domain/messages/submission.ts'
import type { MessageState } from '../../../src/domain/messages/transition.ts'

const now = new Date('2026-11-16T04:00:00Z')
const message = (change: Partial<MessageState> = {}): MessageState => ({
  ...{
    id: 'm',
    workspaceId: 'w',
    clientId: 'c',
    to: '+9779841000001',
    country: 'NP',
    type: 'transactional',
    segments: 1,
    costE4: 10_000,
  },
  ...{ status: 'queued', createdAt: now, updatedAt: now, hasListener: true, ...change },
})
const facts = (change: Partial<ActFacts> = {}): ActFacts => ({
  ...{ queue: 'waiting', outcomes: [], endsAsSent: false, error: '', text: 'Hello', resentAs: null },
  ...change,
})
const does = (act: MessageAct, state: Partial<MessageState>, known: Partial<ActFacts> = {}) => {
  const decided = decideAct(act, message(state), facts(known), now)
  return decided.kind === 'refuse' ? decided.refusal.error : decided.kind
}

test('cancels a waiting message that no carrier has seen: failed, refunded, with an event, without an error (D59)', () => {
  const decided = decideAct('cancel', message(), facts({ outcomes: ['throttled', 'other_carrier'] }), now)
  assert.equal(decided.kind, 'end')
  const { to, error, refund, announces, counts } = decided.transition
  assert.deepEqual([to, error, refund, announces, counts], ['failed', '', true, 'failed', 'failed'])
})

test('does not cancel a message that is claimed, or that a carrier has or may have (D59)', () => {
  for (const queue of ['held', 'lapsed'] as const)
    assert.equal(does('cancel', {}, { queue }), 'The message is being submitted now')
  for (const known of [
    { queue: 'none' },
    { outcomes: ['unknown'] },
    { outcomes: ['other_carrier', 'accepted'] },
  ] as const)
    assert.equal(does('cancel', {}, known), 'A carrier has the message, or may have it')
  assert.equal(does('cancel', { status: 'submitted' }), 'A carrier has the message, or may have it')
})

test('fails an unfinished message with a refund, also after its claim lapsed, but not while it is claimed (D59)', () => {
  for (const status of ['queued', 'submitted', 'sent'] as const)
    for (const queue of ['waiting', 'lapsed', 'none'] as const) {
      const decided = decideAct('fail', message({ status }), facts({ queue }), now)
      assert.equal(decided.kind === 'end' && decided.transition.error, 'delivery_failed')
      assert.equal(decided.kind === 'end' && decided.transition.refund, true)
    }
  assert.equal(does('fail', { status: 'sent' }, { queue: 'held' }), 'The message is being submitted now')
})

test('neither fails nor resends a sent message without requested receipts (D56, D59)', () => {
  for (const act of MESSAGE_ACTS)
    assert.notEqual(does(act, { status: 'sent' }, { queue: 'none', outcomes: ['accepted'], endsAsSent: true }), 'end')
  assert.match(does('fail', { status: 'sent' }, { endsAsSent: true }), /is final/)
  assert.match(does('resend', { status: 'sent' }, { endsAsSent: true }), /is final/)
})

test('resubmits a message that a carrier may have, resends a failed one as new, and no other (D59)', () => {
  const unknown = { queue: 'none', outcomes: ['unknown'] } as const
  assert.equal(does('resend', {}, unknown), 'resubmit')
  assert.equal(does('resend', { status: 'submitted' }, unknown), 'resubmit')
  assert.match(does('resend', { status: 'sent' }, unknown), /fail it first/)
  assert.match(does('resend', {}, { queue: 'waiting' }), /already queued/)
  assert.match(does('resend', {}, { queue: 'held', outcomes: ['unknown'] }), /being submitted/)
  const failed = { status: 'failed' } as const
  const why = { error: 'delivery_timeout', queue: 'none' } as const
  assert.equal(does('resend', failed, why), 'send_as_new')
  assert.equal(does('resend', failed, { ...why, error: '' }), 'The message was cancelled')
  assert.match(does('resend', { ...failed, type: 'otp' }, { ...why, text: null }), /OTP message is not stored/)
  assert.match(does('resend', failed, { ...why, text: null }), /deleted after its retention/)
  assert.match(does('resend', failed, { ...why, resentAs: 'another' }), /as another$/)
  const old = new Date(now.getTime() - 48 * 3600 * 1000)
  assert.equal(does('resend', { ...failed, createdAt: old }, why), 'The message is too old to be submitted')
  assert.equal(does('resend', { createdAt: old }, unknown), 'The message is too old to be submitted')
})

test('never changes a final status, and never cancels a message that a carrier may have (D13, D59, property)', () => {
  const known = fc.record({
    queue: fc.constantFrom('waiting', 'held', 'lapsed', 'none' as const),
    outcomes: fc.array(fc.constantFrom(...SUBMISSION_OUTCOMES), { maxLength: 4 }),
    endsAsSent: fc.boolean(),
    error: fc.constantFrom('', 'delivery_failed' as const),
    text: fc.constantFrom('Hello', null),
    resentAs: fc.constantFrom('another', null),
  })
  fc.assert(
    fc.property(fc.constantFrom(...MESSAGE_ACTS), fc.constantFrom(...MESSAGE_STATUSES), known, (act, status, it) => {
      const decided = decideAct(act, message({ status }), it as ActFacts, now)
      if (isFinal(status))
        assert.ok(decided.kind === 'refuse' || (decided.kind === 'send_as_new' && status === 'failed'))
      if (it.queue === 'held') assert.ok(!['end', 'resubmit'].includes(decided.kind))
      if (act === 'cancel' && decided.kind === 'end')
        assert.ok(!it.outcomes.some((outcome) => ['open', 'accepted', 'unknown'].includes(outcome)))
    }),
  )
})

test('treats a segment with an allowed resend like one that was never submitted (D15, D59)', () => {
  const unknown: Submission = {
    ...{ ordinal: 1, segment: 1, ofSegments: 2, carrierId: 'c', outcome: 'unknown', error: '', receipts: 'each' },
  }
  const taken: Submission = { ...unknown, segment: 2, outcome: 'accepted' }
  const held = { ofSegments: 2, isHeld: true }
  assert.deepEqual(missingSegments([unknown, taken], held), [])
  assert.deepEqual(missingSegments([{ ...unknown, isResendAllowed: true }, taken], held), [1])
  assert.deepEqual(
    missingSegments(
      [
        { ...unknown, isResendAllowed: true },
        { ...unknown, ordinal: 2 },
      ],
      held,
    ),
    [2],
  )
  assert.equal(segmentCountOf([{ ...unknown, isResendAllowed: true }], true), undefined)
})
