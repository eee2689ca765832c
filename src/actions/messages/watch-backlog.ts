// How much waits where no carrier works. Counting it takes longer than accepting a batch, so it is counted once a second, beside the
// traffic; what this process takes in meanwhile is added, and what others do is known a second later.
import type { Queries } from '../../store/database/db.ts'
import { countWaitingByDestination } from '../../store/messages/delivery-queue.ts'
import type { Ports } from '../ports.ts'

const LOOK_MS = 1_000
/** What was counted longer ago says nothing any more. */
const FORGET_MS = 10_000

interface Known {
  waiting: number
  countedAt: Date
}

export class WatchedBacklog {
  readonly #ports: Ports
  readonly #places = new Map<string, Known>()
  #counting = false

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** So many more wait, by place. */
  add(more: ReadonlyMap<string, number>): void {
    for (const [place, messages] of more) {
      const known = this.#places.get(place)
      if (known) known.waiting += messages
    }
  }

  /** How many wait in these places: it waits only for those of which nothing is known. */
  async look(tx: Queries, places: string[]): Promise<Map<string, number>> {
    const now = this.#ports.clock.now()
    const age = (place: string) => now.getTime() - (this.#places.get(place)?.countedAt.getTime() ?? 0)
    const unknown = places.filter((place) => age(place) >= FORGET_MS)
    if (unknown.length > 0) await this.#count(tx, unknown, now)
    const old = places.filter((place) => age(place) >= LOOK_MS)
    if (old.length > 0 && !this.#counting) this.#countBeside(old, now)
    return new Map(places.map((place) => [place, this.#waiting(place)]))
  }

  #waiting(place: string): number {
    return this.#places.get(place)?.waiting ?? 0
  }

  #countBeside(places: string[], now: Date): void {
    this.#counting = true
    // Whatever is wrong with the database, those who accept messages say so; the next look tries again.
    this.#count(this.#ports.db, places, now)
      .catch(() => {})
      .finally(() => {
        this.#counting = false
      })
  }

  async #count(queries: Queries, places: string[], now: Date): Promise<void> {
    const before = new Map(places.map((place) => [place, this.#waiting(place)]))
    for (const [place, counted] of await countWaitingByDestination(queries, places)) {
      // What came in while it was being counted may be among it or not: a batch more or less is no matter.
      const since = this.#waiting(place) - (before.get(place) ?? 0)
      this.#places.set(place, { waiting: counted + since, countedAt: now })
    }
  }
}
