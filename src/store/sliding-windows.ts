// Hits of sliding-window rate limits, and the advisory locks that serialize the requests of one window.
import { MAX_ACCEPT_MS } from '../domain/messages/lifetime.ts'
import { HIGHEST_HOURLY_CAP, type Hit } from '../domain/messages/limits.ts'
import type { KnownWindow, WindowRead } from '../domain/sliding-window.ts'
import { lowestIdOf } from '../runtime/ids.ts'
import type { Queries, Tx } from './database/db.ts'
import { sql } from './database/sql.ts'

/** Waits for the locks on these scopes. Every transaction locks in the same order, which prevents deadlocks. */
export async function lockScopes(tx: Tx, scopes: string[]): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(lock) from (
      select distinct hashtextextended(scope, 1) as lock from unnest(${scopes}::text[]) as scopes (scope) order by 1
    ) as locks`)
}

/** Locks the scopes that are free, without waiting, and returns them. */
export async function tryLockScopes(tx: Tx, scopes: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ scope: string }>(sql`
    select scope from (select distinct scope from unnest(${scopes}::text[]) as scopes (scope)) as requested
    where pg_try_advisory_xact_lock(hashtextextended(scope, 1))`)
  return new Set(rows.map((row) => row.scope))
}

/** By scope. Of each window it reads only the hits that can decide, not every hit inside the window. */
export async function loadWindows(db: Queries, requested: WindowRead[]): Promise<Map<string, KnownWindow>> {
  const idAt = (at: Date, ms: number) => lowestIdOf(new Date(at.getTime() + ms))
  // Earlier messages to a number are read once for all clients in `requested`, and at most as many as a cap can allow.
  const rows = await db.query<{ scope: string; at: Date }>(sql`
    with requested as materialized (
      select * from unnest(
        ${requested.map((it) => it.limit.scope)}::text[], ${requested.map((it) => it.limit.most)}::int[],
        ${requested.map((it) => it.skipped)}::int[], ${requested.map((it) => it.since)}::timestamptz[],
        ${requested.map((it) => it.setAfter?.at ?? it.since)}::timestamptz[],
        ${requested.map((it) => it.setAfter?.clientId)}::uuid[], ${requested.map((it) => it.setAfter?.to)}::text[],
        ${requested.map((it) => it.setAfter && idAt(it.since, -MAX_ACCEPT_MS))}::uuid[],
        ${requested.map((it) => it.setAfter && idAt(it.setAfter.at, MAX_ACCEPT_MS))}::uuid[]
      ) as requested (scope, most, skipped, since, hits_since, client_id, to_number, from_id, to_id)
    ), earlier as materialized (
      select number.to_number, latest.client_id, array_agg(latest.created_at) as times
      from (
          select to_number, min(from_id::text)::uuid as from_id, max(to_id::text)::uuid as to_id
          from requested where to_number is not null group by to_number
        ) as number
        cross join lateral (
          select client_id, created_at from message
          where to_number = number.to_number and id >= number.from_id and id < number.to_id
          order by id desc limit ${HIGHEST_HOURLY_CAP}
        ) as latest
      group by number.to_number, latest.client_id
    )
    select requested.scope, hit.at
    from requested
      left join earlier on earlier.to_number = requested.to_number and earlier.client_id = requested.client_id
      cross join lateral (
        select at from (
          (select at from rate_limit_hit where scope = requested.scope and at > requested.hits_since order by at desc limit requested.most)
          union all
          (select at from unnest(earlier.times) as at where at > requested.since and at <= requested.hits_since
            order by at desc limit requested.most)
        ) as inside
        order by at desc offset requested.skipped limit requested.most - requested.skipped
      ) as hit
    order by requested.scope, hit.at desc`)
  const times = Map.groupBy(rows, (row) => row.scope)
  return new Map(
    requested.map(({ limit, skipped }) => {
      const hits = times.get(limit.scope)?.map((row) => row.at) ?? []
      return [limit.scope, { limit, skipped, times: hits }]
    }),
  )
}

export async function insertHits(tx: Tx, hits: Hit[]): Promise<void> {
  if (hits.length === 0) return
  await tx.query(sql`
    insert into rate_limit_hit (scope, at, id)
    select * from unnest(
      ${hits.map((it) => it.scope)}::text[], ${hits.map((it) => it.at)}::timestamptz[],
      ${hits.map((it) => it.messageId)}::uuid[])`)
}
