import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  maskNumber,
  shownAnswer,
  shownEventBody,
  shownMessageText,
  shownNumber,
  shownText,
} from '../../../src/domain/people/masking.ts'

const viewer = { kind: 'viewer' } as const
const operator = { kind: 'operator' } as const

test('shows the first six and the last three characters of a masked number, and only the end of a short one', () => {
  assert.equal(maskNumber('+9779841000699'), '+97798••••699')
  assert.equal(maskNumber('+12345678'), '••••678')
  assert.equal(maskNumber('+123456789'), '+12345••••789')
})

test('hides numbers and texts from a viewer, and OTPs from everyone', () => {
  assert.equal(shownNumber('+9779841000699', viewer), '+97798••••699')
  assert.equal(shownNumber('+9779841000699', operator), '+9779841000699')
  assert.equal(shownText('Namaste', viewer), '(hidden)')
  assert.equal(shownText('Namaste', operator), 'Namaste')
  for (const actor of [viewer, operator]) {
    assert.equal(shownMessageText({ text: null, type: 'otp' }, actor), '(OTP hidden)')
    assert.equal(shownMessageText({ text: null, type: 'promotional' }, actor), '(deleted)')
  }
  assert.equal(shownMessageText({ text: 'Namaste', type: 'transactional' }, viewer), '(hidden)')
})

test('hides both from a viewer in webhook bodies and responses', () => {
  const status = '{"type":"message.status","id":"1","to":"+9779841000699","segments":1}'
  assert.equal(shownEventBody(status, operator), status)
  assert.equal(shownEventBody(status, viewer), '{"type":"message.status","id":"1","to":"+97798••••699","segments":1}')
  const reply = shownEventBody('{"type":"message.inbound","from":"+9779841000699","text":"YES"}', viewer)
  assert.equal(reply, '{"type":"message.inbound","from":"+97798••••699","text":"(hidden)"}')
  assert.equal(shownAnswer('ok +9779841000699', viewer), '(hidden)')
  assert.equal(shownAnswer('ok +9779841000699', operator), 'ok +9779841000699')
})
