// When a route gets new prefixes, waiting messages move to its destinations in small batches.
import { destinationName, findDestination } from '../../domain/carriers/routing.ts'
import { listUnappliedRoutes, listWorkingRoutes, markRouteApplied } from '../../store/carriers/routes.ts'
import { listWaitingMessages, moveToDestinations } from '../../store/messages/delivery-queue.ts'
import type { Ports } from '../ports.ts'

const AT_ONCE = 2_000
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Returns whether there was work. After a crash the routes stay unsorted, and the work starts again. */
export async function updateDestinations(ports: Ports): Promise<boolean> {
  const unsorted = await listUnappliedRoutes(ports.db)
  if (unsorted.length === 0) return false
  const countries = new Set(unsorted.filter((route) => route.prefixes.length > 0).map((route) => route.country))
  for (const country of countries) await sortCountry(ports, country)
  await ports.db.transaction(async (tx) => {
    for (const route of unsorted) await markRouteApplied(tx, route)
  })
  ports.notifications.notify('delivery')
  return true
}

async function sortCountry(ports: Ports, country: string): Promise<void> {
  for (let after: string | null = FIRST_ID; after !== null; ) after = await sortSome(ports, { country, after })
}

function sortSome(ports: Ports, { country, after }: { country: string; after: string }): Promise<string | null> {
  return ports.db.transaction(async (tx) => {
    const routes = await listWorkingRoutes(tx, ports.clock.now())
    const waiting = await listWaitingMessages(tx, { country, after, limit: AT_ONCE })
    const moved = waiting.flatMap(({ messageId, destination, to }) => {
      const sorted = destinationName(findDestination(routes, { country, to }))
      return sorted === destination ? [] : [{ messageId, destination: sorted }]
    })
    await moveToDestinations(tx, moved)
    return waiting.length === AT_ONCE ? (waiting.at(-1)?.messageId ?? null) : null
  })
}
