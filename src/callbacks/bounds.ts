// How much one carrier may call, so that one gone mad harms nobody else (D52); and strangers, who are nobody's.

/** Per process. Each of these may carry a list of reports, and all are stored many to a transaction. */
const MOST_AT_ONCE = 50
const MOST_PER_SECOND = 1_000
/** Addresses that were not right before are looked for this many at a time. */
const MOST_STRANGERS = 10

interface Calls {
  underWay: number
  second: number
  inSecond: number
}

export class CallBounds {
  /** Of carriers that there are, so it does not grow with what is asked. */
  readonly #calls = new Map<string, Calls>()
  #strangers = 0

  /** Null where it is too much; else what to call once it is over. */
  enter(carrierId: string): (() => void) | null {
    const second = Math.floor(performance.now() / 1000)
    const calls = this.#calls.getOrInsertComputed(carrierId, () => ({ underWay: 0, second, inSecond: 0 }))
    if (calls.second !== second) {
      calls.second = second
      calls.inSecond = 0
    }
    if (calls.underWay >= MOST_AT_ONCE || calls.inSecond >= MOST_PER_SECOND) return null
    calls.underWay += 1
    calls.inSecond += 1
    return () => {
      calls.underWay -= 1
    }
  }

  async lookForStranger<Found>(look: () => Promise<Found>): Promise<Found | 'busy'> {
    if (this.#strangers >= MOST_STRANGERS) return 'busy'
    this.#strangers += 1
    try {
      return await look()
    } finally {
      this.#strangers -= 1
    }
  }
}
