// A database that is away befalls everybody at once. The log tells when it goes, and when it is back with how much failed meanwhile:
// a line for each would bury whatever else there is to read.
import type { Log } from '../../runtime/log.ts'

/** After the last fault, before what succeeds is taken for the end: some succeed in the middle of it. */
const CALM_MS = 1_000

export class Outage {
  #log: Log | null = null
  #began: number | null = null
  #lastFaultAt = 0
  #failed = 0

  /** From now on, who is told. */
  set log(log: Log) {
    this.#log = log
  }

  /** Something could not be done for it. */
  befell(fault: unknown): void {
    this.#lastFaultAt = performance.now()
    this.#failed += 1
    if (this.#began !== null) return
    this.#began = this.#lastFaultAt
    this.#log?.error({ err: fault }, 'the database does not do its work; what fails for that is tried again')
  }

  /** Something was done. */
  passed(): void {
    if (this.#began === null) return
    const now = performance.now()
    if (now - this.#lastFaultAt < CALM_MS) return
    const seconds = Math.round((now - this.#began) / 1000)
    this.#log?.warn({ seconds, failed: this.#failed }, 'the database does its work again')
    this.#began = null
    this.#failed = 0
  }
}
