// Sliding windows (§5.4, §8.2, D27): how long the next one has to wait.

export interface WindowLimit {
  scope: string
  most: number
  seconds: number
  /** Of a limit that was set at a time: what this client had sent to this number before then counts as well (D39). */
  setAfter?: { clientId: string; to: string; at: Date }
}

/** What has to be read of a window: of the `most` newest hits inside, those that may decide. */
export interface WindowLook {
  limit: WindowLimit
  since: Date
  /** How many of the newest cannot decide. */
  skipped: number
  /** Where the limit was set while the window ran: what was sent before then counts as well (D39). */
  setAfter: NonNullable<WindowLimit['setAfter']> | null
}

/** One look for each scope, however many of a batch ask for it: as many hits can decide as there are of them. */
export function looksAt(limits: WindowLimit[], now: Date): WindowLook[] {
  const asks = new Map<string, { limit: WindowLimit; requests: number }>()
  for (const limit of limits) asks.set(limit.scope, { limit, requests: (asks.get(limit.scope)?.requests ?? 0) + 1 })
  return Array.from(asks.values(), ({ limit, requests }) => {
    const since = new Date(now.getTime() - limit.seconds * 1000)
    const setAfter = limit.setAfter && limit.setAfter.at > since ? limit.setAfter : null
    return { limit, since, setAfter, skipped: SlidingWindow.skippedBy(limit, requests) }
  })
}

/** The hits that may decide, newest first: of those inside the window, the ones behind the `skipped` newest. */
interface KnownHits {
  skipped: number
  times: readonly Date[]
}

/** A window as it was read. */
export interface KnownWindow extends KnownHits {
  limit: WindowLimit
}

/**
 * A window while a batch is judged. The next one fits when fewer than `most` hits lie inside; else the oldest of the `most`
 * newest must leave first. With each hit that the batch adds, that is the one before: as many can decide as may be added.
 */
export class SlidingWindow {
  readonly #limit: WindowLimit
  readonly #known: KnownHits
  #added = 0

  constructor(limit: WindowLimit, known: KnownHits) {
    this.#limit = limit
    this.#known = known
  }

  /** How many of the newest hits cannot decide while a batch adds no more than so many. */
  static skippedBy({ most }: WindowLimit, added: number): number {
    return Math.max(0, most - added)
  }

  add(): void {
    this.#added += 1
  }

  /** Whole seconds until one more fits, 0 when it fits now, and Infinity when it never will. */
  waitSeconds(now: Date): number {
    const { most, seconds } = this.#limit
    if (most === 0) return Number.POSITIVE_INFINITY
    if (this.#added >= most) return seconds
    const decisive = this.#known.times[most - this.#added - 1 - this.#known.skipped]
    return decisive ? secondsUntil(new Date(decisive.getTime() + seconds * 1000), now) : 0
  }
}

/** D27: rounded up, so that whoever waits that long is not refused again. */
export function secondsUntil(at: Date, now: Date): number {
  return Math.max(0, Math.ceil((at.getTime() - now.getTime()) / 1000))
}
