// UUIDv7 (D12): ordered by the clock, so ids made in a row land side by side in an index.
import type { Chance } from './chance.ts'
import type { Clock } from './clock.ts'

const POOL_BYTES = 1600

/** Makes ids that rise strictly within one process, also many in one millisecond. */
export class Ids {
  readonly #clock: Clock
  readonly #chance: Chance
  #pool: Buffer = Buffer.alloc(0)
  #poolAt = 0
  #lastMs = 0
  #count = 0

  constructor(clock: Clock, chance: Chance) {
    this.#clock = clock
    this.#chance = chance
  }

  next(): string {
    const ms = this.#clock.now().getTime()
    // The 12 bits after the time count up within a millisecond; when they are used up the time borrows the next one.
    if (ms > this.#lastMs) {
      this.#lastMs = ms
      this.#count = this.#random(2).readUInt16BE() & 0x7ff
    } else if (++this.#count > 0xfff) {
      this.#lastMs += 1
      this.#count = 0
    }
    const random = this.#random(8)
    random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
    const time = this.#lastMs.toString(16).padStart(12, '0')
    const tail = random.toString('hex')
    const count = this.#count.toString(16).padStart(3, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${tail.slice(0, 4)}-${tail.slice(4)}`
  }

  #random(count: number): Buffer {
    if (this.#poolAt + count > this.#pool.length) {
      this.#pool = this.#chance.bytes(POOL_BYTES)
      this.#poolAt = 0
    }
    this.#poolAt += count
    return this.#pool.subarray(this.#poolAt - count, this.#poolAt)
  }
}

/** Not above any id made at that time or later: what is older than a time is found by ids alone. */
export function lowestIdOf(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}
