// Counts the rows of a table and adds up their hashes, so that two copies can be compared although their rows have another order.
import { hash } from 'node:crypto'

export interface Tally {
  rows: number
  /** The sum of the SHA-256 of all rows, as eight numbers of 32 bits. */
  checksum: string
}

const LANES = 8

export class RowTally {
  readonly #sums = new Uint32Array(LANES)
  #rows = 0

  add(row: Buffer): void {
    const digest = hash('sha256', row, 'buffer')
    for (let lane = 0; lane < LANES; lane++)
      this.#sums[lane] = (this.#sums[lane] ?? 0) + digest.readUInt32LE(lane * Uint32Array.BYTES_PER_ELEMENT)
    this.#rows += 1
  }

  total(): Tally {
    const checksum = Array.from(this.#sums, (sum) => sum.toString(16).padStart(8, '0')).join('')
    return { rows: this.#rows, checksum }
  }
}

export function isSameTally(one: Tally, other: Tally): boolean {
  return one.rows === other.rows && one.checksum === other.checksum
}
