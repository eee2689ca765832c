// Time as a port: everything that waits or expires goes by it, so a test, or a person, can move an hour in no time.

export interface Clock {
  now(): Date
  /** Rings once `at` has come. The returned function takes the alarm back. */
  alarm(at: Date, ring: () => void | Promise<void>): () => void
}

/** Node's timers hold 31 bits of milliseconds; a longer wait is walked in strides. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export class SystemClock implements Clock {
  now(): Date {
    return new Date()
  }

  alarm(at: Date, ring: () => void | Promise<void>): () => void {
    let timer: NodeJS.Timeout
    const arm = () => {
      const waitMs = at.getTime() - Date.now()
      timer = setTimeout(waitMs > LONGEST_TIMER_MS ? arm : ring, Math.min(Math.max(waitMs, 0), LONGEST_TIMER_MS))
      timer.unref()
    }
    arm()
    return () => clearTimeout(timer)
  }
}

interface Alarm {
  at: Date
  ring: () => void | Promise<void>
}

/** Stands still until it is advanced; then it stops at every alarm on the way, and lets the house settle there. */
export class ManualClock implements Clock {
  #now: Date
  readonly #alarms = new Set<Alarm>()

  constructor(startsAt: Date) {
    this.#now = startsAt
  }

  now(): Date {
    return new Date(this.#now)
  }

  alarm(at: Date, ring: () => void | Promise<void>): () => void {
    const alarm = { at, ring }
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  /** Moves to `target`. `settle` is awaited at every stop: it returns when the work that became due there is done. */
  async advanceTo(target: Date, settle: () => Promise<void>): Promise<void> {
    // Work that came in since the last stop sets its alarms now, so that none of them is passed by.
    await settle()
    for (let next = this.#earliest(target); next; next = this.#earliest(target)) {
      this.#alarms.delete(next)
      if (next.at > this.#now) this.#now = next.at
      await next.ring()
      await settle()
    }
    if (target > this.#now) this.#now = target
    await settle()
  }

  #earliest(target: Date): Alarm | undefined {
    let earliest: Alarm | undefined
    for (const alarm of this.#alarms) {
      if (alarm.at <= target && (!earliest || alarm.at < earliest.at)) earliest = alarm
    }
    return earliest
  }
}
