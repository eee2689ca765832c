// Sliding windows (§5.4, §8.2, D27): how long until one more fits.

export interface WindowLimit {
  scope: string
  most: number
  seconds: number
  /** Set for a limit that took effect at a time: earlier messages of this client to this number also count (D39). */
  setAfter?: { clientId: string; to: string; at: Date }
}

/** What to load of a window: of its `most` newest entries, the ones that can decide. */
export interface WindowRead {
  limit: WindowLimit
  since: Date
  /** How many of the newest entries cannot decide. */
  skipped: number
  /** Set if the limit took effect within the window: earlier messages also count (D39). */
  setAfter: NonNullable<WindowLimit['setAfter']> | null
}

/** One read per scope: as many entries can decide as the batch has requests for it. */
export function windowReadsOf(limits: WindowLimit[], now: Date): WindowRead[] {
  const asks = new Map<string, { limit: WindowLimit; requests: number }>()
  for (const limit of limits) asks.set(limit.scope, { limit, requests: (asks.get(limit.scope)?.requests ?? 0) + 1 })
  return Array.from(asks.values(), ({ limit, requests }) => {
    const since = new Date(now.getTime() - limit.seconds * 1000)
    const setAfter = limit.setAfter && limit.setAfter.at > since ? limit.setAfter : null
    return { limit, since, setAfter, skipped: SlidingWindow.skippedBy(limit, requests) }
  })
}

/** The entries that can decide, newest first, without the `skipped` newest ones. */
interface KnownHits {
  skipped: number
  times: readonly Date[]
}

/** A loaded window. */
export interface KnownWindow extends KnownHits {
  limit: WindowLimit
}

/**
 * A window during a batch. One more fits if fewer than `most` entries are inside; otherwise the oldest of the `most` newest must leave first.
 * Each added entry moves the decision to the entry before, so as many can decide as the batch may add.
 */
export class SlidingWindow {
  readonly #limit: WindowLimit
  readonly #known: KnownHits
  #added = 0

  constructor(limit: WindowLimit, known: KnownHits) {
    this.#limit = limit
    this.#known = known
  }

  /** How many of the newest entries cannot decide if a batch adds at most this many. */
  static skippedBy({ most }: WindowLimit, added: number): number {
    return Math.max(0, most - added)
  }

  add(): void {
    this.#added += 1
  }

  /** Whole seconds until one more fits; 0 for now, Infinity for never. */
  waitSeconds(now: Date): number {
    const { most, seconds } = this.#limit
    if (most === 0) return Number.POSITIVE_INFINITY
    if (this.#added >= most) return seconds
    const decisive = this.#known.times[most - this.#added - 1 - this.#known.skipped]
    return decisive ? secondsUntil(new Date(decisive.getTime() + seconds * 1000), now) : 0
  }
}

/** D27: rounded up, so that a client that waits this long is not rejected again. */
export function secondsUntil(at: Date, now: Date): number {
  return Math.max(0, Math.ceil((at.getTime() - now.getTime()) / 1000))
}
