// How many messages wait for a destination, whichever carrier they avoid.
import { MOST_STRANDED } from '../../domain/messages/intake.ts'
import type { Queries } from '../database/db.ts'
import { sql } from '../database/sql.ts'

/** No further than the bound for each. */
export async function countWaiting(db: Queries, destinations: string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ destination: string; waiting: number }>(sql`
    select asked.destination, (
      select count(*) from (
        select from delivery_queue where destination = asked.destination limit ${MOST_STRANDED}
      ) as counted
    ) as waiting
    from unnest(${destinations}::text[]) as asked (destination)`)
  return new Map(rows.map((row) => [row.destination, row.waiting]))
}
