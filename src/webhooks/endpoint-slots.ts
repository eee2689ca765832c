// Limits concurrent attempts: in all, per workspace, per endpoint and for retries (§6.4, D43).
import assert from 'node:assert/strict'

export type AttemptRank = 'first' | 'retry'

/** Attempts that may start: `first` in all, `retry` how many of them may be retries. */
export type FreeSlots = Record<AttemptRank, number>

interface ClaimRoom {
  inAll: FreeSlots
  /** For workspaces that are not in `workspaces`. */
  perWorkspace: FreeSlots
  workspaces: ReadonlyMap<string, FreeSlots>
  /** For endpoints that are not in `endpoints`. */
  perEndpoint: FreeSlots
  endpoints: ReadonlyMap<string, FreeSlots>
}

interface Endpoint {
  clientId: string
  workspaceId: string
}

interface EndpointState {
  workspaceId: string
  slots: number
  underWay: FreeSlots
  timeOutsInARow: number
  /** End of the last attempt. */
  idleSince: number
}

// An endpoint starts with few slots and gets more with every success. An unreachable endpoint therefore never holds many slots, and a
// start with a backlog does not dial hundreds of connections at once.
const SLOTS_AT_FIRST = 4
const TIME_OUTS_UNTIL_NARROW = 3
const RETRY_SHARE = 1 / 4

// A workspace never holds more slots than it leaves free, and an endpoint never more than it leaves to its workspace, so there is always
// room for another. The limits are computed once per claim; a claim therefore takes at most half of the free slots, and few for each
// workspace. Otherwise the first workspaces of a claim would take all slots.
const CLAIM_SHARE = 1 / 2
const CLAIM_SHARE_OF_WORKSPACE = 1 / 16

// Idle endpoints keep their number of slots for this long.
const REMEMBERED_MS = 60_000
const MAX_REMEMBERED = 500

export class EndpointSlots {
  readonly #slotsInAll: number
  readonly #slotsPerEndpoint: number
  readonly #now: () => number
  readonly #underWay: FreeSlots = { first: 0, retry: 0 }
  // Only workspaces with running attempts.
  readonly #workspaces = new Map<string, FreeSlots>()
  // By client; idle endpoints in the order in which they became idle.
  readonly #endpoints = new Map<string, EndpointState>()

  constructor({ slotsInAll = 500, slotsPerEndpoint = 20, now = () => performance.now() } = {}) {
    this.#slotsInAll = slotsInAll
    this.#slotsPerEndpoint = slotsPerEndpoint
    this.#now = now
  }

  room(): ClaimRoom {
    this.#forgetIdle()
    const inAll = roomOf(this.#slotsInAll, this.#underWay)
    const nothing = none()
    const free = (workspaceId: string) => fairRoom(inAll, this.#workspaces.get(workspaceId) ?? nothing)
    const endpoints = Array.from(
      this.#endpoints,
      ([clientId, { workspaceId, slots, underWay }]): [string, FreeSlots] => [
        clientId,
        lesser(roomOf(slots, underWay), fairRoom(free(workspaceId), underWay)),
      ],
    )
    const atOnce = (room: FreeSlots) => lesser(room, shareOf(inAll, CLAIM_SHARE_OF_WORKSPACE))
    return {
      inAll: shareOf(inAll, CLAIM_SHARE),
      perWorkspace: atOnce(fairRoom(inAll, nothing)),
      workspaces: new Map(Array.from(this.#workspaces.keys(), (id) => [id, atOnce(free(id))])),
      perEndpoint: roomOf(SLOTS_AT_FIRST, nothing),
      endpoints: new Map(endpoints),
    }
  }

  take({ clientId, workspaceId }: Endpoint, rank: AttemptRank): void {
    // The slots of an endpoint or workspace may have shrunk since the claim; the slots in all never shrink.
    assert(roomOf(this.#slotsInAll, this.#underWay)[rank] > 0, 'claimed more attempts than there was room for')
    const endpoint = this.#endpoints.getOrInsertComputed(clientId, () => newEndpoint(workspaceId))
    for (const underWay of [this.#underWay, this.#workspaces.getOrInsert(workspaceId, none()), endpoint.underWay])
      underWay[rank] += 1
  }

  release({ clientId, workspaceId }: Endpoint, rank: AttemptRank, end: 'succeeded' | 'timedOut' | 'failed'): void {
    const endpoint = this.#endpoints.get(clientId)
    const workspace = this.#workspaces.get(workspaceId)
    assert(endpoint && workspace && endpoint.underWay[rank] > 0, 'a slot is released once, and only after it was taken')
    for (const underWay of [this.#underWay, workspace, endpoint.underWay]) underWay[rank] -= 1
    if (isEmpty(workspace)) this.#workspaces.delete(workspaceId)
    endpoint.timeOutsInARow = end === 'timedOut' ? endpoint.timeOutsInARow + 1 : 0
    if (endpoint.timeOutsInARow >= TIME_OUTS_UNTIL_NARROW) endpoint.slots = 1
    if (end === 'succeeded') endpoint.slots = Math.min(endpoint.slots * 2, this.#slotsPerEndpoint)
    if (isEmpty(endpoint.underWay)) this.#rest(clientId, endpoint)
  }

  #rest(clientId: string, endpoint: EndpointState): void {
    endpoint.idleSince = this.#now()
    this.#endpoints.delete(clientId)
    this.#endpoints.set(clientId, endpoint)
  }

  #forgetIdle(): void {
    const before = this.#now() - REMEMBERED_MS
    for (const [clientId, { underWay, idleSince }] of this.#endpoints) {
      if (!isEmpty(underWay)) continue
      if (idleSince > before && this.#endpoints.size <= MAX_REMEMBERED) return
      this.#endpoints.delete(clientId)
    }
  }
}

function newEndpoint(workspaceId: string): EndpointState {
  return { workspaceId, slots: SLOTS_AT_FIRST, underWay: none(), timeOutsInARow: 0, idleSince: 0 }
}

function none(): FreeSlots {
  return { first: 0, retry: 0 }
}

function isEmpty({ first, retry }: FreeSlots): boolean {
  return first + retry === 0
}

function shareOf({ first, retry }: FreeSlots, share: number): FreeSlots {
  return { first: Math.ceil(first * share), retry: Math.ceil(retry * share) }
}

function lesser(one: FreeSlots, other: FreeSlots): FreeSlots {
  return { first: Math.min(one.first, other.first), retry: Math.min(one.retry, other.retry) }
}

function roomOf(slots: number, underWay: FreeSlots): FreeSlots {
  // After a reduction, an endpoint may have more running attempts than slots.
  const free = Math.max(0, slots - underWay.first - underWay.retry)
  const retrySlots = Math.max(1, Math.floor(slots * RETRY_SHARE))
  return { first: free, retry: Math.max(0, Math.min(free, retrySlots - underWay.retry)) }
}

/** Slots that may be claimed so that one workspace or endpoint never holds more slots than stay free. */
function fairRoom(free: FreeSlots, underWay: FreeSlots): FreeSlots {
  const half = (count: number, held: number) => Math.max(0, Math.ceil((count - held) / 2))
  return { first: half(free.first, underWay.first + underWay.retry), retry: half(free.retry, underWay.retry) }
}
