// One piece of work at a time for each key; the others wait in order.
export class Turns {
  readonly #mostWaiting: number
  /** Only keys with work in progress. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor({ mostWaiting = Number.POSITIVE_INFINITY }: { mostWaiting?: number } = {}) {
    this.#mostWaiting = mostWaiting
  }

  /** `now`, or a promise of the turn; null if too many wait already. */
  take(key: string): 'now' | Promise<void> | null {
    const waiting = this.#waiting.get(key)
    if (!waiting) {
      this.#waiting.set(key, [])
      return 'now'
    }
    if (waiting.length >= this.#mostWaiting) return null
    return new Promise((resolve) => waiting.push(resolve))
  }

  /** The longest waiting is next. */
  end(key: string): void {
    const waiting = this.#waiting.get(key)
    if (!waiting) throw new Error('a turn ended that nobody took')
    const next = waiting.shift()
    if (next) next()
    else this.#waiting.delete(key)
  }

  /** For keys without a bound on who waits. */
  async run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const turn = this.take(key)
    if (turn === null) throw new Error('too many wait for this turn')
    if (turn !== 'now') await turn
    try {
      return await work()
    } finally {
      this.end(key)
    }
  }
}
