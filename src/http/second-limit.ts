// Limits expensive public requests of this process, such as searches, per second.
import { refuse } from '../domain/refusals.ts'

export const TOO_OFTEN = refuse('rate_limited', { retryAfterSeconds: 1 })

export class SecondLimit {
  readonly #most: number
  #second = 0
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Counts a request; false if the limit of this second is reached. */
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
