// Logs the state of an HTTP carrier, with a limit on repeated lines.
import type { Log } from '../../runtime/log.ts'

const REPEATED_AFTER_MS = 5 * 60_000
const MAX_KINDS = 50

export class CallLog {
  readonly #log: Log
  readonly #fields: { carrier: string; bind: number }
  /** The monotonic time of the last log line, by kind. */
  readonly #logged = new Map<string, number>()

  constructor(log: Log, fields: { carrier: string; bind: number }) {
    this.#log = log
    this.#fields = fields
  }

  reached(): void {
    this.#logged.delete('down')
    this.#log.info(this.#fields, 'carrier connected')
  }

  lost(reason: string): void {
    if (this.#shouldLog('down')) this.#log.warn({ ...this.#fields, reason }, 'carrier not reachable, retrying')
  }

  unreadable(why: string, fields: { messageId: string; said: string | null }): void {
    if (this.#shouldLog(why)) this.#log.warn({ ...this.#fields, ...fields, why }, 'unreadable response from carrier')
  }

  unencodable(messageId: string, why: string): void {
    this.#log.error({ ...this.#fields, messageId, why }, 'message cannot be encoded for carrier')
  }

  failed(error: unknown): void {
    this.#log.error({ ...this.#fields, err: error }, 'carrier call failed with an internal error')
  }

  #shouldLog(what: string): boolean {
    const now = performance.now()
    const loggedAt = this.#logged.get(what)
    if (loggedAt !== undefined ? now - loggedAt < REPEATED_AFTER_MS : this.#logged.size >= MAX_KINDS) return false
    this.#logged.set(what, now)
    return true
  }
}
