// The actions that the console offers for a message (D59), and the filter of the list: pure rules, without a browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message, Timeline } from '../../ui/api/calls.ts'
import { effectOf } from '../../ui/message/actions.ts'
import { type Filter, serviceQueryOf } from '../../ui/messages/filter.ts'

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

test('does not resend an OTP, a cancelled message, or a message twice', () => {
  assert.equal(effectOf('resend', timelineOf({ status: 'failed', error: '' })), null)
  assert.equal(effectOf('resend', timelineOf({ status: 'failed', error: 'delivery_failed', type: 'otp' })), null)
  assert.equal(effectOf('resend', timelineOf({ status: 'failed', error: 'delivery_failed', resentAs: 'new' })), null)
})

const NONE: Filter = {
  workspace: '',
  status: [],
  type: '',
  client: '',
  country: '',
  carrier: '',
  search: '',
  from: '',
  to: '',
}

test('sends the days of the list over all workspaces as times of the time zone that the screen shows', () => {
  const filter = { ...NONE, workspace: 'w', from: '2026-11-16', to: '2026-11-16' }
  assert.deepEqual(serviceQueryOf(filter, 'UTC'), {
    status: [],
    workspace: 'w',
    'from-date': '2026-11-16T00:00:00.000Z',
    'to-date': '2026-11-17T00:00:00.000Z',
  })
  // An hour of the chart is a time already.
  const hour = { ...NONE, from: '2026-11-16T10:00:00.000Z' }
  assert.deepEqual(serviceQueryOf(hour, 'UTC'), { status: [], 'from-date': hour.from })
})
