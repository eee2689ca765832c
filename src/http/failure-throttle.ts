// Guessing is slow: where authentications keep failing, the next that fails is told to wait. One that succeeds never is: behind
// the same address (an IPv6 /64) may sit others than whoever guesses.
import { throttleScope } from '../domain/network.ts'

const MOST_FAILURES = 100
const WINDOW_MS = 60_000
const MOST_ADDRESSES = 10_000

interface Failures {
  count: number
  until: number
}

/** Kept per process, on the machine's own time: it slows an attacker down, it decides nothing about anybody's data. */
export class FailureThrottle {
  readonly #failures = new Map<string, Failures>()

  /** Counts one more; how many seconds to refuse it for, or 0 while it is just told that it failed. */
  failed(address: string): number {
    const scope = throttleScope(address)
    const now = performance.now()
    const known = this.#failures.get(scope)
    if (!known || known.until <= now) {
      this.#remember(scope, { count: 1, until: now + WINDOW_MS })
      return 0
    }
    known.count += 1
    return known.count > MOST_FAILURES ? Math.ceil((known.until - now) / 1000) : 0
  }

  #remember(scope: string, failures: Failures): void {
    this.#failures.delete(scope)
    this.#failures.set(scope, failures)
    const oldest = this.#failures.keys().next()
    if (this.#failures.size > MOST_ADDRESSES && !oldest.done) this.#failures.delete(oldest.value)
  }
}
