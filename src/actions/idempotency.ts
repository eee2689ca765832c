// Idempotency within a transaction (§8.3, D25): answers given before are found, and new ones kept with their effect.
import { IDEMPOTENCY_SECONDS, type Idempotency, scopeOf, type Twins } from '../domain/idempotency.ts'
import { findAnswers, type NewAnswer, tryLockKeys } from '../store/acceptance.ts'
import type { Tx } from '../store/db.ts'
import type { House } from './house.ts'

/** Answers given before, and keys whose first request still runs elsewhere. */
export async function loadTwins(tx: Tx, batch: { idempotency: Idempotency | null }[], now: Date): Promise<Twins> {
  const asked = new Map<string, Idempotency>()
  for (const { idempotency } of batch) if (idempotency) asked.set(scopeOf(idempotency), idempotency)
  const twins: Twins = new Map()
  if (asked.size === 0) return twins
  const notBefore = new Date(now.getTime() - IDEMPOTENCY_SECONDS * 1000)
  const [taken, known] = await Promise.all([
    tryLockKeys(tx, [...asked.keys()]),
    findAnswers(tx, [...asked.values()], notBefore),
  ])
  for (const { scope, ...answer } of known) twins.set(scope, answer)
  for (const scope of asked.keys()) if (!taken.has(scope) && !twins.has(scope)) twins.set(scope, 'running')
  return twins
}

export function keptAnswer(house: House, idempotency: Idempotency, answer: string): NewAnswer {
  const { clientId, idempotencyKey, fingerprintOf } = idempotency
  const keyId = house.keyring.activeKeyId('codes')
  return { clientId, idempotencyKey, keyId, fingerprint: fingerprintOf(keyId), answer }
}
