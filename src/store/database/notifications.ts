// Wakes the role that has new work: at once within the process, by one NOTIFY per batch across processes. A notification may
// be lost; every role also polls. Processes also broadcast what the others need to know over the same channel.
import { inBackground, type Log } from '../../runtime/log.ts'
import { type Db, isAway } from './db.ts'
import { sql } from './sql.ts'

/** Without a space: a space separates the subject of a broadcast from its payload. */
export type NotifiedRole = 'delivery' | 'carriers' | 'carrierTests' | 'pendingReports' | 'webhooks'

const CHANNEL = 'hulaki_work'
const LISTEN_AGAIN_MS = 1_000
/** The limit of PostgreSQL is 8000 bytes. */
export const MAX_PAYLOAD_BYTES = 7_500

export class Notifications {
  readonly #db: Db
  readonly #notifyDb: Db
  readonly #log: Log
  readonly #wakers = new Map<string, () => void>()
  readonly #subscribers = new Map<string, Subscriber>()
  /** Roles that run in other processes too. */
  readonly #shared = new Set<NotifiedRole>()
  readonly #pending = new Set<string>()
  #notifying: Promise<void> | null = null
  #listening: Promise<void> | null = null
  #stopListening: (() => Promise<void>) | null = null
  #stopped = false

  /** `notifyDb` is a separate pool, so that notifications use no connection of other work. */
  constructor({ db, notifyDb }: { db: Db; notifyDb: Db }, log: Log) {
    this.#db = db
    this.#notifyDb = notifyDb
    this.#log = log
  }

  /** This process runs the role: `wake` is called when there may be work. */
  async answer(role: NotifiedRole, wake: () => void): Promise<void> {
    this.#wakers.set(role, wake)
    this.#listening ??= this.#listen()
    await this.#listening
  }

  /** This process no longer runs the role: its notifications go to other processes. */
  leave(role: NotifiedRole): void {
    this.#wakers.delete(role)
  }

  /** Whether other processes run the role too: then a notification wakes all of them. */
  share(role: NotifiedRole, isShared: boolean): void {
    if (isShared) this.#shared.add(role)
    else this.#shared.delete(role)
  }

  /**
   * Wakes the role here, or notifies other processes. Call it after the commit: commits with a NOTIFY wait for each other's fsync.
   * One NOTIFY is in progress at a time, however often this is called.
   */
  notify(role: NotifiedRole): void {
    const wake = this.#wakers.get(role)
    if (!wake || this.#shared.has(role)) this.#notify(role)
    wake?.()
  }

  /** Receives every broadcast on this subject, also those of this process. */
  async subscribe(subject: string, subscriber: Subscriber): Promise<void> {
    this.#subscribers.set(subject, subscriber)
    this.#listening ??= this.#listen()
    await this.#listening
  }

  /** Sends to all processes that listen: a subject without a space, and a payload no longer than MAX_PAYLOAD_BYTES. */
  broadcast(subject: string, payload: string): void {
    this.#notify(`${subject} ${payload}`)
  }

  #notify(payload: string): void {
    if (this.#stopped) return
    this.#pending.add(payload)
    this.#notifying ??= this.#notifyOthers()
  }

  async #notifyOthers(): Promise<void> {
    try {
      for (const payload of this.#pending) {
        this.#pending.delete(payload)
        await this.#notifyDb.query(sql`select pg_notify(${CHANNEL}, ${payload})`)
      }
    } catch (error) {
      // A broadcast would arrive too late; a role with work must still be woken.
      for (const payload of this.#pending) if (payload.includes(' ')) this.#pending.delete(payload)
      if (!isAway(error)) this.#log.warn({ err: error }, 'notify failed, other processes poll for work')
    }
    this.#notifying = null
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#notifying
    await this.#stopListening?.()
  }

  async #listen(): Promise<void> {
    const listenAgain = () => inBackground(this.#listen(), this.#log, 'listening for notifications')
    const again = () => {
      if (!this.#stopped) setTimeout(listenAgain, LISTEN_AGAIN_MS).unref()
    }
    try {
      this.#stopListening = await this.#db.listen(CHANNEL, (payload) => this.#receive(payload), again)
      // Notifications without a listener are lost, so every role looks for work now.
      for (const wake of this.#wakers.values()) wake()
      for (const { resumed } of this.#subscribers.values()) resumed?.()
    } catch (error) {
      if (!isAway(error)) this.#log.warn({ err: error }, 'listen failed, polling for work')
      again()
    }
  }

  #receive(payload: string): void {
    const space = payload.indexOf(' ')
    if (space < 0) this.#wakers.get(payload)?.()
    else this.#subscribers.get(payload.slice(0, space))?.receive(payload.slice(space + 1))
  }
}

interface Subscriber {
  receive: (payload: string) => void
  /** Called when the connection is back: broadcasts of the meantime are lost. */
  resumed?: () => void
}
