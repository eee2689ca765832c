// Claimed deliveries that wait for a slot, and the limits of claims and concurrent attempts: in all, per workspace, per endpoint and for
// retries (§6.4, D43). A delivery holds a place from its claim to its end, and a slot while its attempt runs.
import assert from 'node:assert/strict'
import { countBy } from '../runtime/count-by.ts'
import type { ClaimLimits } from '../store/webhooks/webhook-queue.ts'
import {
  type AttemptEnd,
  type AttemptRank,
  adaptSlots,
  type ByRank,
  capacityOf,
  fairShare,
  freeOf,
  SLOTS_AT_FIRST,
  totalOf,
  zeroByRank,
} from './slot-limits.ts'
import { type Endpoint, isWaiting, newEndpoint, newUse, newWorkspace, type Workspace } from './slot-use.ts'

interface Addressed {
  clientId: string
  workspaceId: string
}

/** The most that a claim may bring: in all, for each workspace, and for each endpoint. */
export interface ClaimPlan {
  limit: number
  workspaces: ClaimLimits
  endpoints: ClaimLimits
}

export interface StartedDelivery<Delivery> {
  delivery: Delivery
  rank: AttemptRank
}

interface StartRules<Delivery> {
  /** Whether the endpoint of the client may be used now. */
  isReady: (clientId: string) => boolean
  /** Whether a delivery has waited too long. */
  isExpired: (delivery: Delivery) => boolean
}

interface Start<Delivery> {
  started: StartedDelivery<Delivery>[]
  /** Removed, because they waited too long. */
  expired: Delivery[]
  /** Clients with a free slot whose endpoint is not ready. */
  unready: string[]
}

const RANKS = ['first', 'retry'] as const

// A workspace never holds more than it leaves free, and an endpoint never more than it leaves to its workspace, so there is always room
// for another. Workspaces come one after the other; a claim or start therefore takes only a part of what is free, and little for each
// workspace. Otherwise the first workspaces would take everything.
const CLAIM_SHARE = 1 / 2
/** Of free slots, for a workspace without an endpoint that has succeeded. */
const SHARE_OF_NEW = 1 / 16
/** Of free places, for other workspaces. */
const SHARE_OF_PROVEN = 1 / 8

/** A claim costs about the same for one delivery and for a hundred. While others wait, it asks for this many of an endpoint, or for none. */
const MIN_CLAIM = 100
/** After a claim that the limit of a workspace or of all reached, the next one follows when this many deliveries have ended. */
const ENDED_UNTIL_CLAIM = 16

// Idle endpoints keep their number of slots for this long.
const REMEMBERED_MS = 60_000
const MAX_REMEMBERED = 500

export class EndpointSlots<Delivery extends Addressed> {
  readonly #slotsInAll: number
  readonly #placesInAll: number
  readonly #now: () => number
  readonly #inAll = newUse()
  /** Only workspaces that hold deliveries. */
  readonly #workspaces = new Map<string, Workspace<Delivery>>()
  /** By client; idle endpoints in the order in which they became idle. */
  readonly #endpoints = new Map<string, Endpoint<Delivery>>()
  /** Workspaces with waiting deliveries, in the order of their turns. */
  readonly #inTurn = new Set<Workspace<Delivery>>()
  /** The last claim of the rank reached the limit of a workspace or of all. */
  readonly #isCut: Record<AttemptRank, boolean> = { first: false, retry: false }
  /** Deliveries that ended since the last claim. */
  #ended = 0

  constructor({ slotsInAll = 500, aheadInAll = 2_000, now = () => performance.now() } = {}) {
    this.#slotsInAll = slotsInAll
    this.#placesInAll = slotsInAll + aheadInAll
    this.#now = now
  }

