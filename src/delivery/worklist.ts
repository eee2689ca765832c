// The places in the queue that a carrier shall claim from, and whose turn it is where it shares them with others.
import type { ClaimedMessage } from '../actions/claim-messages.ts'
import { type CarrierWork, laneOf, nameAmong, type Share } from '../domain/routing.ts'

/** Whose turn it is among carriers that share, over all workers of this process. */
export interface Sharing {
  isNext(carrierId: string, among: readonly Share[]): boolean
  give(carrierId: string, share: { among: readonly Share[]; messages: number }): void
}

export class Worklist {
  readonly #carrierId: string
  readonly #sharing: Sharing
  #work: readonly CarrierWork[] = []
  /** Every name that a message may wait under, the carrier to avoid left out. */
  #names: ReadonlySet<string> = new Set()
  #shared: ReadonlyMap<string, readonly Share[]> = new Map()
  #turns = 0

  constructor(carrierId: string, sharing: Sharing) {
    this.#carrierId = carrierId
    this.#sharing = sharing
  }

  set({ work, names }: { work: readonly CarrierWork[]; names: ReadonlySet<string> }): void {
    this.#work = work
    this.#names = names
    this.#shared = new Map(work.flatMap((it) => (it.among ? [[keyOf(it), it.among] as const] : [])))
  }

  /**
   * Codes before transactional before promotional (D16); within each, another destination is first each time, so that a long
   * backlog of one does not keep the others waiting. What it shares is left out while it is another's turn.
   */
  next(): CarrierWork[] {
    if (this.#work.length === 0) return []
    this.#turns += 1
    const first = this.#turns % this.#work.length
    const inTurn = [...this.#work.slice(first), ...this.#work.slice(0, first)]
    const due = this.#shared.size === 0 ? inTurn : inTurn.filter(({ among }) => among === null || this.#isNext(among))
    return due.sort((one, other) => one.lane - other.lane)
  }

  /** These were claimed: those of them that it shares count toward its part. */
  claimed(messages: readonly ClaimedMessage[]): void {
    if (this.#shared.size === 0) return
    const taken = new Map<readonly Share[], number>()
    for (const message of messages) {
      const among = this.#shared.get(
        keyOf({ destination: nameAmong(this.#names, message), lane: laneOf(message.type) }),
      )
      if (among) taken.set(among, (taken.get(among) ?? 0) + 1)
    }
    for (const [among, count] of taken) this.#sharing.give(this.#carrierId, { among, messages: count })
  }

  #isNext(among: readonly Share[]): boolean {
    return this.#sharing.isNext(this.#carrierId, among)
  }
}

function keyOf({ destination, lane }: Pick<CarrierWork, 'destination' | 'lane'>): string {
  return `${lane} ${destination}`
}
