// How fast one may submit: a token bucket that holds a second's worth.
import type { Clock } from '../runtime/clock.ts'

export class Throttle {
  readonly #clock: Clock
  readonly #perSecond: number
  #tokens: number
  #filledAt: Date

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock
    this.#perSecond = perSecond
    this.#tokens = perSecond
    this.#filledAt = clock.now()
  }

  admits(): boolean {
    const now = this.#clock.now()
    const gained = ((now.getTime() - this.#filledAt.getTime()) / 1000) * this.#perSecond
    this.#tokens = Math.min(this.#perSecond, this.#tokens + gained)
    this.#filledAt = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}
