// How often it was tried in vain to sign in, by a hash of who or where.
import type { WrongAttempts } from '../../domain/people/sign-in-pace.ts'
import type { Queries } from '../database/db.ts'
import { sql } from '../database/sql.ts'

/** Those since `since`; what is older is forgotten. */
export async function loadWrong(
  db: Queries,
  { about, since }: { about: readonly Buffer[]; since: Date },
): Promise<(WrongAttempts | null)[]> {
  const rows = await db.query<{ about: Buffer } & WrongAttempts>(sql`
    select about, times, last_at as "lastAt" from wrong_sign_in
    where about = any(${about}::bytea[]) and last_at > ${since}`)
  return about.map((it) => rows.find((row) => row.about.equals(it)) ?? null)
}

export async function countWrong(
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

export async function forgetWrong(db: Queries, about: Buffer): Promise<void> {
  await db.query(sql`delete from wrong_sign_in where about = ${about}`)
}
