// How many postings may be under way: in all, per receiver, and for retries. One slow receiver must not hold up the
// others, nor an old backlog today's events (§6.4). Waiting for a slot uses up no posting.
import assert from 'node:assert/strict'

export type PostingRank = 'first' | 'retry'

/** How many postings more may start: `first` counts all of them, `retry` how many of those may be retries. */
export type Room = Record<PostingRank, number>

export interface ClaimRoom {
  inAll: Room
  /** For every receiver that is not in `exceptions`. */
  perReceiver: Room
  exceptions: ReadonlyMap<string, Room>
}

interface Lane {
  slots: number
  underWay: Room
  timeOutsInARow: number
}

// A receiver begins with few slots and earns more with every success. So a dead one never holds many, and a start with much
// to do does not dial hundreds of connections at once, each on the clock of its own posting.
const SLOTS_AT_FIRST = 4
const TIME_OUTS_UNTIL_NARROW = 3
const RETRY_SHARE = 1 / 4

export class ReceiverSlots {
  readonly #slotsPerReceiver: number
  readonly #all: Lane
  // Only receivers with something under way, or that must not begin anew.
  readonly #lanes = new Map<string, Lane>()

  constructor({ slotsInAll = 500, slotsPerReceiver = 20 } = {}) {
    this.#slotsPerReceiver = slotsPerReceiver
    this.#all = emptyLane(slotsInAll)
  }

  room(): ClaimRoom {
    return {
      inAll: roomOf(this.#all),
      perReceiver: roomOf(emptyLane(SLOTS_AT_FIRST)),
      exceptions: new Map(Array.from(this.#lanes, ([receiverId, lane]) => [receiverId, roomOf(lane)])),
    }
  }

  take(receiverId: string, rank: PostingRank): void {
    const lane = this.#lanes.get(receiverId) ?? emptyLane(SLOTS_AT_FIRST)
    // Of the receiver's own slots there may be fewer by now than when the claim was made; those in all never shrink.
    assert(roomOf(this.#all)[rank] > 0, 'more was claimed than there was room for')
    this.#lanes.set(receiverId, lane)
    this.#all.underWay[rank] += 1
    lane.underWay[rank] += 1
  }

  giveBack(receiverId: string, rank: PostingRank, end: 'succeeded' | 'timedOut' | 'failed'): void {
    const lane = this.#lanes.get(receiverId)
    assert(lane && lane.underWay[rank] > 0, 'a slot is given back once, by the one who took it')
    this.#all.underWay[rank] -= 1
    lane.underWay[rank] -= 1
    lane.timeOutsInARow = end === 'timedOut' ? lane.timeOutsInARow + 1 : 0
    if (lane.timeOutsInARow >= TIME_OUTS_UNTIL_NARROW) lane.slots = 1
    if (end === 'succeeded') lane.slots = Math.min(lane.slots * 2, this.#slotsPerReceiver)
    if (mayBeginAnew(lane)) this.#lanes.delete(receiverId)
  }
}

function mayBeginAnew({ slots, underWay, timeOutsInARow }: Lane): boolean {
  return slots >= SLOTS_AT_FIRST && timeOutsInARow === 0 && underWay.first + underWay.retry === 0
}

function emptyLane(slots: number): Lane {
  return { slots, underWay: { first: 0, retry: 0 }, timeOutsInARow: 0 }
}

function roomOf({ slots, underWay }: Lane): Room {
  // A lane that was narrowed may have more under way than it has slots now.
  const free = Math.max(0, slots - underWay.first - underWay.retry)
  const retrySlots = Math.max(1, Math.floor(slots * RETRY_SHARE))
  return { first: free, retry: Math.max(0, Math.min(free, retrySlots - underWay.retry)) }
}
