// Counts messages that wait where no carrier works. Counting is slower than accepting a batch, so it runs once a second in the background.
import type { Queries } from '../../store/database/db.ts'
import { countWaitingByDestination } from '../../store/messages/queue-depth.ts'
import type { Ports } from '../ports.ts'

const LOOK_MS = 1_000
/** Older counts are not used. */
const FORGET_MS = 10_000

interface BacklogCount {
  waiting: number
  countedAt: Date
}

export class WatchedBacklog {
  readonly #ports: Ports
  readonly #places = new Map<string, BacklogCount>()
  #counting = false

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Adds newly accepted messages, by place. */
  add(more: ReadonlyMap<string, number>): void {
    for (const [place, messages] of more) {
      const known = this.#places.get(place)
      if (known) known.waiting += messages
    }
  }

  /** Messages by place. Waits only for places without a recent count. */
  async getCounts(tx: Queries, places: string[]): Promise<Map<string, number>> {
    const now = this.#ports.clock.now()
    const age = (place: string) => now.getTime() - (this.#places.get(place)?.countedAt.getTime() ?? 0)
    const unknown = places.filter((place) => age(place) >= FORGET_MS)
    if (unknown.length > 0) await this.#count(tx, unknown, now)
    const old = places.filter((place) => age(place) >= LOOK_MS)
    if (old.length > 0 && !this.#counting) this.#countInBackground(old, now)
    return new Map(places.map((place) => [place, this.#waiting(place)]))
  }

  #waiting(place: string): number {
    return this.#places.get(place)?.waiting ?? 0
  }

  #countInBackground(places: string[], now: Date): void {
    this.#counting = true
    // Accepting messages reports database errors; the next call counts again.
    this.#count(this.#ports.db, places, now)
      .catch(() => {})
      .finally(() => {
        this.#counting = false
      })
  }

  async #count(queries: Queries, places: string[], now: Date): Promise<void> {
    const before = new Map(places.map((place) => [place, this.#waiting(place)]))
    for (const [place, counted] of await countWaitingByDestination(queries, places)) {
      // Messages accepted during the count may be counted twice; the error is at most a batch.
      const since = this.#waiting(place) - (before.get(place) ?? 0)
      this.#places.set(place, { waiting: counted + since, countedAt: now })
    }
  }
}
