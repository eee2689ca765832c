// Time as a port: waits and expiry use it, so that tests and people can move the clock.

export interface Clock {
  now(): Date
  /** Calls `ring` at `at`. The returned function cancels the alarm. */
  alarm(at: Date, ring: () => void): () => void
}

/** Node's timers hold 31 bits of milliseconds; a longer wait needs several timers. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A smaller difference is within the error of the measurement, so it does not change the clock. */
const SAME_MS = 1_000

interface Machine {
  wallMs: () => number
  monotonicMs: () => number
}

const THIS_MACHINE: Machine = { wallMs: Date.now, monotonicMs: () => performance.now() }

/**
 * Reads the wall clock once and advances with the monotonic clock, so that it never jumps. `syncTo` sets it to the time of the
 * database, so that the processes of several machines agree.
 */
export class SystemClock implements Clock {
  readonly #machine: Machine
  /** Wall-clock time at zero of the monotonic clock. */
  #zeroMs: number

  constructor(machine: Machine = THIS_MACHINE) {
    this.#machine = machine
    this.#zeroMs = machine.wallMs() - machine.monotonicMs()
  }

  now(): Date {
    return new Date(this.#zeroMs + this.#machine.monotonicMs())
  }

  /** Sets the current time. Returns by how many milliseconds the machine's wall clock is ahead of it. */
  syncTo(time: Date): number {
    const { wallMs, monotonicMs } = this.#machine
    if (Math.abs(time.getTime() - this.now().getTime()) > SAME_MS) this.#zeroMs = time.getTime() - monotonicMs()
    return wallMs() - time.getTime()
  }

  /** By how many milliseconds the machine's wall clock is ahead. */
  get wallAheadMs(): number {
    return this.#machine.wallMs() - this.now().getTime()
  }

  alarm(at: Date, ring: () => void): () => void {
    let timer: NodeJS.Timeout
    const arm = () => {
      const waitMs = at.getTime() - this.now().getTime()
      timer = setTimeout(waitMs > MAX_TIMER_MS ? arm : ring, Math.min(Math.max(waitMs, 0), MAX_TIMER_MS))
      timer.unref()
    }
    arm()
    return () => clearTimeout(timer)
  }
}

interface Alarm {
  at: Date
  ring: () => void
}

/** Moves only by `advanceTo`, and stops at every alarm on the way. */
export class ManualClock implements Clock {
  #now: Date
  readonly #alarms = new Set<Alarm>()

  constructor(startsAt: Date) {
    this.#now = startsAt
  }

  now(): Date {
    return new Date(this.#now)
  }

  alarm(at: Date, ring: () => void): () => void {
    const alarm = { at, ring }
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  /** Moves to `target`. `settle` is awaited at every stop and finishes the work that is due. */
  async advanceTo(target: Date, settle: () => Promise<void>): Promise<void> {
    // Work that arrived since the last stop sets its alarms now; otherwise the clock would skip them.
    await settle()
    for (let next = this.#earliest(target); next; next = this.#earliest(target)) {
      this.#alarms.delete(next)
      if (next.at > this.#now) this.#now = next.at
      next.ring()
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
