// Claims the next messages for a carrier and stores the claim before any is sent, in two round trips to the database.
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
import { NIL_UUID } from '../../domain/uuid.ts'
import { listCountries } from '../../store/carriers/countries.ts'
import { CommitUnknown, type Tx } from '../../store/database/db.ts'
import { loadCarrierFields, lockDueMessages } from '../../store/messages/claiming.ts'
import { deleteClaims, insertClaim, lockClaims } from '../../store/messages/claims.ts'
import {
  findNextDueTime,
  insertQueueRows,
  type QueueRow,
  type RowKey,
  removeFromQueue,
  waitForRows,
} from '../../store/messages/delivery-queue.ts'
import { readRoutingRevision } from '../../store/service/service.ts'
import { confirmStored } from '../confirm-stored.ts'
import type { Ports } from '../ports.ts'
import { returnMessages, storeChanges } from './progress.ts'

interface ClaimRequest extends ClaimRules {
  claimId: string
  carrierId: string
  /** Places to claim from, in order. */
  places: QueueGroup[]
  /** The workspace that was served last; the workspaces after it are next (D43). */
  behind: string | null
  room: Room
  leaseMs: number
  /** Revision of the routes that assign these places to the carrier; not checked if absent. */
  routingRevision?: number
}

export interface Claimed {
  messages: ClaimedMessage[]
  /** Messages past their validity. */
  expired: string[]
  /** When the next message is due; only if nothing was claimed. */
  nextAt: Date | null
  /** The queue has changed, for example a message was deferred. */
  worked: boolean
  /** The carrier has room for more messages that are not OTPs. */
  hasRoom: boolean
  /** Routes have changed, so nothing was claimed: the places may belong to another carrier. */
  isOutdated: boolean
}

/** A claim whose COMMIT could not be confirmed, and the queue rows that its transaction has locked. */
interface UnconfirmedClaim {
  id: string
  rows: RowKey[]
}

/** Claims for one carrier. A claim that could not be confirmed is released before the next one: nothing of it was sent. */
export class Claimer {
  readonly #ports: Ports
  #unconfirmed: UnconfirmedClaim[] = []

  constructor(ports: Ports) {
    this.#ports = ports
  }

