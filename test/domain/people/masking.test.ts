import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskNumber, shownAnswer, shownEventBody, shownNumber, shownText } from '../../../src/domain/people/masking.ts'

const viewer = { kind: 'viewer' } as const
const operator = { kind: 'operator' } as const

test('a masked number shows its first six characters and its last three, and a short one its end alone', () => {
  assert.equal(maskNumber('+9779841000699'), '+97798••••699')
  assert.equal(maskNumber('+12345678'), '••••678')
  assert.equal(maskNumber('+123456789'), '+12345••••789')
})

test('a viewer sees no whole number and no text, and nobody sees a code', () => {
  assert.equal(shownNumber('+9779841000699', viewer), '+97798••••699')
  assert.equal(shownNumber('+9779841000699', operator), '+9779841000699')
  assert.equal(shownText('Namaste', viewer), '(hidden)')
  assert.equal(shownText('Namaste', operator), 'Namaste')
  for (const actor of [viewer, operator]) assert.equal(shownText(null, actor), '(OTP hidden)')
})

test('the bodies of webhook events, and what receivers answered, show a viewer neither', () => {
  const status = '{"type":"message.status","id":"1","to":"+9779841000699","segments":1}'
  assert.equal(shownEventBody(status, operator), status)
  assert.equal(shownEventBody(status, viewer), '{"type":"message.status","id":"1","to":"+97798••••699","segments":1}')
  const reply = shownEventBody('{"type":"message.inbound","from":"+9779841000699","text":"YES"}', viewer)
  assert.equal(reply, '{"type":"message.inbound","from":"+97798••••699","text":"(hidden)"}')
  assert.equal(shownAnswer('ok +9779841000699', viewer), '(hidden)')
  assert.equal(shownAnswer('ok +9779841000699', operator), 'ok +9779841000699')
})
