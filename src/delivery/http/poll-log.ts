// Logs problems of receipt polls (D54), with a limit on repeated lines.
import type { Redactor } from '../../domain/carriers/http/redact.ts'
import type { Log } from '../../runtime/log.ts'
import { RecentMap } from '../../runtime/recent.ts'
import { isAway } from '../../store/database/db.ts'

const LOG_AGAIN_MS = 5 * 60_000
const MAX_KINDS = 50
const LATE_MS = 10 * 60_000

export class PollLog {
  readonly #log: Log
  readonly #carrier: string
  readonly #redactor: Redactor
  readonly #logged = new RecentMap<true>({ most: MAX_KINDS, forMs: LOG_AGAIN_MS })

  constructor(log: Log, carrier: string, redactor: Redactor) {
    this.#log = log
    this.#carrier = carrier
    this.#redactor = redactor
  }

  failedPoll(why: string): void {
    this.#warnOnce(this.#redactor.words(why), 'receipt poll failed')
  }

  late(dueAt: Date, now: Date): void {
    if (now.getTime() - dueAt.getTime() < LATE_MS) return
    this.#warnOnce('late', 'receipt polls are late; raise perSecond, atOnce or many')
  }

  failedStore(error: unknown): void {
    if (!isAway(error)) this.#log.error({ err: error, carrier: this.#carrier }, 'failed to store polled receipts')
  }

  #warnOnce(why: string, message: string): void {
    const key = `${message} ${why}`
    if (this.#logged.get(key)) return
    this.#logged.set(key, true)
    this.#log.warn({ carrier: this.#carrier, why }, message)
  }
}
