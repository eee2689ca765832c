// How fast one process submits to a carrier's account: a token bucket counted in segments that slows down when the
// carrier says so, and recovers by itself. It runs on the machine's own time, as the carrier does.

const PAUSE_MS = 1_000
const RECOVERY_PER_SECOND = 1.05
/** Without a limit of its own, an account that was not throttled for so long is unlimited again. */
const FORGIVEN_AFTER_MS = 60_000
/** However often it is throttled, an account keeps this part of its contract, or of its recent peak, and a few per second. */
const LEAST_PART = 0.1
const LEAST_PER_SECOND = 10
/** What may go at once: a tenth of a second's worth, so that a carrier that counts finely sees no bursts. */
const BURST_SECONDS = 0.1
/** The segments of the longest message: so much one may overdraw. */
const LONGEST_MESSAGE = 6
const MEASURED_MS = 1_000
/** A peak is forgotten little by little: half of it after about seven seconds. */
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

  /** The contract may change while the carrier is at work. */
  set contract(perSecond: number | null) {
    if (perSecond === this.#contract) return
    this.#contract = perSecond
    this.#limit = perSecond
  }

  /** How many segments may go now. A long message may overdraw it once; the next ones wait that off. */
  get room(): number {
    this.#refill()
    if (this.#now() < this.#pausedUntil) return 0
    return this.#limit === null ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor(this.#tokens))
  }

  /** How long until there is room again; 0 when there is. */
  get waitMs(): number {
    if (this.room > 0) return 0
    const paused = this.#pausedUntil - this.#now()
    const refilled = this.#limit === null ? 0 : ((1 - this.#tokens) / this.#limit) * 1000
    return Math.max(1, Math.ceil(Math.max(paused, refilled)))
  }

  /**
   * So much goes out. What was claimed before the account slowed down may be far more than it has room for now, and that is not waited
   * off: the debt is a burst at most, or a long message.
   */
  take(segments: number): void {
    this.#refill()
    if (this.#limit !== null) this.#tokens = Math.max(this.#tokens - segments, -Math.max(this.#burst, LONGEST_MESSAGE))
    this.#measure()
    this.#measured += segments
  }

  /** The carrier throttled what went out then: a second's pause, half the speed, and from there on five per cent more each second. */
  slowDown(wentAt: number): void {
    // What was under way together is one complaint, whenever its answers come.
    if (wentAt <= this.#slowedAt) return
    this.#refill()
    this.#measure()
    const now = this.#now()
    const peak = Math.max(this.#peak, this.#measured)
    const least = Math.max(LEAST_PER_SECOND, (this.#contract ?? peak) * LEAST_PART)
    const halved = Math.max(least, Math.min(this.#limit ?? peak, peak) / 2)
    this.#limit = Math.min(halved, this.#contract ?? Number.POSITIVE_INFINITY)
    this.#tokens = Math.min(this.#tokens, 1)
    this.#pausedUntil = now + PAUSE_MS
    this.#slowedAt = now
  }

  /** Segments per second, as measured over the last whole second. */
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
