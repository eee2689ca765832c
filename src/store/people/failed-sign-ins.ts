// Failed sign-in attempts, counted by a hash of the account or of the caller's address.
import type { WrongAttempts } from '../../domain/people/sign-in-pace.ts'
import type { Queries } from '../database/db.ts'
import { sql } from '../database/sql.ts'

/** For each hash in `about`, its failed attempts since `since`, or null. */
export async function loadFailedSignIns(
  db: Queries,
  { about, since }: { about: readonly Buffer[]; since: Date },
): Promise<(WrongAttempts | null)[]> {
  const rows = await db.query<{ about: Buffer } & WrongAttempts>(sql`
    select subject_hash as about, attempts as times, last_attempt_at as "lastAt" from failed_sign_in
    where subject_hash = any(${about}::bytea[]) and last_attempt_at > ${since}`)
  return about.map((it) => rows.find((row) => row.about.equals(it)) ?? null)
}

/** Adds one failed attempt for each hash in `about`. Attempts before `since` no longer count. */
export async function recordFailedSignIns(
  db: Queries,
  { about, since, now }: { about: readonly Buffer[]; since: Date; now: Date },
): Promise<(WrongAttempts | null)[]> {
  const rows = await db.query<{ about: Buffer } & WrongAttempts>(sql`
    insert into failed_sign_in (subject_hash, attempts, last_attempt_at)
    select subject_hash, 1, ${now}::timestamptz from unnest(${about}::bytea[]) as wrong (subject_hash) order by subject_hash
    on conflict (subject_hash) do update set
      attempts = case when failed_sign_in.last_attempt_at > ${since} then failed_sign_in.attempts + 1 else 1 end,
      last_attempt_at = excluded.last_attempt_at
    returning subject_hash as about, attempts as times, last_attempt_at as "lastAt"`)
  return about.map((it) => rows.find((row) => row.about.equals(it)) ?? null)
}

export async function clearFailedSignIns(db: Queries, about: Buffer): Promise<void> {
  await db.query(sql`delete from failed_sign_in where subject_hash = ${about}`)
}
