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
    select about, times, last_at as "lastAt" from wrong_sign_in
    where about = any(${about}::bytea[]) and last_at > ${since}`)
  return about.map((it) => rows.find((row) => row.about.equals(it)) ?? null)
}

/** Adds one failed attempt for each hash in `about`. Attempts before `since` no longer count. */
export async function recordFailedSignIns(
  db: Queries,
  { about, since, now }: { about: readonly Buffer[]; since: Date; now: Date },
): Promise<(WrongAttempts | null)[]> {
  const rows = await db.query<{ about: Buffer } & WrongAttempts>(sql`
    insert into wrong_sign_in (about, times, last_at)
    select about, 1, ${now}::timestamptz from unnest(${about}::bytea[]) as wrong (about) order by about
    on conflict (about) do update set
      times = case when wrong_sign_in.last_at > ${since} then wrong_sign_in.times + 1 else 1 end, last_at = excluded.last_at
    returning about, times, last_at as "lastAt"`)
  return about.map((it) => rows.find((row) => row.about.equals(it)) ?? null)
}

export async function clearFailedSignIns(db: Queries, about: Buffer): Promise<void> {
  await db.query(sql`delete from wrong_sign_in where about = ${about}`)
}
