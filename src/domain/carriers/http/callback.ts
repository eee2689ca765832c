// The address that a carrier over HTTP calls with its receipts (D52): one of its own, which nobody can guess.
import { hash } from 'node:crypto'
import type { HttpSecrets } from '../secrets.ts'
import type { HttpReceipts } from './description.ts'

export const CALLBACK_BYTES = 32

/** Among the secrets of a carrier: neither is a name that a secret can be given. */
const TOKEN = '@callback'
export const CALLBACK_URL = '@callbackUrl'

export const CALLBACK_ROUTE = '/carriers/:token/receipts'

export function callbackUrlOf(origin: string, token: string): string {
  return `${origin}${CALLBACK_ROUTE.replace(':token', token)}`
}

export function callbackTokenOf(secrets: HttpSecrets): string | null {
  return secrets[TOKEN] ?? null
}

/** 256 bits of chance, as they stand in an address. */
export function withNewCallback(secrets: HttpSecrets, bytes: Uint8Array): HttpSecrets {
  return { ...secrets, [TOKEN]: Buffer.from(bytes).toString('base64url') }
}

export function withoutCallback(secrets: HttpSecrets): HttpSecrets {
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => name !== TOKEN))
}

/** All by which it is found. */
export function hashCallback(token: string): string {
  return hash('sha256', token, 'hex')
}

export function callsBack(receipts: HttpReceipts | null): boolean {
  return receipts?.kind === 'callback'
}

/** What a call is filled with, beside what it was given: `{callbackUrl}` is where receipts of this carrier go. */
export function withCallbackUrl(secrets: HttpSecrets, origin: string | null): HttpSecrets {
  const token = callbackTokenOf(secrets)
  return token === null || origin === null ? secrets : { ...secrets, [CALLBACK_URL]: callbackUrlOf(origin, token) }
}
