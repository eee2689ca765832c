// Idempotency within a transaction (§8.3, D25): finds earlier answers and stores new ones with their effect.
import {
  answerScopeKey,
  IDEMPOTENCY_SECONDS,
  type Idempotency,
  type KnownAnswer,
  type KnownAnswers,
} from '../domain/messages/idempotency.ts'
import type { Tx } from '../store/database/db.ts'
import { findAnswers, type NewAnswer, tryLockKeys } from '../store/idempotent-answers.ts'
import type { Ports } from './ports.ts'

/** `replayed`: the answer is that of an earlier request. */
export type Accepted = { answer: string; replayed: boolean }

/** Earlier answers, and keys whose first request still runs in another transaction. */
export async function loadKnownAnswers(
  tx: Tx,
  batch: { idempotency: Idempotency | null }[],
  now: Date,
): Promise<KnownAnswers> {
  const requested = new Map<string, Idempotency>()
  for (const { idempotency } of batch) if (idempotency) requested.set(answerScopeKey(idempotency), idempotency)
  const knownAnswers = new Map<string, KnownAnswer | 'running'>()
  if (requested.size === 0) return knownAnswers
  const notBefore = new Date(now.getTime() - IDEMPOTENCY_SECONDS * 1000)
  const [taken, known] = await Promise.all([
    tryLockKeys(tx, [...requested.keys()]),
    findAnswers(tx, [...requested.values()], notBefore),
  ])
  for (const { scope, ...answer } of known) knownAnswers.set(scope, answer)
  for (const scope of requested.keys())
    if (!taken.has(scope) && !knownAnswers.has(scope)) knownAnswers.set(scope, 'running')
  return knownAnswers
}

export function keptAnswer(ports: Ports, idempotency: Idempotency, answer: string): NewAnswer {
  const { ownerId, idempotencyKey, fingerprintOf } = idempotency
  const keyId = ports.keyring.activeKeyId('codes')
  return { ownerId, idempotencyKey, keyId, fingerprint: fingerprintOf(keyId), answer }
}
