// Runs one task at a time per key, in order of arrival.
export class Turns {
  readonly #maxWaiting: number
  /** Only keys with work in progress. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor({ maxWaiting = Number.POSITIVE_INFINITY }: { maxWaiting?: number } = {}) {
    this.#maxWaiting = maxWaiting
  }

  /** `now`, a promise of the turn, or null if too many tasks wait. */
  take(key: string): 'now' | Promise<void> | null {
    const waiting = this.#waiting.get(key)
    if (!waiting) {
      this.#waiting.set(key, [])
      return 'now'
    }
    if (waiting.length >= this.#maxWaiting) return null
    return new Promise((resolve) => waiting.push(resolve))
  }

  end(key: string): void {
    const waiting = this.#waiting.get(key)
    if (!waiting) throw new Error('a turn ended that was not taken')
    const next = waiting.shift()
    if (next) next()
    else this.#waiting.delete(key)
  }

  /** Only without `maxWaiting`: throws if too many tasks wait. */
  async run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const turn = this.take(key)
    if (turn === null) throw new Error('too many tasks wait for this turn')
    if (turn !== 'now') await turn
    try {
      return await work()
    } finally {
      this.end(key)
    }
  }
}
