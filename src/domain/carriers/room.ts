// How much a carrier may be given at once: places in the windows of its binds, one for each submission, and segments of the
// speed agreed with it. A long message takes several of both.
import type { MessageType } from '../message-type.ts'

export interface Load {
  submissions: number
  segments: number
}

interface RoomFacts {
  /** Places in the windows, and how many of those are free. */
  places: number
  free: number
  /** Segments that may go now; may be infinite. */
  tokens: number
}

/** Of the windows, one part in so many is kept free for codes (D16). */
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

  /** What is taken from the copy is not taken from this. */
  copy(): Room {
    const copy = new Room(this.#facts)
    copy.#free = this.#free
    copy.#segments = this.#segments
    copy.#isEmpty = this.#isEmpty
    copy.#isFull = this.#isFull
    return copy
  }

  /** Messages at most, were they all as short as can be. */
  mostOf(type: MessageType): number {
    const places = this.#placesFor(type)
    return this.#isFull ? 0 : Math.max(0, Math.min(places, Math.ceil(this.#tokens - this.#segments)))
  }

  /** Takes a message in, or none any more: what comes behind one that does not fit waits for its turn. */
  take(type: MessageType, load: Load): boolean {
    this.#isFull ||= !this.#fits(type, load)
    if (this.#isFull) return false
    this.#isEmpty = false
    this.#free -= load.submissions
    this.#segments += load.segments
    return true
  }

  #fits(type: MessageType, { submissions, segments }: Load): boolean {
    if (this.mostOf(type) === 0) return false
    // The first may overdraw the speed, and empty windows that are too small for it: else it would wait for ever.
    const isQuickEnough = this.#segments === 0 || this.#segments + segments <= this.#tokens
    return isQuickEnough && (this.#isEmpty || submissions <= this.#placesFor(type))
  }

  #placesFor(type: MessageType): number {
    return type === 'otp' ? this.#free : this.#free - this.#kept
  }
}

/** Claims that took all there was room for, one after the other for so long, say that there is more than a carrier can be given. */
const FULL_AFTER_MS = 1_000

export class Saturation {
  #since: number | null = null

  /** A claim has come back: whether it left room, and when, by a clock that only rises. */
  claimed({ hasRoom, now }: { hasRoom: boolean; now: number }): void {
    if (hasRoom) this.#since = null
    else this.#since ??= now
  }

  isFull(now: number): boolean {
    return this.#since !== null && now - this.#since >= FULL_AFTER_MS
  }
}
