// Cancels, fails and resends the messages of a workspace that match a filter (D59).
import { carriersFor, parseDestination, typeOf } from '../../domain/carriers/routing.ts'
import type { MessageStatus } from '../../domain/message-status.ts'
import { deadlineSeconds, MAX_ACCEPT_MS, validitySeconds } from '../../domain/messages/lifetime.ts'
import type { MessageAct } from '../../domain/messages/message-acts.ts'
import { listWorkingRoutes } from '../../store/carriers/routes.ts'
import type { Db } from '../../store/database/db.ts'
import { listPlaces } from '../../store/messages/delivery-queue.ts'
import {
  findCancellable,
  findResendable,
  findUnfinished,
  MAX_MESSAGES_FOUND,
  type ScannedMessages,
} from '../../store/messages/message-acts.ts'
import type { Caller, Ports } from '../ports.ts'
import { actInSteps, MAX_ACTED_ON } from './act-in-steps.ts'

export const MAX_REMAINING = MAX_MESSAGES_FOUND - MAX_ACTED_ON

interface BulkAct {
  workspaceId: string
  clientId: string | null
  carrierId: string | null
  statuses: readonly MessageStatus[]
  olderThanSeconds: number
  /** Continue after this message id. */
  after: string | null
}

export interface ActedMany {
  changed: number
  /** Messages that were claimed or became final meanwhile, or that the balance does not cover. */
  refused: number
  /** At most MAX_REMAINING. */
  left: number
  /** Where to continue if not all messages were searched. */
  next: string | null
}

export async function actOnMany(
  ports: Ports,
  caller: Caller,
  { act, requested }: { act: MessageAct; requested: BulkAct },
): Promise<ActedMany> {
  const db = ports.managementDb(caller.actor)
  const { ids, scannedTo } = await find(db, { act, requested, now: ports.clock.now() })
  const taken = ids.slice(0, MAX_ACTED_ON)
  const { workspaceId, clientId, carrierId, statuses, olderThanSeconds } = requested
  const details = { clientId, carrierId, statuses, olderThanSeconds }
  const { changed } = await actInSteps(ports, caller, { act, workspaceId, ids: taken, details })
  const left = ids.length - taken.length
  return { changed, refused: taken.length - changed, left, next: left > 0 ? null : scannedTo }
}

async function find(
  db: Db,
  { act, requested, now }: { act: MessageAct; requested: BulkAct; now: Date },
): Promise<ScannedMessages> {
  const { workspaceId, clientId, carrierId } = requested
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const filter = { workspaceId, clientId, before: ago(requested.olderThanSeconds) }
  if (act === 'cancel') {
    const [places, routes] = await Promise.all([listPlaces(db), listWorkingRoutes(db, now)])
    // A queued message has no carrier yet, so the filter uses the carriers of its routes.
    const leadsThere = ({ destination, priority }: (typeof places)[number]) =>
      carrierId === null ||
      carriersFor(routes, parseDestination(destination), { type: typeOf(priority) }).includes(carrierId)
    return { ids: await findCancellable(db, { ...filter, places: places.filter(leadsThere) }), scannedTo: null }
  }
  const { statuses, after } = requested
  // Older messages are final or can no longer be submitted.
  const oldest = act === 'fail' ? deadlineSeconds('transactional') : validitySeconds('transactional')
  const since = new Date(ago(oldest).getTime() - MAX_ACCEPT_MS)
  const walk = { ...filter, since, after, statuses, carrierId, now }
  return act === 'fail' ? findUnfinished(db, walk) : findResendable(db, walk)
}
