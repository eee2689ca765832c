// The secrets we hand out: how they are written, stored and shown afterwards (§5.1, D30, D32). Chance comes in as bytes.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'

export const KEY_BYTES = 20
export const WEBHOOK_SECRET_BYTES = 32
const SHOWN_HEX = 6

// §5.1 rule 2: a fixed live prefix and 48 hexadecimal characters. The prefix bears the vendor's word (D32).
export function formatApiKey(vendor: string, bytes: Uint8Array): string {
  return withChecksum(`${vendor}_live_`, bytes)
}

/** A program's token says in its name what it may do. */
export function formatToken(role: string, bytes: Uint8Array): string {
  return withChecksum(`hulaki_${role}_`, bytes)
}

// 256 bits of chance: what a browser keeps of a session, and what stands behind the # of a link.
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

// §5.1 rule 3. The whole string is the signing key, its prefix included (D30).
export function formatWebhookSecret(bytes: Uint8Array): string {
  assert(bytes.length === WEBHOOK_SECRET_BYTES)
  return `whsec_${hexOf(bytes)}`
}

// §5.1 rule 3: all that is stored of a key or a token. They are long and random, so a plain hash cannot be guessed back.
export function hashApiKey(apiKey: string): string {
  return hash('sha256', apiKey, 'hex')
}

// D32: the live prefix, and after it as much as people need to tell their keys apart.
export function shownKeyPrefix(apiKey: string): string {
  return apiKey.slice(0, apiKey.lastIndexOf('_') + 1 + SHOWN_HEX)
}

// D32: 40 hexadecimal characters of chance and 8 of CRC-32 over all that stands before, so that a scanner of leaked secrets
// knows a real one offline. It says nothing about validity: only the stored hash judges a key.
function withChecksum(prefix: string, bytes: Uint8Array): string {
  assert(bytes.length === KEY_BYTES)
  const body = `${prefix}${hexOf(bytes)}`
  return `${body}${crc32(body).toString(16).padStart(8, '0')}`
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
