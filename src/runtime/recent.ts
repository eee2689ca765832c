// A bounded map of the most recent entries.

interface RecentOptions {
  most: number
  forMs?: number
}

/** Entries expire in real time. */
export class RecentMap<Value> {
  readonly #most: number
  readonly #forMs: number
  /** Oldest first. */
  readonly #seen = new Map<string, { value: Value; until: number }>()

  constructor({ most, forMs = Number.POSITIVE_INFINITY }: RecentOptions) {
    this.#most = most
    this.#forMs = forMs
  }

  get(key: string): Value | undefined {
    const seen = this.#seen.get(key)
    return seen && seen.until > performance.now() ? seen.value : undefined
  }

  forget(key: string): void {
    this.#seen.delete(key)
  }

  set(key: string, value: Value): void {
    this.#seen.delete(key)
    this.#seen.set(key, { value, until: performance.now() + this.#forMs })
    const oldest = this.#seen.keys().next()
    if (this.#seen.size > this.#most && !oldest.done) this.#seen.delete(oldest.value)
  }
}
