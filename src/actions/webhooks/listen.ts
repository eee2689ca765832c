// Forwards the events of a client to a listener instead of its webhook (D45): starts, renews and ends the listening.
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { canSeeNumbers } from '../../domain/people/masking.ts'
import { Refusal, refuse } from '../../domain/refusals.ts'
import {
  type ListenRequest,
  leaseListening,
  MAX_EVENTS_AT_ONCE,
  MAX_WAITING_EVENTS,
  needsRenewal,
} from '../../domain/webhooks/listening.ts'
import type { Tx } from '../../store/database/db.ts'
import {
  countWaitingEvents,
  deleteWaitingEvents,
  type ListenedClient,
  listWaitingEvents,
  lockListening,
  markEventsForwarded,
  storeListening,
  type WaitingEvent,
} from '../../store/webhooks/listening.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

interface ListenResult {
  until: Date
  isFull: boolean
  missedSince: Date | null
  events: WaitingEvent[]
}

export function listenForEvents(
  ports: Ports,
  caller: Caller,
  { clientId, forwarded, ...requested }: ListenRequest & { clientId: string; forwarded: number[] },
): Promise<ListenResult | Refusal> {
  return withListening(ports, caller, clientId, async (tx, { workspaceId, held }) => {
    const now = ports.clock.now()
    // Events that wait for another listener are dropped, not counted.
    const isCounted = held?.listener === requested.listener && needsRenewal(held, requested.session, now)
    const isFull = isCounted && (await countWaitingEvents(tx, clientId, MAX_WAITING_EVENTS)) > MAX_WAITING_EVENTS
    const taken = leaseListening(held, requested, { now, isFull })
    if (taken instanceof Refusal) return taken
    const { until, isStored, isNew, dropsWaiting, missedSince } = taken
    const { listener, session } = requested
    if (dropsWaiting) await deleteWaitingEvents(tx, clientId)
    if (isStored) await storeListening(tx, clientId, { listener, session, until })
    if (isNew) {
      const details = { listener, ...(dropsWaiting && held && { from: held.listener }) }
      await recordChange(tx, {
        ...{ ports, caller, workspaceId, subject: clientId, details },
        action: 'client.listen_started',
      })
    }
    await markEventsForwarded(tx, clientId, forwarded)
    return { until, isFull, missedSince, events: await listWaitingEvents(tx, clientId, MAX_EVENTS_AT_ONCE) }
  })
}

/** Drops waiting events. Does nothing if another listener has taken over. */
export async function endListening(
  ports: Ports,
  caller: Caller,
  { clientId, session }: { clientId: string; session: string },
): Promise<null | Refusal> {
  return withListening(ports, caller, clientId, async (tx, { workspaceId, held }) => {
    if (held?.session !== session) return null
    await storeListening(tx, clientId, null)
    await deleteWaitingEvents(tx, clientId)
    const details = { listener: held.listener }
    await recordChange(tx, {
      ...{ ports, caller, workspaceId, subject: clientId, details },
      action: 'client.listen_ended',
    })
    return null
  })
}

async function withListening<Result>(
  ports: Ports,
  caller: Caller,
  id: string,
  work: (tx: Tx, client: ListenedClient) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  const { actor } = caller
  // Events are signed byte for byte, so their numbers cannot be masked for people.
  if (!canSeeNumbers(actor)) return refuse('forbidden', { error: 'Only a program with a token can listen' })
  return ports.managementDb(actor).transaction(async (tx) => {
    const client = await lockListening(tx, { id, within: onlyWorkspace(actor) })
    return client ? work(tx, client) : refuse('not_found')
  })
}
