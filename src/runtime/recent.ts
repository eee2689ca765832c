// The latest of what was seen, so that it need not be looked for again: only so many, and only for so long.

interface RecentOptions {
  most: number
  forMs?: number
}

/** On the machine's own time: it saves work, and what it remembers must hold for as long as it is remembered. */
export class Recent<Value> {
  readonly #most: number
  readonly #forMs: number
  /** The oldest first. */
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
