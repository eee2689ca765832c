// Detects repeated webhook deliveries by their id (§6.1).

/** A store of delivery ids: in memory, a table with a unique id, or Redis keys with an expiry. */
export interface Deliveries {
  /** Adds the id; true if it is new. Must be atomic: of two concurrent calls, one returns true. */
  add(deliveryId: string): boolean | Promise<boolean>
  /** Removes the id after the work has failed, so that the retry is processed. */
  delete(deliveryId: string): unknown
}

/** The latest ids in the memory of one process, until it restarts. Retries come within five hours (§6.4). */
export class RecentDeliveries implements Deliveries {
  readonly #most: number
  readonly #ids = new Set<string>()

  constructor(most = 10_000) {
    this.#most = most
  }

  add(deliveryId: string): boolean {
    if (this.#ids.has(deliveryId)) return false
    this.#ids.add(deliveryId)
    // A set keeps the order of insertion.
    const [oldest] = this.#ids
    if (this.#ids.size > this.#most && oldest !== undefined) this.#ids.delete(oldest)
    return true
  }

  delete(deliveryId: string): void {
    this.#ids.delete(deliveryId)
  }
}
