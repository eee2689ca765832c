// A carrier's next messages: locked, judged, and written down as submissions before any of them reaches the wire. In two trips: what is
// due with all that is known of it, and what was decided with its commit.

import type { CarrierFields } from '../../domain/carriers/carrier.ts'
import {
  type ClaimDecision,
  type ClaimedMessage,
  type ClaimRules,
  type DueMessage,
  decideClaims,
  hasMoved,
  planClaim,
} from '../../domain/carriers/claim.ts'
import type { Room } from '../../domain/carriers/room.ts'
import type { QueueGroup } from '../../domain/carriers/routing.ts'
import { listCountries } from '../../store/carriers/countries.ts'
import type { Tx } from '../../store/database/db.ts'
import { loadCarrierFields, lockDueMessages } from '../../store/messages/claiming.ts'
import {
  findNextDueTime,
  lockClaims,
  type QueueClaim,
  removeFromQueue,
  returnToQueue,
  storeClaims,
} from '../../store/messages/delivery-queue.ts'
import { insertSubmissions } from '../../store/messages/submissions.ts'
import { readRoutingRevision } from '../../store/service/service.ts'
import { confirmStored } from '../confirm-stored.ts'
import type { Ports } from '../ports.ts'
import { storeChanges } from './progress.ts'

const BEFORE_ALL_WORKSPACES = '00000000-0000-0000-0000-000000000000'

export interface ClaimRequest extends ClaimRules {
  carrierId: string
  /** Where to look, the first first. */
  places: QueueGroup[]
  /** Whose turn was the last: the workspaces behind it are next (D43). */
  behind: string | null
  room: Room
  leaseMs: number
  /** The version of routes by which these places are the carrier's; without one it is not checked. */
  routingRevision?: number
}

export interface Claimed {
  messages: ClaimedMessage[]
  /** Claims of others that were never settled. */
  abandoned: QueueClaim[]
  /** Too old to be submitted. */
  expired: string[]
  /** When the next one falls due, asked only if there was nothing. */
  nextAt: Date | null
  /** Something in the queue has moved, if only to a later time. */
  worked: boolean
  /** The carrier would have room for more, other than codes. */
  hasRoom: boolean
  /** Routes have changed: nothing was claimed, for the places may be another carrier's now. */
  isOutdated: boolean
}

export async function claimMessages(ports: Ports, request: ClaimRequest): Promise<Claimed> {
  const { places, room } = request
  const nothing = { ...NOTHING, hasRoom: room.mostOf('transactional') > 0 }
  // Where there is no room, the next answer makes some.
  if (planClaim(places, room).length === 0) return nothing
  const claimed = await claimDue(ports, request)
  if (claimed === 'outdated') return { ...nothing, isOutdated: true }
  if (!claimed) return { ...nothing, nextAt: await findNextDueTime(ports.db, places) }
  if (claimed.transitions.some((it) => it.announces)) ports.notifications.notify('webhooks')
  const { messages, abandoned, expired, hasRoom } = claimed
  return { messages, abandoned, expired, nextAt: null, worked: hasMoved(claimed), hasRoom, isOutdated: false }
}

const NOTHING = { messages: [], abandoned: [], expired: [], nextAt: null, worked: false, isOutdated: false }

async function claimDue(ports: Ports, request: ClaimRequest): Promise<ClaimDecision | 'outdated' | null> {
  const now = ports.clock.now()
  const claimId = ports.ids.next()
  const last: { decided: ClaimDecision | null; isOutdated: boolean } = { decided: null, isOutdated: false }
  try {
    await ports.db.transaction(async (tx) => {
      const [due, countries, revision] = await Promise.all([
        lockDueWithin(tx, request, { claimId, now }),
        listCountries(tx),
        // Behind the messages: a message is accepted by the routes of its time, and these must be known here, too.
        readRoutingRevision(tx),
      ])
      if (due.length === 0) return
      last.isOutdated = revision !== (request.routingRevision ?? revision)
      if (last.isOutdated) return
      const fieldsOf = request.wantsFields ? await loadCarrierFields(tx, idsOf(due)) : NO_FIELDS
      const decided = decideClaims(due, { rules: request, room: request.room, countries, fieldsOf, now })
      tx.finishWith(...storeDecisions(tx, ports, { decided, request, claimId, now }))
      last.decided = decided
    })
  } catch (fault) {
    const ids = last.decided?.messages.map((message) => message.id) ?? []
    // Nothing is on the wire yet, so a claim that is stored after all is worked on: left to lapse, its messages would be unknown
    // (D15) though no carrier ever saw them.
    await confirmStored(fault, async () => {
      const claims = ids.length > 0 ? await lockClaims(ports.db, ids) : []
      return claims.filter((it) => it.claimId === claimId).length === ids.length
    })
  }
  return last.isOutdated ? 'outdated' : last.decided
}

/** Some of what is locked may find no room, once it is known how long it is. */
async function lockDueWithin(
  tx: Tx,
  request: ClaimRequest,
  { claimId, now }: { claimId: string; now: Date },
): Promise<DueMessage[]> {
  const common = { afterWorkspaceId: request.behind ?? BEFORE_ALL_WORKSPACES, shuffle: claimId, now }
  const due = await Promise.all(
    planClaim(request.places, request.room).map((some) => lockDueMessages(tx, { ...common, ...some })),
  )
  return due.flat()
}

const NO_FIELDS: ReadonlyMap<string, CarrierFields> = new Map()

function idsOf(due: DueMessage[]): string[] {
  return due.map((message) => message.id)
}

function storeDecisions(
  tx: Tx,
  ports: Ports,
  { decided, request, claimId, now }: { decided: ClaimDecision; request: ClaimRequest; claimId: string; now: Date },
): Promise<unknown>[] {
  const { messages, transitions, deferred, done } = decided
  const leasedUntil = new Date(now.getTime() + request.leaseMs)
  const { carrierId } = request
  const submissions = messages.flatMap(({ id, submitting, source: { address: sender }, ...message }) => {
    const { ordinal, ofSegments, to, receipts, carrierCostE4 } = message
    const same = { messageId: id, ordinal, ofSegments, carrierId, to, sender, receipts, carrierCostE4 }
    return submitting.map((segment) => ({ ...same, segment }))
  })
  return [
    storeClaims(tx, { messageIds: messages.map((message) => message.id), claimId, leasedUntil }),
    insertSubmissions(tx, submissions, now),
    returnToQueue(tx, deferred),
    removeFromQueue(tx, done),
    ...storeChanges(tx, ports, { transitions, counterShard: 'answers', now }),
  ]
}
