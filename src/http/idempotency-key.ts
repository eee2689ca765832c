// The Idempotency-Key header (§8.3, D25), bound to the endpoint and the validated body.
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  canonicalJson,
  IDEMPOTENCY_KEY_PATTERN,
  IDEMPOTENCY_SECONDS,
  type Idempotency,
} from '../domain/messages/idempotency.ts'
import type { Keyring } from '../runtime/keyring.ts'

export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(IDEMPOTENCY_KEY_PATTERN, 'Must be 1 to 200 printable ASCII characters')
    .optional()
    .describe(
      `A unique name for the request, such as a UUID. Retries with the same key and body are safe for ${IDEMPOTENCY_SECONDS / 3600} hours.`,
    ),
})

/** Null without the header. Bodies contain OTPs and phone numbers, so the fingerprint is a keyed hash. */
export function idempotencyOf(
  request: FastifyRequest,
  { ownerId, keyring }: { ownerId: string; keyring: Keyring },
): Idempotency | null {
  const idempotencyKey = request.headers['idempotency-key']
  if (typeof idempotencyKey !== 'string') return null
  const endpoint = request.routeOptions.url ?? ''
  const body = canonicalJson(request.body)
  const fingerprintOf = (keyId: string) => keyring.hash('codes', ['fingerprint', endpoint, body], keyId)
  return { ownerId, idempotencyKey, fingerprintOf }
}
