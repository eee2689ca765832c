// The actions that the console offers for one message and for many (D59): pure rules, without a browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message, Timeline } from '../../ui/api/calls.ts'
import { effectOf } from '../../ui/message/actions.ts'
import { actionsFor, bodyOf } from '../../ui/messages/bulk-actions.ts'
import type { Filter } from '../../ui/messages/filter.ts'

function timelineOf(message: Partial<Message>, more: Partial<Timeline> = {}): Timeline {
  return { message: { type: 'transactional', error: '', ...message }, waiting: null, timeline: [], ...more } as Timeline
}

const effects = (whole: Timeline) => (['cancel', 'fail', 'resend'] as const).map((action) => effectOf(action, whole))
const answer = (outcome: string) => ({ what: 'answer', outcome }) as Timeline['timeline'][number]
const SUBMITTED = { what: 'submission' } as Timeline['timeline'][number]

test('D59: offers each action where the status allows it, with its real effect', () => {
  const waiting = { for: 'retry' } as Timeline['waiting']
  assert.deepEqual(effects(timelineOf({ status: 'queued' }, { waiting })), ['cancelled', 'failed', null])
  for (const status of ['submitting', 'submitted'] as const)
    assert.deepEqual(effects(timelineOf({ status })), [null, 'failedMaybeSent', 'resubmitted'])
  assert.deepEqual(effects(timelineOf({ status: 'sent' })), [null, 'failedMaybeSent', null])
  for (const status of ['delivered', 'undelivered', 'rejected', 'test'] as const)
    assert.deepEqual(effects(timelineOf({ status })), [null, null, null])
})

test('D15: warns of a second delivery only where a carrier may have the message', () => {
  const failed = (...timeline: Timeline['timeline']) =>
    effectOf('resend', timelineOf({ status: 'failed', error: 'network_unavailable' }, { timeline }))
  assert.equal(failed(), 'resent')
  assert.equal(failed(SUBMITTED, answer('other_carrier')), 'resent')
  assert.equal(failed(SUBMITTED, answer('accepted')), 'resentMaybeSent')
  assert.equal(failed(SUBMITTED, answer('unknown')), 'resentMaybeSent')
  assert.equal(failed(SUBMITTED), 'resentMaybeSent', 'no answer')
})

test('does not resend an OTP or a cancelled message', () => {
  assert.equal(effectOf('resend', timelineOf({ status: 'failed', error: '' })), null)
  assert.equal(effectOf('resend', timelineOf({ status: 'failed', error: 'delivery_failed', type: 'otp' })), null)
})

const NONE: Filter = { status: [], type: '', client: '', search: '', from: '', to: '' }

test('offers bulk actions only where the API accepts the same filter as the list', () => {
  assert.deepEqual(actionsFor(NONE), [], 'no action without a filter')
  assert.deepEqual(actionsFor({ ...NONE, status: ['queued'] }), ['cancel', 'fail'])
  assert.deepEqual(actionsFor({ ...NONE, status: ['queued'], client: 'x' }), ['cancel', 'fail'])
  assert.deepEqual(actionsFor({ ...NONE, status: ['submitting'] }), ['fail', 'resend'])
  assert.deepEqual(actionsFor({ ...NONE, status: ['queued', 'failed'] }), [])
  assert.deepEqual(actionsFor({ ...NONE, status: ['delivered'] }), [])
  for (const other of ['type', 'search', 'from', 'to'] as const)
    assert.deepEqual(actionsFor({ ...NONE, status: ['queued'], [other]: 'x' }), [], other)
})

test('sends the filter as it is, and leaves an invalid number to the API', () => {
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
