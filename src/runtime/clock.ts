// Time as a port: everything that waits or expires goes by it, so a test, or a person, can move an hour in no time.

export interface Clock {
  now(): Date
  /** Rings once `at` has come. The returned function takes the alarm back. */
  alarm(at: Date, ring: () => void): () => void
}

/** Node's timers hold 31 bits of milliseconds; a longer wait is walked in strides. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Closer than this, two clocks are the same: what an answer took on its way is not known any better. */
const SAME_MS = 1_000

/** The machine's own clocks: the wall's, which anybody may set at any time, and the one that only runs. */
interface Machine {
  wallMs: () => number
  monotonicMs: () => number
}

const THIS_MACHINE: Machine = { wallMs: Date.now, monotonicMs: () => performance.now() }

/**
 * Reads the wall once and is carried on by the monotonic clock, so that it never jumps with the wall. Where it is told what time it
 * is for the database, it keeps to that: processes of several machines then agree, whatever their own walls say.
 */
export class SystemClock implements Clock {
  readonly #machine: Machine
  /** What the wall showed when the monotonic clock stood at zero. */
  #zeroMs: number

  constructor(machine: Machine = THIS_MACHINE) {
    this.#machine = machine
    this.#zeroMs = machine.wallMs() - machine.monotonicMs()
  }

  now(): Date {
    return new Date(this.#zeroMs + this.#machine.monotonicMs())
  }

  /** It is this time now. Returns how far ahead of it the machine's wall clock is. */
  keepTo(time: Date): number {
    const { wallMs, monotonicMs } = this.#machine
    if (Math.abs(time.getTime() - this.now().getTime()) > SAME_MS) this.#zeroMs = time.getTime() - monotonicMs()
    return wallMs() - time.getTime()
  }

  alarm(at: Date, ring: () => void): () => void {
    let timer: NodeJS.Timeout
    const arm = () => {
      const waitMs = at.getTime() - this.now().getTime()
      timer = setTimeout(waitMs > LONGEST_TIMER_MS ? arm : ring, Math.min(Math.max(waitMs, 0), LONGEST_TIMER_MS))
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

/** Stands still until it is advanced; then it stops at every alarm on the way, and lets the service settle there. */
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

  /** Moves to `target`. `settle` is awaited at every stop: it returns when the work that became due there is done. */
  async advanceTo(target: Date, settle: () => Promise<void>): Promise<void> {
    // Work that came in since the last stop sets its alarms now, so that none of them is passed by.
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
