// Wakes the role that has new work: at once within the process, by one NOTIFY per batch across processes. A ring may be
// lost; every role also looks for itself now and then. Over the same wire processes tell each other what they need to know.
import { inBackground, type Log } from '../../runtime/log.ts'
import { type Db, isAway } from './db.ts'
import { sql } from './sql.ts'

/** Without a space, by which they are told from what `tell` says. */
export type Station = 'delivery' | 'carriers' | 'carrierTests' | 'orphans' | 'webhooks'

const CHANNEL = 'hulaki_work'
const LISTEN_AGAIN_MS = 1_000
/** PostgreSQL carries less than 8000 bytes in one. */
export const LONGEST_WORD = 7_500

export class Bell {
  readonly #db: Db
  readonly #notifyDb: Db
  readonly #log: Log
  readonly #wakers = new Map<string, () => void>()
  readonly #hearers = new Map<string, Hearer>()
  /** Those that other processes play as well. */
  readonly #shared = new Set<Station>()
  readonly #toRing = new Set<string>()
  #ringing: Promise<void> | null = null
  #listening: Promise<void> | null = null
  #stopListening: (() => Promise<void>) | null = null
  #stopped = false

  /** `notifyDb` is its own: whoever rings must not take a connection that is warm with somebody's work. */
  constructor({ db, notifyDb }: { db: Db; notifyDb: Db }, log: Log) {
    this.#db = db
    this.#notifyDb = notifyDb
    this.#log = log
  }

  /** This process plays the role: `wake` is called when there may be work for it. */
  async answer(station: Station, wake: () => void): Promise<void> {
    this.#wakers.set(station, wake)
    this.#listening ??= this.#listen()
    await this.#listening
  }

  /** This process no longer plays the role: what is rung for it from now on is for others. */
  leave(station: Station): void {
    this.#wakers.delete(station)
  }

  /** Whether other processes play the role too: then whoever rings for it here wakes them all. */
  share(station: Station, hasCompany: boolean): void {
    if (hasCompany) this.#shared.add(station)
    else this.#shared.delete(station)
  }

  /**
   * After the commit of what makes the work: wakes the role here, or rings for it elsewhere. Not inside: commits that carry a
   * NOTIFY queue up behind each other's fsync. However often it is rung meanwhile, one NOTIFY is under way.
   */
  ring(station: Station): void {
    const wake = this.#wakers.get(station)
    if (!wake || this.#shared.has(station)) this.#notify(station)
    wake?.()
  }

  /** What every process is told on this subject, this one included, comes here. */
  async hear(subject: string, hearer: Hearer): Promise<void> {
    this.#hearers.set(subject, hearer)
    this.#listening ??= this.#listen()
    await this.#listening
  }

  /** Tells all processes that listen: a subject without a space, and a word no longer than LONGEST_WORD. */
  tell(subject: string, word: string): void {
    this.#notify(`${subject} ${word}`)
  }

  #notify(payload: string): void {
    if (this.#stopped) return
    this.#toRing.add(payload)
    this.#ringing ??= this.#ringElsewhere()
  }

  async #ringElsewhere(): Promise<void> {
    try {
      for (const payload of this.#toRing) {
        this.#toRing.delete(payload)
        await this.#notifyDb.query(sql`select pg_notify(${CHANNEL}, ${payload})`)
      }
    } catch (fault) {
      // What was told is old by the time it could be heard; who has work is still to be woken.
      for (const payload of this.#toRing) if (payload.includes(' ')) this.#toRing.delete(payload)
      if (!isAway(fault))
        this.#log.warn({ err: fault }, 'cannot wake the roles of other processes; they look for work now and then')
    }
    this.#ringing = null
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#ringing
    await this.#stopListening?.()
  }

  async #listen(): Promise<void> {
    const listenAgain = () => inBackground(this.#listen(), this.#log, 'listening for work of other processes')
    const again = () => {
      if (!this.#stopped) setTimeout(listenAgain, LISTEN_AGAIN_MS).unref()
    }
    try {
      this.#stopListening = await this.#db.listen(CHANNEL, (payload) => this.#heard(payload), again)
      // What was rung while nobody listened is looked for now.
      for (const wake of this.#wakers.values()) wake()
      for (const { resumed } of this.#hearers.values()) resumed?.()
    } catch (fault) {
      if (!isAway(fault))
        this.#log.warn({ err: fault }, 'cannot listen for work of other processes; looking for it now and then')
      again()
    }
  }

  #heard(payload: string): void {
    const space = payload.indexOf(' ')
    if (space < 0) this.#wakers.get(payload)?.()
    else this.#hearers.get(payload.slice(0, space))?.hear(payload.slice(space + 1))
  }
}

interface Hearer {
  hear: (word: string) => void
  /** From now on everything is heard; what was told before that is lost. */
  resumed?: () => void
}
