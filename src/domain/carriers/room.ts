// The capacity of a carrier: slots in the windows of its binds, one per submission, and segments per second as agreed with the carrier.
import type { MessageType } from '../message-type.ts'

export interface Load {
  submissions: number
  segments: number
}

interface RoomFacts {
  /** Slots in the windows, and how many of them are free. */
  places: number
  free: number
  /** Segments that may be sent now; may be infinite. */
  tokens: number
}

/** One slot in this many is reserved for OTPs (D16). */
const CODES_SHARE = 5

export class Room {
  readonly #facts: RoomFacts
  readonly #kept: number
  readonly #tokens: number
  #free: number
  #segments = 0
  #isEmpty: boolean
  #isFull = false

  constructor(facts: RoomFacts) {
    const { places, free, tokens } = facts
    this.#facts = facts
    this.#kept = places > 1 ? Math.ceil(places / CODES_SHARE) : 0
    this.#free = free
    this.#tokens = tokens
    this.#isEmpty = free === places
  }

  /** Taking from the copy does not change the original. */
  copy(): Room {
    const copy = new Room(this.#facts)
    copy.#free = this.#free
    copy.#segments = this.#segments
    copy.#isEmpty = this.#isEmpty
    copy.#isFull = this.#isFull
    return copy
  }

  /** At most this many messages, if each has one segment. */
  availableFor(type: MessageType): number {
    const places = this.#placesFor(type)
    return this.#isFull ? 0 : Math.max(0, Math.min(places, Math.ceil(this.#tokens - this.#segments)))
  }

  /** Once a message does not fit, no later one is taken: messages keep their order. */
  take(type: MessageType, load: Load): boolean {
    this.#isFull ||= !this.#fits(type, load)
    if (this.#isFull) return false
    this.#isEmpty = false
    this.#free -= load.submissions
    this.#segments += load.segments
    return true
  }

  #fits(type: MessageType, { submissions, segments }: Load): boolean {
    if (this.availableFor(type) === 0) return false
    // The first message may exceed the rate, and empty windows that are too small for it. It would wait forever otherwise.
    const isQuickEnough = this.#segments === 0 || this.#segments + segments <= this.#tokens
    return isQuickEnough && (this.#isEmpty || submissions <= this.#placesFor(type))
  }

  #placesFor(type: MessageType): number {
    return type === 'otp' ? this.#free : this.#free - this.#kept
  }
}

/** A carrier is full after claims without free capacity for this long. */
const FULL_AFTER_MS = 1_000

export class Saturation {
  #since: number | null = null

  /** `hasRoom`: the claim left capacity. `now` is a monotonic time. */
  claimed({ hasRoom, now }: { hasRoom: boolean; now: number }): void {
    if (hasRoom) this.#since = null
    else this.#since ??= now
  }

  isFull(now: number): boolean {
    return this.#since !== null && now - this.#since >= FULL_AFTER_MS
  }
}
