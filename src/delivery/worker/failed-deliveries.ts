// What carriers delivered and could not be stored, by what it says: a carrier whose one receipt is refused for ever delivers nothing
// that is behind it.

const MOST_REMEMBERED = 1_000

export class FailedDeliveries {
  /** Oldest first. */
  readonly #failed = new Set<string>()

  /** It has failed once more; says whether it had before. */
  add(fingerprint: string): boolean {
    if (this.#failed.delete(fingerprint)) return true
    this.#failed.add(fingerprint)
    const [oldest] = this.#failed
    if (this.#failed.size > MOST_REMEMBERED && oldest !== undefined) this.#failed.delete(oldest)
    return false
  }
}
