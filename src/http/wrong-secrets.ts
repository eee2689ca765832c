// Remembers wrong keys and tokens (D35), so that each is looked up in the database at most once a minute.
import { RecentMap } from '../runtime/recent.ts'

const FOR_MS = 60_000
const MAX_HASHES = 10_000

/**
 * Hashes of wrong secrets, per process. A remembered hash never blocks a valid secret: secrets are random, so a new secret was never
 * tried before, and a rotated or revoked secret never becomes valid again.
 */
export class WrongSecrets {
  readonly #hashes = new RecentMap<true>({ most: MAX_HASHES, forMs: FOR_MS })

  has(hash: string): boolean {
    return this.#hashes.get(hash) === true
  }

  add(hash: string): void {
    this.#hashes.set(hash, true)
  }
}
