// When a route gets new prefixes, waiting messages move to its destinations in small batches.
import { destinationName, findDestination } from '../../domain/carriers/routing.ts'
import { listUnappliedRoutes, listWorkingRoutes, markRouteApplied } from '../../store/carriers/routes.ts'
import {
  insertQueueRows,
  lockQueuedOfCountry,
  type RowKey,
  removeFromQueue,
} from '../../store/messages/delivery-queue.ts'
import type { Ports } from '../ports.ts'

const ROWS_AT_ONCE = 200

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
  let after: RowKey | null = null
  do after = await sortSome(ports, { country, after })
  while (after !== null)
}

/** Returns the last row, or null after the last one. */
function sortSome(ports: Ports, { country, after }: { country: string; after: RowKey | null }): Promise<RowKey | null> {
  return ports.db.transaction(async (tx) => {
    const routes = await listWorkingRoutes(tx, ports.clock.now())
    const waiting = await lockQueuedOfCountry(tx, { country, after, limit: ROWS_AT_ONCE })
    const moved = waiting.flatMap((message) => {
      const destination = destinationName(findDestination(routes, { country, to: message.to }))
      return destination === message.destination ? [] : [{ ...message, destination }]
    })
    await Promise.all([
      removeFromQueue(tx, moved),
      insertQueueRows(
        tx,
        moved.map(({ messageId, ...row }) => ({ ...row, messageIds: [messageId] })),
      ),
    ])
    return waiting.at(-1) ?? null
  })
}