  get running(): number {
    return totalOf(this.#inAll.running)
  }

  /** Running and waiting. */
  get held(): number {
    return totalOf(this.#inAll.held)
  }

  planClaim(rank: AttemptRank): ClaimPlan {
    this.#forgetIdle()
    this.#ended = 0
    const places = this.#freePlaces(rank)
    const slots = freeOf(rank, this.#slotsInAll, this.#inAll.running)
    const ofWorkspace = (held: ByRank, isProven: boolean) =>
      Math.min(fairShare(rank, places, held), Math.ceil(isProven ? places * SHARE_OF_PROVEN : slots * SHARE_OF_NEW))
    const workspaces: ClaimLimits = { usual: ofWorkspace(zeroByRank(), false), named: new Map() }
    const endpoints: ClaimLimits = { usual: freeOf(rank, SLOTS_AT_FIRST, zeroByRank()), named: new Map() }
    const proven = new Set<string>()
    for (const [id, endpoint] of this.#endpoints) {
      const limit = this.#worthwhilePlaces(rank, endpoint)
      if (limit !== endpoints.usual) endpoints.named.set(id, limit)
      if (endpoint.slots > SLOTS_AT_FIRST) proven.add(endpoint.workspace.id)
    }
    for (const id of new Set([...this.#workspaces.keys(), ...proven]))
      workspaces.named.set(id, ofWorkspace(this.#workspaces.get(id)?.held ?? zeroByRank(), proven.has(id)))
    return { limit: Math.ceil(places * CLAIM_SHARE), workspaces, endpoints }
  }

  /** Adds the deliveries of a claim with these limits. Returns whether another claim may bring more now. */
  add(rank: AttemptRank, deliveries: readonly Delivery[], { limit, workspaces, endpoints }: ClaimPlan): boolean {
    for (const delivery of deliveries) {
      const { clientId, workspaceId } = delivery
      const workspace = this.#workspaces.getOrInsertComputed(workspaceId, newWorkspace<Delivery>)
      const endpoint = this.#endpoints.getOrInsertComputed(clientId, () => newEndpoint(clientId, workspace))
      // The workspace of an idle endpoint was forgotten.
      endpoint.workspace = workspace
      endpoint.waiting[rank].push(delivery)
      workspace.inTurn.add(endpoint)
      this.#inTurn.add(workspace)
      for (const { held } of [this.#inAll, workspace, endpoint]) held[rank] += 1
    }
    const ofEndpoint = countBy(deliveries, (it) => it.clientId)
    for (const [id, { isCut }] of this.#endpoints) isCut[rank] = (ofEndpoint.get(id) ?? 0) >= limitOf(endpoints, id)
    const ofWorkspace = countBy(deliveries, (it) => it.workspaceId)
    const isFull = [...this.#workspaces.keys()].some((id) => (ofWorkspace.get(id) ?? 0) >= limitOf(workspaces, id))
    this.#isCut[rank] = deliveries.length >= limit || workspaces.usual === 0 || isFull
    if (deliveries.length === 0) return false
    return this.#isCut[rank] || [...this.#endpoints.values()].some((it) => this.#wantsClaim(rank, it))
  }

  /** Takes slots for some waiting deliveries: workspaces take turns, then their endpoints. Nothing is left to start if none is started. */
  start({ isReady, isExpired }: StartRules<Delivery>): Start<Delivery> {
    const start: Start<Delivery> = { started: [], expired: this.#removeExpired(isExpired), unready: [] }
    // An endpoint without a slot gets none in the same call.
    let queues = Array.from(this.#inTurn, ({ inTurn }) => [...inTurn])
    const free = freeOf('first', this.#slotsInAll, this.#inAll.running)
    for (let left = Math.ceil(free * SHARE_OF_NEW); left > 0 && queues.length > 0; left -= 1) {
      queues = queues.filter((endpoints) => {
        for (let endpoint = endpoints.shift(); endpoint; endpoint = endpoints.shift()) {
          const rank = this.#nextRank(endpoint)
          if (rank === undefined) continue
          if (!isReady(endpoint.clientId)) {
            start.unready.push(endpoint.clientId)
            continue
          }
          start.started.push({ delivery: this.#take(endpoint, rank), rank })
          if (isWaiting(endpoint)) endpoints.push(endpoint)
          break
        }
        return endpoints.length > 0
      })
    }
    return start
  }

  /** Ends a started delivery. Returns whether a claim may bring more now. */
  release({ delivery, rank }: StartedDelivery<Delivery>, end: AttemptEnd, milliseconds = 0): boolean {
    const endpoint = this.#endpoints.get(delivery.clientId)
    assert(endpoint && endpoint.running[rank] > 0, 'a slot is released once, and only after it was taken')
    for (const { running } of [this.#inAll, endpoint.workspace, endpoint]) running[rank] -= 1
    if (end !== 'withdrawn') adaptSlots(endpoint, end, milliseconds)
    this.#end(endpoint, rank)
    const nothingWaits = this.held === this.running
    const isEnough = nothingWaits || this.#ended >= ENDED_UNTIL_CLAIM
    return RANKS.some((it) => (this.#isCut[it] && isEnough) || this.#wantsClaim(it, endpoint))
  }

  /** Removes all waiting deliveries. */
  takeWaiting(): Delivery[] {
    return this.#removeExpired(() => true)
  }

  /** The deliveries of an endpoint are in the order of their claims, so only the first ones can have waited too long. */
  #removeExpired(isExpired: (delivery: Delivery) => boolean): Delivery[] {
    const removed: Delivery[] = []
    for (const endpoint of [...this.#inTurn].flatMap(({ inTurn }) => [...inTurn])) {
      for (const rank of RANKS) {
        const waiting = endpoint.waiting[rank]
        const left = waiting.findIndex((delivery) => !isExpired(delivery))
        const expired = waiting.splice(0, left < 0 ? waiting.length : left)
        for (const _ of expired) this.#end(endpoint, rank)
        removed.push(...expired)
      }
      this.#endTurn(endpoint)
    }
    return removed
  }

  /** The rank of the endpoint's next attempt, if it has a slot. Both ranks take turns. */
  #nextRank(endpoint: Endpoint<Delivery>): AttemptRank | undefined {
    const ranks = endpoint.lastStarted === 'first' ? RANKS.toReversed() : RANKS
    return ranks.find((rank) => endpoint.waiting[rank].length > 0 && this.#hasSlot(rank, endpoint))
  }

  #take(endpoint: Endpoint<Delivery>, rank: AttemptRank): Delivery {
    const delivery = endpoint.waiting[rank].shift()
    assert(delivery)
    for (const { running } of [this.#inAll, endpoint.workspace, endpoint]) running[rank] += 1
    endpoint.lastStarted = rank
    this.#endTurn(endpoint)
    return delivery
  }

  /** The endpoint and its workspace are the last in turn, as far as they have waiting deliveries. */
  #endTurn(endpoint: Endpoint<Delivery>): void {
    const { workspace } = endpoint
    workspace.inTurn.delete(endpoint)
    if (isWaiting(endpoint)) workspace.inTurn.add(endpoint)
    this.#inTurn.delete(workspace)
    if (workspace.inTurn.size > 0) this.#inTurn.add(workspace)
  }

  #freePlaces(rank: AttemptRank): number {
    return freeOf(rank, this.#placesInAll, this.#inAll.held)
  }

  /** The free places of an endpoint; none if others of the rank wait and a claim could bring only a few. */
  #worthwhilePlaces(rank: AttemptRank, endpoint: Endpoint<Delivery>): number {
    const { workspace, held, running } = endpoint
    const capacity = capacityOf(endpoint)
    const ofWorkspace = fairShare(rank, this.#freePlaces(rank), workspace.held)
    const places = Math.min(freeOf(rank, capacity, held), fairShare(rank, ofWorkspace, held))
    const min = Math.min(MIN_CLAIM, freeOf(rank, capacity, zeroByRank()) / 4)
    return places >= min || held[rank] === running[rank] ? places : 0
  }

  #wantsClaim(rank: AttemptRank, endpoint: Endpoint<Delivery>): boolean {
    return endpoint.isCut[rank] && this.#worthwhilePlaces(rank, endpoint) > 0
  }

  #hasSlot(rank: AttemptRank, { running, workspace, slots }: Endpoint<Delivery>): boolean {
    const inAll = freeOf(rank, this.#slotsInAll, this.#inAll.running)
    const ofWorkspace = fairShare(rank, inAll, workspace.running)
    return freeOf(rank, slots, running) > 0 && fairShare(rank, ofWorkspace, running) > 0
  }

  /** Frees the place of a delivery. */
  #end(endpoint: Endpoint<Delivery>, rank: AttemptRank): void {
    const { workspace, clientId } = endpoint
    for (const { held } of [this.#inAll, workspace, endpoint]) held[rank] -= 1
    this.#ended += 1
    if (totalOf(workspace.held) === 0) this.#workspaces.delete(workspace.id)
    if (totalOf(endpoint.held) > 0) return
    endpoint.idleSince = this.#now()
    this.#endpoints.delete(clientId)
    this.#endpoints.set(clientId, endpoint)
  }

  #forgetIdle(): void {
    const before = this.#now() - REMEMBERED_MS
    for (const [clientId, { held, idleSince }] of this.#endpoints) {
      if (totalOf(held) > 0) continue
      if (idleSince > before && this.#endpoints.size <= MAX_REMEMBERED) return
      this.#endpoints.delete(clientId)
    }
  }
}

function limitOf({ usual, named }: ClaimLimits, id: string): number {
  return named.get(id) ?? usual
}
