// Chance as a port: ids, secrets and codes are drawn here and nowhere else.
import { randomBytes, randomInt } from 'node:crypto'

export interface Chance {
  bytes(count: number): Buffer
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number
}

export const systemChance: Chance = {
  bytes: (count) => randomBytes(count),
  below: (below) => randomInt(below),
}