  async claim(request: ClaimRequest): Promise<Claimed> {
    await this.release()
    const rows: RowKey[] = []
    try {
      return await claimMessages(this.#ports, request, rows)
    } catch (error) {
      if (error instanceof CommitUnknown) this.#unconfirmed.push({ id: request.claimId, rows })
      throw error
    }
  }

  /** Returns the messages of unconfirmed claims to the queue, if these claims are stored. */
  async release(): Promise<void> {
    for (const claim of [...this.#unconfirmed]) {
      await releaseClaim(this.#ports, claim)
      this.#unconfirmed.splice(this.#unconfirmed.indexOf(claim), 1)
    }
  }
}

async function releaseClaim(ports: Ports, { id, rows }: UnconfirmedClaim): Promise<void> {
  const now = ports.clock.now()
  await ports.db.transaction(async (tx) => {
    await waitForRows(tx, rows)
    const messageIds = (await lockClaims(tx, [id])).get(id) ?? []
    await returnMessages(tx, {
      returns: messageIds.map((messageId) => ({ messageId, dueAt: now, avoidCarrierId: null })),
      now,
    })
    await deleteClaims(tx, [id])
  })
  ports.notifications.notify('delivery')
}

/** Adds the keys of the locked queue rows to `lockedRows` before the COMMIT. */
export async function claimMessages(ports: Ports, request: ClaimRequest, lockedRows: RowKey[] = []): Promise<Claimed> {
  const { places, room } = request
  const nothing = { ...NOTHING, hasRoom: room.availableFor('transactional') > 0 }
  // Without room, the next answer triggers another claim.
  if (planClaim(places, room).length === 0) return nothing
  const claimed = await claimDue(ports, request, lockedRows)
  if (claimed === 'outdated') return { ...nothing, isOutdated: true }
  if (!claimed) return { ...nothing, nextAt: await findNextDueTime(ports.db, places) }
  if (claimed.transitions.some((it) => it.announces)) ports.notifications.notify('webhooks')
  const { messages, expired, hasRoom } = claimed
  return { messages, expired, nextAt: null, worked: hasMoved(claimed), hasRoom, isOutdated: false }
}

const NOTHING = { messages: [], expired: [], nextAt: null, worked: false, isOutdated: false }

async function claimDue(
  ports: Ports,
  request: ClaimRequest,
  lockedRows: RowKey[],
): Promise<ClaimDecision | 'outdated' | null> {
  const { claimId } = request
  const now = ports.clock.now()
  const last: { decided: ClaimDecision | null; isOutdated: boolean } = { decided: null, isOutdated: false }
  try {
    await ports.db.transaction(async (tx) => {
      const [due, countries, revision] = await Promise.all([
        lockDueWithin(tx, request, { claimId, now }),
        listCountries(tx),
        // Read after the messages, so that the revision is at least that of their acceptance.
        readRoutingRevision(tx),
      ])
      if (due.length === 0) return
      last.isOutdated = revision !== (request.routingRevision ?? revision)
      if (last.isOutdated) return
      const fieldsOf = request.wantsFields ? await loadCarrierFields(tx, idsOf(due)) : NO_FIELDS
      lockedRows.push(...rowsOf(due))
      const decided = decideClaims(due, { rules: request, room: request.room, countries, fieldsOf, now })
      tx.finishWith(...storeDecisions(tx, ports, { decided, request, claimId, now }))
      last.decided = decided
    })
  } catch (error) {
    // Nothing is sent yet, so a stored claim is used. If it lapsed, its messages would count as unknown (D15).
    const isClaim = (last.decided?.messages.length ?? 0) > 0
    await confirmStored(error, async () => {
      if (!isClaim) return true
      // The new claim is invisible until its COMMIT has ended; the queue rows are locked until then.
      await waitForRows(ports.db, lockedRows)
      return (await lockClaims(ports.db, [claimId])).has(claimId)
    })
  }
  return last.isOutdated ? 'outdated' : last.decided
}

/** May lock more than fits, because the number of segments is known only afterwards. */
async function lockDueWithin(
  tx: Tx,
  request: ClaimRequest,
  { claimId, now }: { claimId: string; now: Date },
): Promise<DueMessage[]> {
  const common = { afterWorkspaceId: request.behind ?? NIL_UUID, shuffle: claimId, now }
  const due = await Promise.all(
    planClaim(request.places, request.room).map((some) => lockDueMessages(tx, { ...common, ...some })),
  )
  return due.flat()
}

const NO_FIELDS: ReadonlyMap<string, CarrierFields> = new Map()

function rowsOf(due: DueMessage[]): RowKey[] {
  const rows = due.map(({ firstMessageId, place: { priority } }) => ({ priority, firstMessageId }))
  return [...new Map(rows.map((row) => [row.firstMessageId, row])).values()]
}

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
  const { carrierId, receipts } = request
  const leaving = [...messages, ...done, ...deferred.map((it) => it.message)]
  return [
    insertClaim(tx, { id: claimId, carrierId, receipts, messages, claimedAt: now, leasedUntil }),
    removeFromQueue(
      tx,
      leaving.map(({ id, firstMessageId, place }) => ({ messageId: id, firstMessageId, priority: place.priority })),
    ),
    insertQueueRows(tx, deferred.map(toQueueRow)),
    ...storeChanges(tx, ports, { transitions, counterShard: 'answers', now }),
  ]
}

function toQueueRow({ message, dueAt }: ClaimDecision['deferred'][number]): QueueRow {
  const { id, place, workspaceId, clientId, attempts } = message
  return { ...place, workspaceId, clientId, dueAt, attempts, messageIds: [id] }
}
