// How many messages wait for a place, under whichever of its names.
import { MOST_STRANDED } from '../domain/destinations.ts'
import type { Queries } from './db.ts'
import { sql } from './sql.ts'

/**
 * No further than the bound in each place. The names under which messages wait are walked one step of the index each: a message
 * that avoids a carrier waits for the same place, and how names sort is the database's affair.
 */
export async function countWaiting(db: Queries, places: string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ place: string; waiting: number }>(sql`
    with recursive known as (
      (select destination from delivery_queue order by destination limit 1)
      union all
      select next.destination from known cross join lateral (
        select destination from delivery_queue where destination > known.destination order by destination limit 1
      ) as next
    )
    select asked.place, (
      select count(*) from (
        select from known cross join lateral (
          select from delivery_queue where destination = known.destination limit ${MOST_STRANDED}
        ) as queued
        where split_part(known.destination, '~', 1) = asked.place limit ${MOST_STRANDED}
      ) as counted
    ) as waiting
    from unnest(${places}::text[]) as asked (place)`)
  return new Map(rows.map((row) => [row.place, row.waiting]))
}
