// Keys and tokens that nobody has (D35): each is 401, however often it is tried, but looked for in the database once a minute.
import { RecentMap } from '../runtime/recent.ts'

const FOR_MS = 60_000
const MOST_HASHES = 10_000

/**
 * By its hash, kept per process. That a wrong one is remembered cannot shut out a right one: keys and tokens are drawn by chance,
 * so one that was tried before it was made does not happen; a new one is therefore never among these, on any process, and one
 * that was rotated or revoked never becomes right again.
 */
export class WrongSecrets {
  readonly #hashes = new RecentMap<true>({ most: MOST_HASHES, forMs: FOR_MS })

  has(hash: string): boolean {
    return this.#hashes.get(hash) === true
  }

  add(hash: string): void {
    this.#hashes.set(hash, true)
  }
}
