// Limits concurrent attempts: in all, per workspace, per receiver and for retries (§6.4, D43).
import assert from 'node:assert/strict'

export type AttemptRank = 'first' | 'retry'

/** Attempts that may start: `first` in all, `retry` how many of them may be retries. */
export type FreeSlots = Record<AttemptRank, number>

interface ClaimRoom {
  inAll: FreeSlots
  /** For workspaces that are not in `workspaces`. */
  perWorkspace: FreeSlots
  workspaces: ReadonlyMap<string, FreeSlots>
  /** For receivers that are not in `receivers`. */
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
  /** End of the last attempt. */
  idleSince: number
}

// A receiver starts with few slots and gets more with every success. An unreachable receiver therefore never holds many slots, and a
// start with a backlog does not dial hundreds of connections at once.
const SLOTS_AT_FIRST = 4
const TIME_OUTS_UNTIL_NARROW = 3
const RETRY_SHARE = 1 / 4

// A workspace never holds more slots than it leaves free, and a receiver never more than it leaves to its workspace, so there is always
// room for another. The limits are computed once per claim; a claim therefore takes at most half of the free slots, and few for each
// workspace. Otherwise the first workspaces of a claim would take all slots.
const CLAIM_SHARE = 1 / 2
const CLAIM_SHARE_OF_WORKSPACE = 1 / 16

// Idle receivers keep their number of slots for this long.
const REMEMBERED_MS = 60_000
const MAX_REMEMBERED = 500

export class ReceiverSlots {
  readonly #slotsInAll: number
  readonly #slotsPerReceiver: number
  readonly #now: () => number
  readonly #underWay: FreeSlots = { first: 0, retry: 0 }
  // Only workspaces with running attempts.
  readonly #workspaces = new Map<string, FreeSlots>()
  // By client; idle receivers in the order in which they became idle.
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

  take({ clientId, workspaceId }: Receiver, rank: AttemptRank): void {
    // The slots of a receiver or workspace may have shrunk since the claim; the slots in all never shrink.
    assert(roomOf(this.#slotsInAll, this.#underWay)[rank] > 0, 'claimed more attempts than there was room for')
    const receiver = this.#receivers.getOrInsertComputed(clientId, () => newReceiver(workspaceId))
    for (const underWay of [this.#underWay, this.#workspaces.getOrInsert(workspaceId, none()), receiver.underWay])
      underWay[rank] += 1
  }

  release({ clientId, workspaceId }: Receiver, rank: AttemptRank, end: 'succeeded' | 'timedOut' | 'failed'): void {
    const receiver = this.#receivers.get(clientId)
    const workspace = this.#workspaces.get(workspaceId)
    assert(receiver && workspace && receiver.underWay[rank] > 0, 'a slot is released once, and only after it was taken')
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
      if (idleSince > before && this.#receivers.size <= MAX_REMEMBERED) return
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
  // After a reduction, a receiver may have more running attempts than slots.
  const free = Math.max(0, slots - underWay.first - underWay.retry)
  const retrySlots = Math.max(1, Math.floor(slots * RETRY_SHARE))
  return { first: free, retry: Math.max(0, Math.min(free, retrySlots - underWay.retry)) }
}

/** How many of the free slots may be taken so that the processId has no more than stay free. */
function fairRoom(free: FreeSlots, underWay: FreeSlots): FreeSlots {
  const half = (count: number, held: number) => Math.max(0, Math.ceil((count - held) / 2))
  return { first: half(free.first, underWay.first + underWay.retry), retry: half(free.retry, underWay.retry) }
}
