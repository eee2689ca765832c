// The callback URL of an HTTP carrier (D52): each carrier has its own, with a secret token.
import { hash } from 'node:crypto'
import type { HttpSecrets } from '../secrets.ts'
import type { HttpReceipts } from './description.ts'

export const CALLBACK_BYTES = 32

/** Stored among the secrets of a carrier; operators cannot use these names. */
const TOKEN = '@callback'
export const CALLBACK_URL = '@callbackUrl'

export const CALLBACK_ROUTE = '/carriers/:token/receipts'

export function callbackUrlOf(origin: string, token: string): string {
  return `${origin}${CALLBACK_ROUTE.replace(':token', token)}`
}

export function callbackTokenOf(secrets: HttpSecrets): string | null {
  return secrets[TOKEN] ?? null
}

/** 256 random bits. */
export function withNewCallback(secrets: HttpSecrets, bytes: Uint8Array): HttpSecrets {
  return { ...secrets, [TOKEN]: Buffer.from(bytes).toString('base64url') }
}

export function withoutCallback(secrets: HttpSecrets): HttpSecrets {
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => name !== TOKEN))
}

/** Callbacks are looked up by this hash. */
export function hashCallback(token: string): string {
  return hash('sha256', token, 'hex')
}

export function hasCallback(receipts: HttpReceipts | null): boolean {
  return receipts?.kind === 'callback'
}

/** Adds `{callbackUrl}`, where the carrier sends its receipts. */
export function withCallbackUrl(secrets: HttpSecrets, origin: string | null): HttpSecrets {
  const token = callbackTokenOf(secrets)
  return token === null || origin === null ? secrets : { ...secrets, [CALLBACK_URL]: callbackUrlOf(origin, token) }
}
