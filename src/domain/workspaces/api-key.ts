// API keys, tokens and other secrets: how they are formatted, hashed and shown (§5.1, D30, D32). Callers pass random bytes.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'

export const KEY_BYTES = 20
export const WEBHOOK_SECRET_BYTES = 32
const SHOWN_HEX = 6

// §5.1 rule 2: a fixed live prefix and 48 hexadecimal characters. The prefix contains the vendor's word (D32).
export function formatApiKey(vendor: string, bytes: Uint8Array): string {
  return withChecksum(`${vendor}_live_`, bytes)
}

/** The prefix of a token names its role. */
export function formatToken(role: string, bytes: Uint8Array): string {
  return withChecksum(`hulaki_${role}_`, bytes)
}

// 256 random bits, for session cookies and for the fragments of links.
export const SIGN_IN_BYTES = 32

export function formatSessionToken(bytes: Uint8Array): string {
  return withLength('hulaki_session_', bytes)
}

export function formatLinkSecret(bytes: Uint8Array): string {
  return withLength('hulaki_link_', bytes)
}

function withLength(prefix: string, bytes: Uint8Array): string {
  assert(bytes.length === SIGN_IN_BYTES)
  return `${prefix}${hexOf(bytes)}`
}

// §5.1 rule 3. The whole string is the signing key, including its prefix (D30).
export function formatWebhookSecret(bytes: Uint8Array): string {
  assert(bytes.length === WEBHOOK_SECRET_BYTES)
  return `whsec_${hexOf(bytes)}`
}

// §5.1 rule 3: only this hash is stored. Secrets are long and random, so a plain hash is safe.
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

// D32: the live prefix, and enough characters to distinguish keys.
export function shownKeyPrefix(apiKey: string): string {
  return apiKey.slice(0, apiKey.lastIndexOf('_') + 1 + SHOWN_HEX)
}

const KEY_SHAPE = /^[a-z0-9-]{1,20}_live_[0-9a-f]{48}$/
const SHOWN_OF_UNKNOWN = 4
const MIN_UNKNOWN_LENGTH = 20

/** What the request log stores of an unknown key. A text in another format may be any secret, so a short one is hidden. */
export function maskUnknownKey(text: string): string {
  if (KEY_SHAPE.test(text)) return `${shownKeyPrefix(text)}…`
  const start = text.length < MIN_UNKNOWN_LENGTH ? '' : text.slice(0, SHOWN_OF_UNKNOWN)
  return `${start.replaceAll(/[^!-~]/g, '?')}…`
}

// D32: 40 random hexadecimal characters, and the CRC-32 of everything before it in 8, so that secret scanners recognise a key offline. Only the
// stored hash decides whether a key is valid.
function withChecksum(prefix: string, bytes: Uint8Array): string {
  assert(bytes.length === KEY_BYTES)
  const body = `${prefix}${hexOf(bytes)}`
  return `${body}${crc32(body).toString(16).padStart(8, '0')}`
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
