// What accepting must know of routes and carriers: where a number leads, and whether anything can be sent there now.
import { Destinations, MOST_STRANDED } from '../domain/destinations.ts'
import { MESSAGE_TYPES } from '../domain/message-type.ts'
import { carriersFor, type Destination, destinationOf, formatDestination } from '../domain/routing.ts'
import type { Tx } from './db.ts'
import { listWorkingRoutes } from './routes.ts'
import { sql } from './sql.ts'

export interface Heading {
  country: string
  to: string
}

/** One look at the routes; backlogs are counted only where no carrier works, and no further than the bound. */
export async function loadDestinations(
  tx: Tx,
  { numbers, now }: { numbers: Heading[]; now: Date },
): Promise<Destinations> {
  const routes = await listWorkingRoutes(tx, now)
  const working = new Set(routes.filter((route) => route.isWorking).map((route) => route.carrierId))
  const places = new Map(
    numbers.map((heading) => destinationOf(routes, heading)).map((place) => [formatDestination(place), place]),
  )
  const isServed = (place: Destination) =>
    MESSAGE_TYPES.every((type) => carriersFor(routes, place, type).some((id) => working.has(id)))
  const stranded = [...places].filter(([, place]) => !isServed(place)).map(([name]) => name)
  const full = stranded.length === 0 ? [] : await findFull(tx, stranded)
  return new Destinations({ routes, working, full: new Set(full) })
}

async function findFull(tx: Tx, destinations: string[]): Promise<string[]> {
  const rows = await tx.query<{ destination: string }>(sql`
    select asked.destination from unnest(${destinations}::text[]) as asked (destination)
    where (
      select count(*) from (
        select from delivery_queue queued where queued.destination = asked.destination limit ${MOST_STRANDED}
      ) as waiting
    ) >= ${MOST_STRANDED}`)
  return rows.map((row) => row.destination)
}
