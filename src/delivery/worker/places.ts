// Where messages wait, and which carrier shall take them: only places that exist are looked at, however many prefixes routes name.
import {
  assignQueueGroups,
  type CarrierQueueGroup,
  type QueueGroup,
  type Route,
} from '../../domain/carriers/routing.ts'
import type { Db } from '../../store/database/db.ts'
import { listPlaces } from '../../store/messages/delivery-queue.ts'

/** However often there is news, it is looked no more often than this: nobody notices so short a wait. */
const REST_MS = 20

interface Facts {
  /** The version of the routes. */
  revision: number
  routes: readonly Route[]
  isWorking: (carrierId: string) => boolean
  isFull: (carrierId: string) => boolean
}

export class Places {
  readonly #db: Db
  #known: QueueGroup[] = []
  #facts: Facts = { revision: 0, routes: [], isWorking: () => false, isFull: () => false }
  #dealt: ReadonlyMap<string, CarrierQueueGroup[]> = new Map()
  #looking: Promise<void> | null = null
  /** A look that has not begun yet. */
  #next: Promise<void> | null = null
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(db: Db) {
    this.#db = db
  }

  /** All of them, whoever serves them. */
  get known(): readonly QueueGroup[] {
    return this.#known
  }

  /** The version of the routes that the places are dealt by. */
  get revision(): number {
    return this.#facts.revision
  }

  /** Which routes there are, and which carriers work, may have changed. */
  judgeBy(facts: Facts): void {
    this.#facts = facts
    this.#deal()
  }

  /** What this carrier shall claim from. */
  of(carrierId: string): readonly CarrierQueueGroup[] {
    return this.#dealt.get(carrierId) ?? []
  }

  /**
   * Returns once every place is known that was there when it was called: a look that had begun by then may have missed some.
   * `atOnce` does not wait for the rest between two looks.
   */
  look({ atOnce = false } = {}): Promise<void> {
    if (!this.#next) {
      const before = this.#looking
      this.#next = (async () => {
        await before?.catch(() => {})
        if (!atOnce) await this.#rest()
        this.#looking = this.#next
        this.#next = null
        this.#known = await listPlaces(this.#db)
        this.#lookedAt = performance.now()
        this.#deal()
      })()
    }
    return this.#next
  }

  #deal(): void {
    this.#dealt = assignQueueGroups({ ...this.#facts, places: this.#known })
  }

  async #rest(): Promise<void> {
    const restMs = this.#lookedAt + REST_MS - performance.now()
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
  }
}
