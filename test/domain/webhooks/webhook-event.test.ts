// §6.2: the exact bytes of both events, the status mapping, and which changes of status announce one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announcedStatus, webhookStatusOf } from '../../../src/domain/messages/transition.ts'
import {
  inboundEvent,
  type StatusChange,
  statusEvent,
  type WebhookEvent,
} from '../../../src/domain/webhooks/webhook-event.ts'

const at = new Date('2026-01-02T03:04:05.678Z')

const delivered: StatusChange = {
  messageId: '01890a5d-ac96-774b-bcce-b302099a8057',
  status: 'delivered',
  to: '+9779812345678',
  at,
  messageType: 'otp',
  segments: 1,
  error: '',
}

const textOf = (event: WebhookEvent) => Buffer.from(event.body).toString()
const errorIn = (news: StatusChange) => JSON.parse(textOf(statusEvent(news))).error

test('§6.2: message.status in its exact bytes', () => {
  const event = statusEvent(delivered)
  assert.equal(event.name, 'message.status')
  assert.equal(
    textOf(event),
    '{"type":"message.status","id":"01890a5d-ac96-774b-bcce-b302099a8057","status":"delivered","to":"+9779812345678","at":"2026-01-02T03:04:05.678Z","messageType":"otp","segments":1}',
  )
})

test('§6.2: a reason stands last, in failed, undelivered and queued only, and only when it is known', () => {
  const news: StatusChange = { ...delivered, status: 'failed', error: 'carrier_rejected', segments: 2 }
  assert.equal(
    textOf(statusEvent(news)),
    '{"type":"message.status","id":"01890a5d-ac96-774b-bcce-b302099a8057","status":"failed","to":"+9779812345678","at":"2026-01-02T03:04:05.678Z","messageType":"otp","segments":2,"error":"carrier_rejected"}',
  )
  const error = 'delivery_failed'
  for (const status of ['failed', 'undelivered', 'queued'] as const) {
    assert.equal(errorIn({ ...delivered, status, error }), error)
    assert.equal(errorIn({ ...delivered, status, error: '' }), undefined)
  }
  for (const status of ['sent', 'delivered'] as const) assert.equal(errorIn({ ...delivered, status, error }), undefined)
})

test('§6.2: message.inbound in its exact bytes, in UTF-8, with inReplyTo only when it is known', () => {
  const news = { inboundId: '01890a5d-0000-7000-8000-000000000001', from: '+9779812345678', text: 'हो "YES"\n👍', at }
  const event = inboundEvent(news)
  assert.equal(event.name, 'message.inbound')
  assert.deepEqual(
    Buffer.from(event.body),
    Buffer.from(
      '{"type":"message.inbound","id":"01890a5d-0000-7000-8000-000000000001","from":"+9779812345678","text":"हो \\"YES\\"\\n👍","at":"2026-01-02T03:04:05.678Z"}',
    ),
  )
  const answer = inboundEvent({ ...news, inReplyTo: delivered.messageId })
  assert.equal(textOf(answer), textOf(event).replace(/}$/, `,"inReplyTo":"${delivered.messageId}"}`))
})

test('§6.2: the status mapping', () => {
  const mapping = [
    ['queued', 'queued'],
    ['submitting', 'queued'],
    ['submitted', 'sent'],
    ['sent', 'sent'],
    ['delivered', 'delivered'],
    ['undelivered', 'undelivered'],
    ['failed', 'failed'],
    ['rejected', 'failed'],
    ['test', 'queued'],
  ] as const
  for (const [status, expected] of mapping) assert.equal(webhookStatusOf(status), expected)
})

test('§6.2 rule 1: nothing is announced on accept, live or test', () => {
  assert.equal(announcedStatus(undefined, 'queued'), undefined)
  assert.equal(announcedStatus(undefined, 'test'), undefined)
})

test('§6.2 rule 2, D16: queued is announced only by a return to the queue; a claim announces nothing', () => {
  assert.equal(announcedStatus('queued', 'submitting'), undefined)
  assert.equal(announcedStatus('submitting', 'queued'), 'queued')
  assert.equal(announcedStatus('submitted', 'queued'), 'queued')
  assert.equal(announcedStatus('queued', 'queued'), 'queued')
})

test('D12: sent is announced once, at the first of submitted and sent', () => {
  assert.equal(announcedStatus('submitting', 'submitted'), 'sent')
  assert.equal(announcedStatus('submitted', 'sent'), undefined)
  assert.equal(announcedStatus('submitting', 'sent'), 'sent')
})

test('§6.2: every final status is announced, from wherever it is reached', () => {
  for (const from of ['queued', 'submitting', 'submitted', 'sent'] as const) {
    for (const to of ['delivered', 'undelivered', 'failed'] as const) assert.equal(announcedStatus(from, to), to)
    assert.equal(announcedStatus(from, 'rejected'), 'failed')
  }
})
