// Random numbers as a port: the only source of ids, secrets and OTPs.
import { randomBytes, randomInt } from 'node:crypto'

export interface Random {
  bytes(count: number): Buffer
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number
}

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  below: (below) => randomInt(below),
}
