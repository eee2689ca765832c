// What the log tells of questions to a carrier (D54): what it does not answer, or nobody can read, and that there are more than may be asked;
// each not over and over.
import type { Redactor } from '../../domain/carriers/http/redact.ts'
import type { Log } from '../../runtime/log.ts'
import { RecentMap } from '../../runtime/recent.ts'
import { isAway } from '../../store/database/db.ts'

const TOLD_AGAIN_MS = 5 * 60_000
const MOST_KINDS = 50
const LATE_MS = 10 * 60_000

export class PollLog {
  readonly #log: Log
  readonly #carrier: string
  readonly #redactor: Redactor
  readonly #told = new RecentMap<true>({ most: MOST_KINDS, forMs: TOLD_AGAIN_MS })

  constructor(log: Log, carrier: string, redactor: Redactor) {
    this.#log = log
    this.#carrier = carrier
    this.#redactor = redactor
  }

  odd(why: string): void {
    this.#tell(this.#redactor.words(why), 'a carrier that was asked for receipts gave none')
  }

  late(dueAt: Date, now: Date): void {
    if (now.getTime() - dueAt.getTime() < LATE_MS) return
    this.#tell('late', 'receipts are asked for later than they are due; perSecond, atOnce or many would help')
  }

  failed(fault: unknown): void {
    if (!isAway(fault))
      this.#log.error({ err: fault, carrier: this.#carrier }, 'what a carrier told could not be stored')
  }

  #tell(why: string, words: string): void {
    const key = `${words} ${why}`
    if (this.#told.get(key)) return
    this.#told.set(key, true)
    this.#log.warn({ carrier: this.#carrier, why }, words)
  }
}
