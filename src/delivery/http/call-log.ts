// What the log tells of a carrier over HTTP: that it is reached, that it is not, and what it answers that nobody can read; each not over
// and over.
import type { Log } from '../../runtime/log.ts'

const REPEATED_AFTER_MS = 5 * 60_000
const MOST_KINDS = 50

export class CallLog {
  readonly #log: Log
  readonly #fields: { carrier: string; bind: number }
  /** When each was last told, by the machine's own time. */
  readonly #told = new Map<string, number>()

  constructor(log: Log, fields: { carrier: string; bind: number }) {
    this.#log = log
    this.#fields = fields
  }

  reached(): void {
    this.#told.delete('down')
    this.#log.info(this.#fields, 'a carrier is reached over HTTP')
  }

  lost(reason: string): void {
    if (this.#isNews('down')) this.#log.warn({ ...this.#fields, reason }, 'a carrier is not reached over HTTP')
  }

  odd(why: string, fields: { messageId: string; said: string | null }): void {
    if (this.#isNews(why))
      this.#log.warn({ ...this.#fields, ...fields, why }, 'an answer of a carrier cannot be read as it is described')
  }

  unsendable(messageId: string, why: string): void {
    this.#log.error({ ...this.#fields, messageId, why }, 'a message cannot be said in a call to this carrier')
  }

  failed(fault: unknown): void {
    this.#log.error({ ...this.#fields, err: fault }, 'a call to a carrier failed on our side')
  }

  #isNews(what: string): boolean {
    const now = performance.now()
    const told = this.#told.get(what)
    if (told !== undefined ? now - told < REPEATED_AFTER_MS : this.#told.size >= MOST_KINDS) return false
    this.#told.set(what, now)
    return true
  }
}
