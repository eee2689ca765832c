// Orders the queue places that a carrier claims from, and applies route shares.
import type { ClaimedMessage } from '../../domain/carriers/claim.ts'
import type { CarrierQueueGroup, Share } from '../../domain/carriers/routing.ts'
import type { Places } from './places.ts'

/** Route shares over all carrier workers of this process. */
export interface Sharing {
  isNext(carrierId: string, among: readonly Share[]): boolean
  give(carrierId: string, share: { among: readonly Share[]; messages: number }): void
}

export class Worklist {
  readonly #carrierId: string
  readonly #places: Places
  readonly #sharing: Sharing
  #turns = 0

  constructor(carrierId: string, { places, sharing }: { places: Places; sharing: Sharing }) {
    this.#carrierId = carrierId
    this.#places = places
    this.#sharing = sharing
  }

  /**
   * OTPs before transactional before promotional (D16). Within a priority, destinations rotate, so that a backlog of one does not block
   * the others. Shared places are left out while another carrier has its turn.
   */
  next(): CarrierQueueGroup[] {
    const places = this.#places.of(this.#carrierId)
    this.#turns += 1
    const first = this.#turns % Math.max(1, places.length)
    const inTurn = [...places.slice(first), ...places.slice(0, first)]
    const due = inTurn.filter(({ among }) => among === null || this.#sharing.isNext(this.#carrierId, among))
    return due.sort((one, other) => one.priority - other.priority)
  }

  /** Counts claimed messages of shared places toward the carrier's share. */
  claimed(messages: readonly ClaimedMessage[], from: readonly CarrierQueueGroup[]): void {
    if (from.every(({ among }) => among === null)) return
    const shared = new Map(from.map((place) => [nameOf(place), place.among]))
    const taken = new Map<readonly Share[], number>()
    for (const message of messages) {
      const among = shared.get(nameOf(message.place))
      if (among) taken.set(among, (taken.get(among) ?? 0) + 1)
    }
    for (const [among, count] of taken) this.#sharing.give(this.#carrierId, { among, messages: count })
  }
}

function nameOf({ destination, avoidCarrierId, priority }: ClaimedMessage['place']): string {
  return `${priority} ${destination} ${avoidCarrierId}`
}
