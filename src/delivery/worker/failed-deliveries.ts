// Remembers deliveries that could not be stored: a receipt that is rejected forever would block the receipts behind it.

const MAX_REMEMBERED = 1_000

export class FailedDeliveries {
  /** Oldest first. */
  readonly #failed = new Set<string>()

  /** Records a failure; returns whether the delivery had failed before. */
  add(fingerprint: string): boolean {
    if (this.#failed.delete(fingerprint)) return true
    this.#failed.add(fingerprint)
    const [oldest] = this.#failed
    if (this.#failed.size > MAX_REMEMBERED && oldest !== undefined) this.#failed.delete(oldest)
    return false
  }
}
