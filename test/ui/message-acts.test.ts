// What may be done to a message, and to many (D59), as the console offers it: pure rules, without a browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message, Timeline } from '../../ui/api/calls.ts'
import { effectOf } from '../../ui/message/acts.ts'
import type { Filter } from '../../ui/messages/filter.ts'
import { actsFor, bodyOf } from '../../ui/messages/many.ts'

function timelineOf(message: Partial<Message>, more: Partial<Timeline> = {}): Timeline {
  return { message: { type: 'transactional', error: '', ...message }, waiting: null, timeline: [], ...more } as Timeline
}

const effects = (whole: Timeline) => (['cancel', 'fail', 'resend'] as const).map((act) => effectOf(act, whole))
const answer = (outcome: string) => ({ what: 'answer', outcome }) as Timeline['timeline'][number]
const SUBMITTED = { what: 'submission' } as Timeline['timeline'][number]

test('D59: each act is offered where it can be, with what it really does', () => {
  const waiting = { for: 'retry' } as Timeline['waiting']
  assert.deepEqual(effects(timelineOf({ status: 'queued' }, { waiting })), ['cancelled', 'failed', null])
  for (const status of ['submitting', 'submitted'] as const)
    assert.deepEqual(effects(timelineOf({ status })), [null, 'failedMaybeThere', 'again'])
  assert.deepEqual(effects(timelineOf({ status: 'sent' })), [null, 'failedMaybeThere', null])
  for (const status of ['delivered', 'undelivered', 'rejected', 'test'] as const)
    assert.deepEqual(effects(timelineOf({ status })), [null, null, null])
})

test('D15: that it may arrive twice is said only where a network may have had it', () => {
  const failed = (...timeline: Timeline['timeline']) =>
    effectOf('resend', timelineOf({ status: 'failed', error: 'network_unavailable' }, { timeline }))
  assert.equal(failed(), 'anew')
  assert.equal(failed(SUBMITTED, answer('elsewhere')), 'anew')
  assert.equal(failed(SUBMITTED, answer('taken')), 'anewMaybeThere')
  assert.equal(failed(SUBMITTED, answer('unknown')), 'anewMaybeThere')
  assert.equal(failed(SUBMITTED), 'anewMaybeThere', 'nobody answered')
})

test('neither a code nor what was cancelled is sent anew', () => {
  assert.equal(effectOf('resend', timelineOf({ status: 'failed', error: '' })), null)
  assert.equal(effectOf('resend', timelineOf({ status: 'failed', error: 'delivery_failed', type: 'otp' })), null)
})

const NONE: Filter = { status: [], type: '', client: '', search: '', from: '', to: '' }

test('many are acted on only where the service can be asked for just those that are listed', () => {
  assert.deepEqual(actsFor(NONE), [], 'never for everything')
  assert.deepEqual(actsFor({ ...NONE, status: ['queued'] }), ['cancel', 'fail'])
  assert.deepEqual(actsFor({ ...NONE, status: ['queued'], client: 'x' }), ['cancel', 'fail'])
  assert.deepEqual(actsFor({ ...NONE, status: ['submitting'] }), ['fail', 'resend'])
  assert.deepEqual(actsFor({ ...NONE, status: ['queued', 'failed'] }), [])
  assert.deepEqual(actsFor({ ...NONE, status: ['delivered'] }), [])
  for (const other of ['type', 'search', 'from', 'to'] as const)
    assert.deepEqual(actsFor({ ...NONE, status: ['queued'], [other]: 'x' }), [], other)
})

test('what is sent is the filter, and a number that is none is left for the service to judge', () => {
  const filter = { ...NONE, status: ['failed'], client: 'c' }
  assert.deepEqual(bodyOf('resend', filter, { minutes: 5, after: 'm' }), {
    client: 'c',
    status: ['failed'],
    olderThanSeconds: 300,
    after: 'm',
  })
  assert.deepEqual(bodyOf('cancel', { ...NONE, status: ['queued'] }, { minutes: 0, after: null }), {
    olderThanSeconds: 0,
  })
  const bad = bodyOf('cancel', NONE, { minutes: 'soon' as unknown as number, after: null })
  assert.equal(bad.olderThanSeconds as unknown, 'soon')
})
