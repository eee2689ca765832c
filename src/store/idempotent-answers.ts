// Responses stored for idempotency keys, and the advisory locks on the keys (D25).
import type { AnswerScope, KnownAnswer } from '../domain/messages/idempotency.ts'
import type { Tx } from './database/db.ts'
import { sql } from './database/sql.ts'

/** Locks the free keys without waiting. A key that is already locked belongs to a request in progress (D25). */
export async function tryLockKeys(tx: Tx, scopes: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ scope: string; taken: boolean }>(sql`
    select scope, pg_try_advisory_xact_lock(hashtextextended(scope, 2)) as taken
    from unnest(${scopes}::text[]) as scopes (scope)`)
  return new Set(rows.filter((row) => row.taken).map((row) => row.scope))
}

/** The column `client_id` holds the owner of the key, which is not always a client. */
export function findAnswers(
  tx: Tx,
  scopes: AnswerScope[],
  notBefore: Date,
): Promise<(KnownAnswer & { scope: string })[]> {
  return tx.query(sql`
    select client_id || ':' || idempotency_key as scope, key_id as "keyId", fingerprint, answer
    from idempotent_answer
    where (client_id, idempotency_key) in (
        select * from unnest(${scopes.map((it) => it.ownerId)}::uuid[], ${scopes.map((it) => it.idempotencyKey)}::text[]))
      and answered_at > ${notBefore}`)
}

export type NewAnswer = AnswerScope & KnownAnswer

export async function insertAnswers(tx: Tx, answers: NewAnswer[], now: Date): Promise<void> {
  if (answers.length === 0) return
  await tx.query(sql`
    insert into idempotent_answer (client_id, idempotency_key, key_id, fingerprint, answer, answered_at)
    select *, ${now}::timestamptz from unnest(
      ${answers.map((it) => it.ownerId)}::uuid[], ${answers.map((it) => it.idempotencyKey)}::text[],
      ${answers.map((it) => it.keyId)}::text[], ${answers.map((it) => it.fingerprint)}::bytea[],
      ${answers.map((it) => it.answer)}::text[])
    on conflict (client_id, idempotency_key) do update set
      key_id = excluded.key_id, fingerprint = excluded.fingerprint, answer = excluded.answer,
      answered_at = excluded.answered_at`)
}
