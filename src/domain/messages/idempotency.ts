// Idempotency (§8.3, D25): which requests are the same, and the response to a repeated one.
import { DAY_SECONDS } from '../durations.ts'
import { type Refusal, refuse } from '../refusals.ts'

/** A replay is safe for 24 hours from the first answer. */
export const IDEMPOTENCY_SECONDS = DAY_SECONDS

/** Printable ASCII, 1 to 200 characters (§4). */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x20-\x7e]{1,200}$/

/** A validated body in canonical form: only the order of keys is ignored. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

/** The owner of a key: two owners may use the same key. */
export interface AnswerScope {
  /** An API client (D25); for top-ups, the credited workspace. */
  ownerId: string
  idempotencyKey: string
}

export function answerScopeKey({ ownerId, idempotencyKey }: AnswerScope): string {
  return `${ownerId}:${idempotencyKey}`
}

/** A request is the same as an earlier one if the key and the body are equal. */
export interface Idempotency extends AnswerScope {
  fingerprintOf: (keyId: string) => Buffer
}

/** By scope: the earlier answer with its fingerprint, or `running`. */
export type KnownAnswers = ReadonlyMap<string, KnownAnswer | 'running'>

export interface KnownAnswer {
  keyId: string
  fingerprint: Buffer
  /** The body of the response, unchanged. */
  answer: string
}

/**
 * null for the first request with its key. A batch may contain several with the same key. A replay works while the workspace is inactive,
 * because it sends and charges nothing, and the client must be able to get its first response (D6).
 */
export function checkIdempotency(
  knownAnswers: KnownAnswers,
  idempotency: Idempotency | null,
  inactive: Refusal | null,
): { answer: string } | Refusal | null {
  const known = idempotency && knownAnswers.get(answerScopeKey(idempotency))
  if (!known) return inactive
  if (known === 'running') {
    const error = 'The first request with this Idempotency-Key still runs'
    return refuse('idempotency_conflict', { error, retryAfterSeconds: 1 })
  }
  const isSame = idempotency.fingerprintOf(known.keyId).equals(known.fingerprint)
  return isSame ? { answer: known.answer } : (inactive ?? refuse('idempotency_conflict'))
}
