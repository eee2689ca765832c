// Rate limits for receipt callbacks, per carrier and for unknown callers (D52).

/** Limits per process. One call may carry a list of reports. */
const MAX_CONCURRENT = 50
const MAX_PER_SECOND = 1_000
/** Concurrent lookups of addresses that are not known to be valid. */
const MAX_UNKNOWN = 10

interface Calls {
  underWay: number
  second: number
  inSecond: number
}

export class CallBounds {
  /** Only existing carriers, so it stays small. */
  readonly #calls = new Map<string, Calls>()
  #unknown = 0

  /** Returns the function to call when the call ends, or null if the limit is reached. */
  enter(carrierId: string): (() => void) | null {
    const second = Math.floor(performance.now() / 1000)
    const calls = this.#calls.getOrInsertComputed(carrierId, () => ({ underWay: 0, second, inSecond: 0 }))
    if (calls.second !== second) {
      calls.second = second
      calls.inSecond = 0
    }
    if (calls.underWay >= MAX_CONCURRENT || calls.inSecond >= MAX_PER_SECOND) return null
    calls.underWay += 1
    calls.inSecond += 1
    return () => {
      calls.underWay -= 1
    }
  }

  async lookUpUnknown<Found>(lookUp: () => Promise<Found>): Promise<Found | 'busy'> {
    if (this.#unknown >= MAX_UNKNOWN) return 'busy'
    this.#unknown += 1
    try {
      return await lookUp()
    } finally {
      this.#unknown -= 1
    }
  }
}
