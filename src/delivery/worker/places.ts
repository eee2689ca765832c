// Assigns queue places with waiting messages to carriers. Only places that exist are read, however many prefixes the routes have.
import {
  assignQueueGroups,
  type CarrierQueueGroup,
  type QueueGroup,
  type Route,
} from '../../domain/carriers/routing.ts'
import type { Db } from '../../store/database/db.ts'
import { listPlaces } from '../../store/messages/delivery-queue.ts'

/** The minimum interval between two reads. */
const MIN_INTERVAL_MS = 20

interface RoutingFacts {
  /** The routing revision. */
  revision: number
  routes: readonly Route[]
  isWorking: (carrierId: string) => boolean
  isFull: (carrierId: string) => boolean
}

export class Places {
  readonly #db: Db
  #known: QueueGroup[] = []
  #facts: RoutingFacts = { revision: 0, routes: [], isWorking: () => false, isFull: () => false }
  #assigned: ReadonlyMap<string, CarrierQueueGroup[]> = new Map()
  #current: Promise<void> | null = null
  /** A refresh that has not started. */
  #next: Promise<void> | null = null
  #readAt = Number.NEGATIVE_INFINITY

  constructor(db: Db) {
    this.#db = db
  }

  /** All places, also those without a carrier. */
  get known(): readonly QueueGroup[] {
    return this.#known
  }

  /** The routing revision of the current assignment. */
  get revision(): number {
    return this.#facts.revision
  }

  /** Call after a change of routes or carrier health. */
  setFacts(facts: RoutingFacts): void {
    this.#facts = facts
    this.#assign()
  }

  /** The places that this carrier claims from. */
  of(carrierId: string): readonly CarrierQueueGroup[] {
    return this.#assigned.get(carrierId) ?? []
  }

  /**
   * Resolves after a read that started after this call; a read already in progress may miss new places. `atOnce` skips the pause between
   * two reads.
   */
  refresh({ atOnce = false } = {}): Promise<void> {
    if (!this.#next) {
      const before = this.#current
      this.#next = (async () => {
        await before?.catch(() => {})
        if (!atOnce) await this.#pause()
        this.#current = this.#next
        this.#next = null
        this.#known = await listPlaces(this.#db)
        this.#readAt = performance.now()
        this.#assign()
      })()
    }
    return this.#next
  }

  #assign(): void {
    this.#assigned = assignQueueGroups({ ...this.#facts, places: this.#known })
  }

  async #pause(): Promise<void> {
    const pauseMs = this.#readAt + MIN_INTERVAL_MS - performance.now()
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
