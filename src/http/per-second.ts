// How often something may be done in a second by this process, where each costs more than a request should and anybody may ask.
import { refuse } from '../domain/refusals.ts'

export const TOO_OFTEN = refuse('rate_limited', { retryAfterSeconds: 1 })

export class PerSecond {
  readonly #most: number
  #second = 0
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Counts one more; false where there were as many as may be. On the machine's own time. */
  take(): boolean {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#count = 0
    }
    if (this.#count >= this.#most) return false
    this.#count += 1
    return true
  }
}
