// Counts submissions and receipts of the last minute by second. Each process stores its counts, so that the console can add them up.
import type { Clock } from '../../runtime/clock.ts'
import type { LastMinuteCounts } from '../../store/carriers/carrier-binds.ts'

const SECONDS = 60

type CounterName = keyof LastMinuteCounts
interface SecondBucket extends LastMinuteCounts {
  second: number
}

export class MinuteCounter {
  readonly #clock: Clock
  /** Ring buffer by second. */
  readonly #seconds: SecondBucket[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(name: CounterName): void {
    const second = this.#now()
    const at = second % SECONDS
    const known = this.#seconds[at]
    const counts = known?.second === second ? known : emptyBucket(second)
    counts[name] += 1
    this.#seconds[at] = counts
  }

  get counts(): LastMinuteCounts {
    const now = this.#now()
    const recent = this.#seconds.filter((it) => it.second > now - SECONDS && it.second <= now)
    const sum = (name: CounterName) => recent.reduce((total, it) => total + it[name], 0)
    return {
      accepted: sum('accepted'),
      rejected: sum('rejected'),
      delivered: sum('delivered'),
      undelivered: sum('undelivered'),
    }
  }

  #now(): number {
    return Math.floor(this.#clock.now().getTime() / 1000)
  }
}

function emptyBucket(second: number): SecondBucket {
  return { second, accepted: 0, rejected: 0, delivered: 0, undelivered: 0 }
}
