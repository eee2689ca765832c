// D15: which message a report ends the doubt about.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pairUnanswered, type Unanswered } from '../../../src/domain/messages/report-matching.ts'
import { messageIdOf, referenceOf } from '../../../src/domain/messages/submission.ts'

const FIRST = '01930000-0000-7000-8000-000000000001'
const SECOND = '01930000-0000-7000-8000-000000000002'
const AT = new Date('2026-11-16T04:00:00.000Z')
const unanswered = (messageId: string, more: Partial<Unanswered> = {}): Unanswered => ({
  messageId,
  ordinal: 1,
  segment: 1,
  carrierId: 'carrier',
  to: '+9779841000001',
  claimedAt: AT,
  isOpen: false,
  ...more,
})
const report = (reference: string, more = {}) => ({
  id: 'report',
  carrierId: 'carrier',
  reference,
  to: '+9779841000001',
  receivedAt: AT,
  ...more,
})
const pairedWith = (one: ReturnType<typeof report>, among: Unanswered[]) =>
  pairUnanswered([one], among).get('report')?.messageId

test('a report that names a message by our reference is about that one, with or without its number', () => {
  const both = [unanswered(FIRST), unanswered(SECOND)]
  assert.equal(pairedWith(report('a-word-of-the-carrier'), both), FIRST)
  assert.equal(pairedWith(report(referenceOf(SECOND)), both), SECOND)
  assert.equal(pairedWith(report(referenceOf(SECOND), { to: '' }), both), SECOND)
  assert.equal(pairedWith(report('a-word-of-the-carrier', { to: '' }), both), undefined)
})

test('another carrier cannot speak of it, and while its answer may come nobody does', () => {
  assert.equal(pairedWith(report(referenceOf(SECOND), { carrierId: 'other', to: '' }), [unanswered(SECOND)]), undefined)
  const both = [unanswered(FIRST), unanswered(SECOND, { isOpen: true })]
  assert.equal(pairedWith(report(referenceOf(SECOND)), both), undefined)
  assert.equal(pairedWith(report(referenceOf(FIRST)), both), FIRST)
})

test('only what can be an id of ours is taken for one', () => {
  assert.equal(messageIdOf(referenceOf(FIRST)), FIRST)
  for (const text of [
    '',
    FIRST,
    'SM0193000000007000800000000000000',
    '01930000000040008000000000000001',
    'x'.repeat(32),
  ])
    assert.equal(messageIdOf(text), null, text)
})
