// Which webhooks have come before: every delivery may come again, and is known by its id (§6.1).

/** Remembers deliveries: this one in memory, or a table with a unique id, or a key of Redis with an expiry. */
export interface Deliveries {
  /** True for one that was not seen before; remembers it, so that of two at once one is told true. */
  add(deliveryId: string): boolean | Promise<boolean>
  /** Forgets it: the work that it asked for has failed, and when it comes again it is to be done. */
  delete(deliveryId: string): unknown
}

/** In memory, for one process: the latest so many. What is tried again comes within five hours (§6.4); a restart forgets. */
export class RecentDeliveries implements Deliveries {
  readonly #most: number
  readonly #ids = new Set<string>()

  constructor(most = 10_000) {
    this.#most = most
  }

  add(deliveryId: string): boolean {
    if (this.#ids.has(deliveryId)) return false
    this.#ids.add(deliveryId)
    // A set keeps the order in which they came.
    const [oldest] = this.#ids
    if (this.#ids.size > this.#most && oldest !== undefined) this.#ids.delete(oldest)
    return true
  }

  delete(deliveryId: string): void {
    this.#ids.delete(deliveryId)
  }
}
