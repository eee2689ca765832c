// Logs an outage of the database twice, at its start and at its end with the number of failures. A line per failure would hide the rest of
// the log.
import type { Log } from '../../runtime/log.ts'

/** An outage ends with a success this long after the last failure, because some statements succeed during it. */
const CALM_MS = 1_000

export class Outage {
  #log: Log | null = null
  #startedAt: number | null = null
  #lastErrorAt = 0
  #failed = 0

  set log(log: Log) {
    this.#log = log
  }

  recordFailure(error: unknown): void {
    this.#lastErrorAt = performance.now()
    this.#failed += 1
    if (this.#startedAt !== null) return
    this.#startedAt = this.#lastErrorAt
    this.#log?.error({ err: error }, 'database unavailable, retrying')
  }

  recordSuccess(): void {
    if (this.#startedAt === null) return
    const now = performance.now()
    if (now - this.#lastErrorAt < CALM_MS) return
    const seconds = Math.round((now - this.#startedAt) / 1000)
    this.#log?.warn({ seconds, failed: this.#failed }, 'database available again')
    this.#startedAt = null
    this.#failed = 0
  }
}
