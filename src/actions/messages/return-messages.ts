// Back to the queue, also for a message that had left it: D15 lets an unknown one wait outside, for an answer that may
// come late and be a refusal for now.
import { destinationOf, nameOfDestination, priorityOf } from '../../domain/carriers/routing.ts'
import { listWorkingRoutes } from '../../store/carriers/routes.ts'
import type { Tx } from '../../store/database/db.ts'
import { loadHeadings, type Return, rejoinQueue, returnToQueue } from '../../store/messages/delivery-queue.ts'

export async function returnMessages(tx: Tx, { returns, now }: { returns: Return[]; now: Date }): Promise<void> {
  const inPlace = new Set(await returnToQueue(tx, returns))
  const outside = new Map(returns.filter((it) => !inPlace.has(it.messageId)).map((it) => [it.messageId, it]))
  if (outside.size === 0) return
  const [routes, headings] = await Promise.all([listWorkingRoutes(tx, now), loadHeadings(tx, [...outside.keys()])])
  const rejoining = headings.map(({ messageId, country, to, type }) => {
    const { dueAt = now, avoidCarrierId = null } = outside.get(messageId) ?? {}
    const destination = nameOfDestination(destinationOf(routes, { country, to }))
    return { messageId, destination, avoidCarrierId, priority: priorityOf(type), dueAt }
  })
  await rejoinQueue(tx, rejoining)
}
