// How many postings may be under way: in all, per workspace, per receiver, and for retries. One slow receiver must not hold up the
// others, nor one workspace with many of them its neighbours, nor an old backlog today's events (§6.4, D43). Waiting for a slot
// uses up no posting.
import assert from 'node:assert/strict'

export type PostingRank = 'first' | 'retry'

/** How many postings more may start: `first` counts all of them, `retry` how many of those may be retries. */
export type FreeSlots = Record<PostingRank, number>

interface ClaimRoom {
  inAll: FreeSlots
  /** For every workspace that is not in `workspaces`. */
  perWorkspace: FreeSlots
  workspaces: ReadonlyMap<string, FreeSlots>
  /** For every receiver that is not in `receivers`. */
  perReceiver: FreeSlots
  receivers: ReadonlyMap<string, FreeSlots>
}

interface Receiver {
  clientId: string
  workspaceId: string
}

interface ReceiverState {
  workspaceId: string
  slots: number
  underWay: FreeSlots
  timeOutsInARow: number
  /** Since when nothing is under way. */
  idleSince: number
}

// A receiver begins with few slots and earns more with every success. So a dead one never holds many, and a start with much
// to do does not dial hundreds of connections at once, each on the clock of its own posting.
const SLOTS_AT_FIRST = 4
const TIME_OUTS_UNTIL_NARROW = 3
const RETRY_SHARE = 1 / 4

// No workspace holds more slots than it leaves free, and no receiver more than it leaves to its workspace: one alone gets half,
// many get less each, and there is always some room left for whoever comes next. That is reckoned before a claim and holds
// throughout it; so a claim takes half of what is free at most, and little for any one workspace, else those that it comes to
// first would have taken all by the end of it.
const CLAIM_SHARE = 1 / 2
const CLAIM_SHARE_OF_WORKSPACE = 1 / 16

// What a receiver has earned, or lost, outlasts a pause.
const REMEMBERED_MS = 60_000
const MOST_REMEMBERED = 500

export class ReceiverSlots {
  readonly #slotsInAll: number
  readonly #slotsPerReceiver: number
  readonly #now: () => number
  readonly #underWay: FreeSlots = { first: 0, retry: 0 }
  // Only workspaces with something under way.
  readonly #workspaces = new Map<string, FreeSlots>()
  // By client; those with nothing under way in the order in which they became idle.
  readonly #receivers = new Map<string, ReceiverState>()

  constructor({ slotsInAll = 500, slotsPerReceiver = 20, now = () => performance.now() } = {}) {
    this.#slotsInAll = slotsInAll
    this.#slotsPerReceiver = slotsPerReceiver
    this.#now = now
  }

  room(): ClaimRoom {
    this.#forgetIdle()
    const inAll = roomOf(this.#slotsInAll, this.#underWay)
    const nothing = none()
    const free = (workspaceId: string) => fairRoom(inAll, this.#workspaces.get(workspaceId) ?? nothing)
    const receivers = Array.from(
      this.#receivers,
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
      perReceiver: roomOf(SLOTS_AT_FIRST, nothing),
      receivers: new Map(receivers),
    }
  }

  take({ clientId, workspaceId }: Receiver, rank: PostingRank): void {
    // Of a receiver's or a workspace's own slots there may be fewer by now than when the claim was made; those in all never shrink.
    assert(roomOf(this.#slotsInAll, this.#underWay)[rank] > 0, 'more was claimed than there was room for')
    const receiver = this.#receivers.getOrInsertComputed(clientId, () => newReceiver(workspaceId))
    for (const underWay of [this.#underWay, this.#workspaces.getOrInsert(workspaceId, none()), receiver.underWay])
      underWay[rank] += 1
  }

  giveBack({ clientId, workspaceId }: Receiver, rank: PostingRank, end: 'succeeded' | 'timedOut' | 'failed'): void {
    const receiver = this.#receivers.get(clientId)
    const workspace = this.#workspaces.get(workspaceId)
    assert(receiver && workspace && receiver.underWay[rank] > 0, 'a slot is given back once, by the one who took it')
    for (const underWay of [this.#underWay, workspace, receiver.underWay]) underWay[rank] -= 1
    if (isEmpty(workspace)) this.#workspaces.delete(workspaceId)
    receiver.timeOutsInARow = end === 'timedOut' ? receiver.timeOutsInARow + 1 : 0
    if (receiver.timeOutsInARow >= TIME_OUTS_UNTIL_NARROW) receiver.slots = 1
    if (end === 'succeeded') receiver.slots = Math.min(receiver.slots * 2, this.#slotsPerReceiver)
    if (isEmpty(receiver.underWay)) this.#rest(clientId, receiver)
  }

  #rest(clientId: string, receiver: ReceiverState): void {
    receiver.idleSince = this.#now()
    this.#receivers.delete(clientId)
    this.#receivers.set(clientId, receiver)
  }

  #forgetIdle(): void {
    const before = this.#now() - REMEMBERED_MS
    for (const [clientId, { underWay, idleSince }] of this.#receivers) {
      if (!isEmpty(underWay)) continue
      if (idleSince > before && this.#receivers.size <= MOST_REMEMBERED) return
      this.#receivers.delete(clientId)
    }
  }
}

function newReceiver(workspaceId: string): ReceiverState {
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
  // A receiver that was narrowed may have more under way than it has slots now.
  const free = Math.max(0, slots - underWay.first - underWay.retry)
  const retrySlots = Math.max(1, Math.floor(slots * RETRY_SHARE))
  return { first: free, retry: Math.max(0, Math.min(free, retrySlots - underWay.retry)) }
}

/** How many more of what is free to somebody may be taken, so that no more is held than stays free. */
function fairRoom(free: FreeSlots, underWay: FreeSlots): FreeSlots {
  const half = (count: number, held: number) => Math.max(0, Math.ceil((count - held) / 2))
  return { first: half(free.first, underWay.first + underWay.retry), retry: half(free.retry, underWay.retry) }
}
