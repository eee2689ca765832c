// The rate limit of one process for a carrier account: a token bucket in segments that slows down on throttling and recovers by itself. Uses
// the monotonic clock.

const PAUSE_MS = 1_000
const RECOVERY_PER_SECOND = 1.05
/** An account without a configured limit is unlimited again after this time without throttling. */
const FORGIVEN_AFTER_MS = 60_000
/** The lower bound after repeated throttling: a share of the contract or the recent peak, and at least a few per second. */
const MIN_SHARE = 0.1
const MIN_PER_SECOND = 10
/** The burst size, short so that carriers with fine-grained limits see no bursts. */
const BURST_SECONDS = 0.1
/** The number of segments by which a long message may overdraw the bucket. */
const MAX_MESSAGE = 6
const MEASURED_MS = 1_000
/** The peak decays to a half in about seven seconds. */
const PEAK_KEPT_PER_SECOND = 0.9

export class Pace {
  #contract: number | null
  /** null: unlimited. */
  #limit: number | null
  #tokens = 1
  #filledAt: number
  #pausedUntil = 0
  #slowedAt = Number.NEGATIVE_INFINITY
  #measuredFrom: number
  #measured = 0
  #perSecond = 0
  #peak = 0
  readonly #now: () => number

  constructor(contractPerSecond: number | null, now: () => number = () => performance.now()) {
    this.#contract = contractPerSecond
    this.#limit = contractPerSecond
    this.#now = now
    this.#filledAt = now()
    this.#measuredFrom = now()
  }

  set contract(perSecond: number | null) {
    if (perSecond === this.#contract) return
    this.#contract = perSecond
    this.#limit = perSecond
  }

  /** How many segments may be sent now. A long message may overdraw the bucket once; the next messages wait. */
  get room(): number {
    this.#refill()
    if (this.#now() < this.#pausedUntil) return 0
    return this.#limit === null ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor(this.#tokens))
  }

  /** The time until there is room; 0 if there is room. */
  get waitMs(): number {
    if (this.room > 0) return 0
    const paused = this.#pausedUntil - this.#now()
    const refilled = this.#limit === null ? 0 : ((1 - this.#tokens) / this.#limit) * 1000
    return Math.max(1, Math.ceil(Math.max(paused, refilled)))
  }

  /** Messages claimed before a slowdown may exceed the bucket, so the debt is limited to a burst or one long message. */
  take(segments: number): void {
    this.#refill()
    if (this.#limit !== null) this.#tokens = Math.max(this.#tokens - segments, -Math.max(this.#burst, MAX_MESSAGE))
    this.#measure()
    this.#measured += segments
  }

  /** Reacts to throttling: pauses for a second, halves the rate, then raises it by five per cent per second. */
  slowDown(wentAt: number): void {
    // Submissions that were in flight together count once, whenever their responses arrive.
    if (wentAt <= this.#slowedAt) return
    this.#refill()
    this.#measure()
    const now = this.#now()
    const peak = Math.max(this.#peak, this.#measured)
    const least = Math.max(MIN_PER_SECOND, (this.#contract ?? peak) * MIN_SHARE)
    const halved = Math.max(least, Math.min(this.#limit ?? peak, peak) / 2)
    this.#limit = Math.min(halved, this.#contract ?? Number.POSITIVE_INFINITY)
    this.#tokens = Math.min(this.#tokens, 1)
    this.#pausedUntil = now + PAUSE_MS
    this.#slowedAt = now
  }

  /** Segments per second, measured over the last whole second. */
  get perSecond(): number {
    this.#measure()
    return this.#perSecond
  }

  get limit(): number | null {
    this.#refill()
    return this.#limit
  }

  get #burst(): number {
    return Math.max(1, (this.#limit ?? 0) * BURST_SECONDS)
  }

  #refill(): void {
    const now = this.#now()
    const seconds = (now - this.#filledAt) / 1000
    if (seconds <= 0) return
    this.#filledAt = now
    if (this.#limit === null) return
    if (this.#contract === null && now - this.#slowedAt > FORGIVEN_AFTER_MS) {
      this.#limit = null
      return
    }
    const ceiling = this.#contract ?? Number.POSITIVE_INFINITY
    if (now > this.#pausedUntil) this.#limit = Math.min(ceiling, this.#limit * RECOVERY_PER_SECOND ** seconds)
    this.#tokens = Math.min(this.#burst, this.#tokens + this.#limit * seconds)
  }

  #measure(): void {
    const elapsedMs = this.#now() - this.#measuredFrom
    if (elapsedMs < MEASURED_MS) return
    this.#perSecond = (this.#measured * 1000) / elapsedMs
    this.#peak = Math.max(this.#perSecond, this.#peak * PEAK_KEPT_PER_SECOND ** (elapsedMs / 1000))
    this.#measured = 0
    this.#measuredFrom += elapsedMs
  }
}
