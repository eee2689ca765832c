// The scheduled work of the simulator, due now or later, and whether all due work is done.

import type { Clock } from '../runtime/clock.ts'
import { inBackground, type Log } from '../runtime/log.ts'

export class Schedule {
  readonly #clock: Clock
  readonly #log: Log
  readonly #running = new Set<Promise<void>>()
  readonly #alarms = new Set<() => void>()

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** Due work runs after the current tick, so that a response is sent before its receipt. */
  at(when: Date, work: () => Promise<void>): void {
    if (when <= this.#clock.now()) {
      const later = new Promise<void>((resolve) => setImmediate(resolve))
      inBackground(
        this.begin(() => later.then(work)),
        this.#log,
        'running simulator work',
      )
      return
    }
    const cancel = this.#clock.alarm(when, () => {
      this.#alarms.delete(cancel)
      inBackground(this.begin(work), this.#log, 'running simulator work')
    })
    this.#alarms.add(cancel)
  }

  /** Resolves when the work has finished or failed. */
  begin(work: () => Promise<void>): Promise<void> {
    const done = work()
      .catch((error) => this.#log.error({ err: error }, 'simulator work failed'))
      .finally(() => this.#running.delete(done))
    this.#running.add(done)
    return done
  }

  /** Resolves when no work is running; returns whether there was any. */
  async settle(): Promise<boolean> {
    const wasBusy = this.#running.size > 0
    while (this.#running.size > 0) await Promise.all(this.#running)
    return wasBusy
  }

  /** Cancels future work. */
  clear(): void {
    for (const cancel of this.#alarms) cancel()
    this.#alarms.clear()
  }
}
