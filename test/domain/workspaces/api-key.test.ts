// Keys, tokens and secrets (§5.1, D30, D32).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import {
  formatApiKey,
  formatToken,
  formatWebhookSecret,
  hashSecret,
  KEY_BYTES,
  shownKeyPrefix,
  WEBHOOK_SECRET_BYTES,
} from '../../../src/domain/workspaces/api-key.ts'

const keyBytes = fc.uint8Array({ minLength: KEY_BYTES, maxLength: KEY_BYTES })

test('formats an API key as its live prefix and 48 hexadecimal characters (§5.1)', () => {
  const apiKey = formatApiKey('svc', new Uint8Array(KEY_BYTES))
  assert.equal(apiKey, `svc_live_${'0'.repeat(40)}d887f02d`)
})

test('ends a key or token with the CRC-32 of everything before it, with leading zeros (D32)', () => {
  fc.assert(
    fc.property(keyBytes, (bytes) => {
      for (const secret of [formatApiKey('svc', bytes), formatApiKey('hulaki', bytes), formatToken('owner', bytes)]) {
        assert.match(secret, /^(svc_live|hulaki_live|hulaki_owner)_[0-9a-f]{48}$/)
        assert.equal(Number.parseInt(secret.slice(-8), 16), crc32(secret.slice(0, -8)))
      }
    }),
    { numRuns: 1_000 },
  )
})

test('formats a webhook secret as whsec_ and 32 bytes (§5.1)', () => {
  assert.equal(formatWebhookSecret(new Uint8Array(WEBHOOK_SECRET_BYTES).fill(0xab)), `whsec_${'ab'.repeat(32)}`)
})

test('throws for too few random bytes (§5.1)', () => {
  assert.throws(() => formatApiKey('svc', new Uint8Array(KEY_BYTES - 1)))
  assert.throws(() => formatToken('owner', new Uint8Array(0)))
  assert.throws(() => formatWebhookSecret(new Uint8Array(KEY_BYTES)))
})

test('stores the SHA-256 of a key (§5.1)', () => {
  const apiKey = formatApiKey('svc', new Uint8Array(KEY_BYTES).fill(7))
  assert.equal(hashSecret(apiKey), createHash('sha256').update(apiKey).digest('hex'))
  assert.equal(hashSecret(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})

test('shows a key by its live prefix and the next 6 characters, for every vendor (D32)', () => {
  const bytes = new Uint8Array(KEY_BYTES).fill(0xcd)
  assert.equal(shownKeyPrefix(formatApiKey('svc', bytes)), 'svc_live_cdcdcd')
  assert.equal(shownKeyPrefix(formatApiKey('longervendor', bytes)), 'longervendor_live_cdcdcd')
})
