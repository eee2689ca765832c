// Idempotency (§8.3, D25): what makes two requests the same one, and what the second of them is told.
import { type Refusal, refuse } from '../refusals.ts'

/** A replay is safe for 24 hours from the first answer. */
export const IDEMPOTENCY_SECONDS = 86_400

/** Printable ASCII, 1 to 200 characters (§4). */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x20-\x7e]{1,200}$/

/** A validated body in canonical form: the order of keys does not matter, everything else does. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

/** Whose key it is: two may use the same. */
export interface AnswerScope {
  /** An API client (D25); of a key that came with credit, the workspace that is credited. */
  ownerId: string
  idempotencyKey: string
}

export function scopeOf({ ownerId, idempotencyKey }: AnswerScope): string {
  return `${ownerId}:${idempotencyKey}`
}

/** What makes a request the same as one before: its key, and the body it came with. */
export interface Idempotency extends AnswerScope {
  fingerprintOf: (keyId: string) => Buffer
}

/** By scope: the answer given before and what it was given to, or that the first request still runs. */
export type KnownAnswers = ReadonlyMap<string, KnownAnswer | 'running'>

export interface KnownAnswer {
  keyId: string
  fingerprint: Buffer
  /** The body of the answer, as it was sent. */
  answer: string
}

/**
 * Null for the first with its key. Each request is held against the answer by its own body: a batch may hold several. Where its
 * workspace is not active, what it learns of its first request comes before that, and all else after it (D6): nothing is sent or
 * charged by a replay, and whoever waits for the first answer must be able to get it.
 */
export function judgeRepeat(
  knownAnswers: KnownAnswers,
  idempotency: Idempotency | null,
  inactive: Refusal | null,
): { answer: string } | Refusal | null {
  const known = idempotency && knownAnswers.get(scopeOf(idempotency))
  if (!known) return inactive
  if (known === 'running') {
    const error = 'The first request with this Idempotency-Key still runs'
    return refuse('idempotency_conflict', { error, retryAfterSeconds: 1 })
  }
  const isSame = idempotency.fingerprintOf(known.keyId).equals(known.fingerprint)
  return isSame ? { answer: known.answer } : (inactive ?? refuse('idempotency_conflict'))
}
