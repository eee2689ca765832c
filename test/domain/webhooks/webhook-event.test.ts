// §6.2: the exact bytes of the events, the status mapping, and which changes of status announce one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announcedStatus, webhookStatusOf } from '../../../src/domain/messages/transition.ts'
import {
  inboundEvent,
  lowCreditEvent,
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
const errorIn = (change: StatusChange) => JSON.parse(textOf(statusEvent(change))).error

test('writes message.status in its exact bytes (§6.2)', () => {
  const event = statusEvent(delivered)
  assert.equal(event.name, 'message.status')
  assert.equal(
    textOf(event),
    '{"type":"message.status","id":"01890a5d-ac96-774b-bcce-b302099a8057","status":"delivered","to":"+9779812345678","at":"2026-01-02T03:04:05.678Z","messageType":"otp","segments":1}',
  )
})

test('writes a known reason last, only with failed, undelivered and queued (§6.2)', () => {
  const change: StatusChange = { ...delivered, status: 'failed', error: 'carrier_rejected', segments: 2 }
  assert.equal(
    textOf(statusEvent(change)),
    '{"type":"message.status","id":"01890a5d-ac96-774b-bcce-b302099a8057","status":"failed","to":"+9779812345678","at":"2026-01-02T03:04:05.678Z","messageType":"otp","segments":2,"error":"carrier_rejected"}',
  )
  const error = 'delivery_failed'
  for (const status of ['failed', 'undelivered', 'queued'] as const) {
    assert.equal(errorIn({ ...delivered, status, error }), error)
    assert.equal(errorIn({ ...delivered, status, error: '' }), undefined)
  }
  for (const status of ['sent', 'delivered'] as const) assert.equal(errorIn({ ...delivered, status, error }), undefined)
})

test('writes message.inbound in its exact UTF-8 bytes, with inReplyTo only if known (§6.2)', () => {
  const reply = { inboundId: '01890a5d-0000-7000-8000-000000000001', from: '+9779812345678', text: 'हो "YES"\n👍', at }
  const event = inboundEvent(reply)
  assert.equal(event.name, 'message.inbound')
  assert.deepEqual(
    Buffer.from(event.body),
    Buffer.from(
      '{"type":"message.inbound","id":"01890a5d-0000-7000-8000-000000000001","from":"+9779812345678","text":"हो \\"YES\\"\\n👍","at":"2026-01-02T03:04:05.678Z"}',
    ),
  )
  const answer = inboundEvent({ ...reply, inReplyTo: delivered.messageId })
  assert.equal(textOf(answer), textOf(event).replace(/}$/, `,"inReplyTo":"${delivered.messageId}"}`))
})

test('writes workspace.low_credit with amounts as numbers (D85)', () => {
  const ids = { id: '01890a5d-0000-7000-8000-000000000002', workspaceId: '01890a5d-0000-7000-8000-000000000003' }
  const event = lowCreditEvent({
    ...{ ...ids, workspaceName: 'हिमाल', currency: 'NPR', at },
    ...{ balanceE4: 985_000, belowE4: 1_000_000 },
  })
  assert.equal(event.name, 'workspace.low_credit')
  assert.equal(
    textOf(event),
    `{"type":"workspace.low_credit","id":"${ids.id}","workspaceId":"${ids.workspaceId}","workspaceName":"हिमाल","balance":98.5,"currency":"NPR","threshold":100,"at":"2026-01-02T03:04:05.678Z"}`,
  )
})

test('maps every status (§6.2)', () => {
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

test('announces nothing on accept, live or test (§6.2 rule 1)', () => {
  assert.equal(announcedStatus(undefined, 'queued'), undefined)
  assert.equal(announcedStatus(undefined, 'test'), undefined)
})

test('announces queued only for a return to the queue, and nothing for a claim (§6.2 rule 2, D16)', () => {
  assert.equal(announcedStatus('queued', 'submitting'), undefined)
  assert.equal(announcedStatus('submitting', 'queued'), 'queued')
  assert.equal(announcedStatus('submitted', 'queued'), 'queued')
  assert.equal(announcedStatus('queued', 'queued'), 'queued')
})

test('announces sent once, at the first of submitted and sent (D12)', () => {
  assert.equal(announcedStatus('submitting', 'submitted'), 'sent')
  assert.equal(announcedStatus('submitted', 'sent'), undefined)
  assert.equal(announcedStatus('submitting', 'sent'), 'sent')
})

test('announces every final status from every status (§6.2)', () => {
  for (const from of ['queued', 'submitting', 'submitted', 'sent'] as const) {
    for (const to of ['delivered', 'undelivered', 'failed'] as const) assert.equal(announcedStatus(from, to), to)
    assert.equal(announcedStatus(from, 'rejected'), 'failed')
  }
})
