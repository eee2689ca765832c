// Golden vectors of §6.3, made with Python's hmac; a change would break every endpoint.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretsAt, signatureHeader } from '../../../src/domain/webhooks/signature.ts'

const current = 'whsec_0123456789abcdef0123456789abcdef'
const previous = 'whsec_fedcba9876543210fedcba9876543210'
const unixSeconds = 1_767_323_045
const body = Buffer.from(
  '{"type":"message.status","id":"01890a5d-ac96-774b-bcce-b302099a8057","status":"delivered","to":"+9779812345678","at":"2026-01-02T03:04:05.678Z","messageType":"otp","segments":1}',
)

test('signs `<t>.<raw body>` with HMAC-SHA-256 in hex (§6.3), keyed with the whole secret (D30)', () => {
  assert.equal(
    signatureHeader({ unixSeconds, body, secrets: [current] }),
    't=1767323045,v1=64854127d011e7c519d1498ff9ab19fbea8393d875d7702f12fb9e0b16103a49',
  )
})

test('signs with both secrets during a rotation, the new one first (§6.3)', () => {
  assert.equal(
    signatureHeader({ unixSeconds, body, secrets: [current, previous] }),
    't=1767323045,v1=64854127d011e7c519d1498ff9ab19fbea8393d875d7702f12fb9e0b16103a49,v1=1e071cc9bd9cd60eddebafc7ca4601e2b0f02179402f59d7fc9f38a41a73d8f5',
  )
})

test('signs with the previous secret until the instant its grace period ends (§6.3 rule 4)', () => {
  const endsAt = new Date('2026-01-02T03:04:05.000Z')
  const grace = { secret: previous, endsAt }
  assert.deepEqual(secretsAt(new Date(endsAt.getTime() - 1), current, grace), [current, previous])
  assert.deepEqual(secretsAt(endsAt, current, grace), [current])
  assert.deepEqual(secretsAt(endsAt, current, null), [current])
})

test('signs the raw bytes: empty, not ASCII, not even UTF-8 (§6.3)', () => {
  const vectors: [number, Uint8Array, string][] = [
    [unixSeconds, new Uint8Array(), '238eed6ac3ef12c6353ab09ccc0a6c115840c2edd1e9654943b138bc555fe473'],
    [0, Buffer.from('नमस्ते 👋'), '4bb8457accb69c501f639aed868a803ce6c3fe8e365965f1a556b1787a2c686f'],
    [
      unixSeconds,
      Uint8Array.of(0x00, 0xff, 0xc3, 0x28),
      '0410aa3237af61882384792b3bcbf2be14fb76bf584275e61a9933fcfdf18836',
    ],
  ]
  for (const [t, bytes, v1] of vectors) {
    assert.equal(signatureHeader({ unixSeconds: t, body: bytes, secrets: [current] }), `t=${t},v1=${v1}`)
  }
})

test('throws for a time that is not whole seconds', () => {
  assert.throws(() => signatureHeader({ unixSeconds: 1.5, body, secrets: [current] }), /whole seconds/)
})
