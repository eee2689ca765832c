// UUIDv7 ids (D12): ordered by time, so that consecutive ids are close in an index.

import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

/** Random bytes are read for many ids at once. */
const POOL_BYTES = 4096

/** Version 7 and a 12-bit counter. */
const COUNTS = Array.from({ length: 0x1000 }, (_, count) => (0x7000 + count).toString(16))
/** By the character code of a hexadecimal digit: the variant bits and the last two bits of the digit. */
const VARIANTS: string[] = []
for (let digit = 0; digit < 16; digit++) VARIANTS[digit.toString(16).charCodeAt(0)] = '89ab'.charAt(digit & 3)

/** Ids rise strictly within one process, also within one millisecond. */
export class Ids {
  readonly #clock: Clock
  readonly #random: Random
  #pool = ''
  #poolAt = 0
  #lastMs = 0
  /** #lastMs as the beginning of an id. */
  #time = ''
  #count = 0

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  next(): string {
    const ms = this.#clock.now().getTime()
    // The 12 bits after the time are a counter within the millisecond; on overflow the id uses the next millisecond.
    if (ms > this.#lastMs) this.#begin(ms, Number.parseInt(this.#takeHex(3), 16) & 0x7ff)
    else if (++this.#count > 0xfff) this.#begin(this.#lastMs + 1, 0)
    const digits = this.#takeHex(16)
    return `${this.#time}-${COUNTS[this.#count]}-${VARIANTS[digits.charCodeAt(0)]}${digits.slice(1, 4)}-${digits.slice(4)}`
  }

  /** An id above `last`, which may come from a process whose clock is ahead. */
  nextAbove(last: string | null): string {
    const next = this.next()
    if (last === null || next > last) return next
    const above = (BigInt(`0x${last.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
    return above.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }

  #begin(ms: number, count: number): void {
    this.#lastMs = ms
    this.#time = timeText(ms)
    this.#count = count
  }

  #takeHex(characters: number): string {
    if (this.#poolAt + characters > this.#pool.length) {
      this.#pool = this.#random.bytes(POOL_BYTES).toString('hex')
      this.#poolAt = 0
    }
    this.#poolAt += characters
    return this.#pool.slice(this.#poolAt - characters, this.#poolAt)
  }
}

function timeText(ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}`
}

/** The lowest id of that time, so that older rows can be selected by id. */
export function lowestIdOf(at: Date): string {
  return `${timeText(Math.max(0, at.getTime()))}-7000-8000-000000000000`
}

export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}
