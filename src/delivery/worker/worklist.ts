// The places in the queue that a carrier shall claim from, and whose turn it is where it shares them with others.
import type { ClaimedMessage } from '../../domain/carriers/claim.ts'
import type { CarrierQueueGroup, Share } from '../../domain/carriers/routing.ts'
import type { Places } from './places.ts'

/** Whose turn it is among carriers that share, over all workers of this process. */
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
   * Codes before transactional before promotional (D16); within each, another destination is first each time, so that a long
   * backlog of one does not keep the others waiting. What it shares is left out while it is another's turn.
   */
  next(): CarrierQueueGroup[] {
    const places = this.#places.of(this.#carrierId)
    this.#turns += 1
    const first = this.#turns % Math.max(1, places.length)
    const inTurn = [...places.slice(first), ...places.slice(0, first)]
    const due = inTurn.filter(({ among }) => among === null || this.#sharing.isNext(this.#carrierId, among))
    return due.sort((one, other) => one.priority - other.priority)
  }

  /** These were claimed: those of them that it shares count toward its part. */
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
