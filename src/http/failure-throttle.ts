// Guessing is slow: an address (an IPv6 /64) whose authentications keep failing is refused for a while.
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

  secondsLeft(address: string): number {
    if (this.#failures.size === 0) return 0
    const failures = this.#failures.get(throttleScope(address))
    if (!failures || failures.count < MOST_FAILURES) return 0
    return Math.max(0, Math.ceil((failures.until - performance.now()) / 1000))
  }

  failed(address: string): void {
    const scope = throttleScope(address)
    const known = this.#failures.get(scope)
    const now = performance.now()
    if (known && known.until > now) known.count += 1
    else this.#remember(scope, { count: 1, until: now + WINDOW_MS })
  }

  #remember(scope: string, failures: Failures): void {
    this.#failures.delete(scope)
    this.#failures.set(scope, failures)
    const oldest = this.#failures.keys().next()
    if (this.#failures.size > MOST_ADDRESSES && !oldest.done) this.#failures.delete(oldest.value)
  }
}
