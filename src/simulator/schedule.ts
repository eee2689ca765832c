// The scheduled work of the simulator, due now or later, and whether all due work is done.

import type { Clock } from '../runtime/clock.ts'
import { inBackground, type Log } from '../runtime/log.ts'

export class Schedule {
  readonly #clock: Clock
  readonly #log: Log
  readonly #underWay = new Set<Promise<void>>()
  readonly #alarms = new Set<() => void>()

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** What is due already is done behind whatever this turn still writes: an answer leaves before its receipt. */
  at(when: Date, work: () => Promise<void>): void {
    if (when <= this.#clock.now()) {
      const later = new Promise<void>((resolve) => setImmediate(resolve))
      inBackground(
        this.begin(() => later.then(work)),
        this.#log,
        'work of the simulator',
      )
      return
    }
    const takeBack = this.#clock.alarm(when, () => {
      this.#alarms.delete(takeBack)
      inBackground(this.begin(work), this.#log, 'work of the simulator')
    })
    this.#alarms.add(takeBack)
  }

  /** Resolves when it is done, whether well or not. */
  begin(work: () => Promise<void>): Promise<void> {
    const done = work()
      .catch((fault) => this.#log.error({ err: fault }, 'the simulator failed at what was due'))
      .finally(() => this.#underWay.delete(done))
    this.#underWay.add(done)
    return done
  }

  /** Returns once nothing is due; says whether anything was. */
  async settle(): Promise<boolean> {
    const wasBusy = this.#underWay.size > 0
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
    return wasBusy
  }

  /** Forgets what has not come due. */
  clear(): void {
    for (const takeBack of this.#alarms) takeBack()
    this.#alarms.clear()
  }
}
