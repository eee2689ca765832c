// Logs the requests of API clients in batches, outside the request path. Entries that cannot be written are dropped and counted.
import { type AnsweredRequest, RequestLogBuffer, type UnknownKeyRequest } from '../../domain/workspaces/request-log.ts'
import type { Log } from '../../runtime/log.ts'
import { isAway } from '../../store/database/db.ts'
import {
  addRequestSums,
  addUnknownKeySums,
  insertRefusedRequests,
  insertSuccessfulRequests,
} from '../../store/workspaces/request-log.ts'
import type { Ports } from '../ports.ts'

const WRITE_AFTER_MS = 500

export class RequestLog {
  readonly #ports: Ports
  readonly #log: Log
  readonly #dropped: (requests: number) => void
  readonly #gathered = new RequestLogBuffer()
  #timer: NodeJS.Timeout | null = null
  #writing = Promise.resolve()

  constructor(ports: Ports, log: Log, dropped: (requests: number) => void) {
    this.#ports = ports
    this.#log = log
    this.#dropped = dropped
  }

  note(request: Omit<AnsweredRequest, 'at'>): void {
    if (!this.#gathered.add({ ...request, at: this.#ports.clock.now() })) this.#dropped(1)
    this.#schedule()
  }

  noteUnknownKey(request: Omit<UnknownKeyRequest, 'at'>): void {
    this.#gathered.addUnknownKey({ ...request, at: this.#ports.clock.now() })
    this.#schedule()
  }

  /** Writes all noted requests. */
  async close(): Promise<void> {
    if (this.#timer) this.#begin()
    await this.#writing
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#begin(), WRITE_AFTER_MS).unref()
  }

  /** One write at a time. While the database is slow, requests collect, and above the limit they are dropped. */
  #begin(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#writing = this.#writing.then(() => this.#write())
  }

  async #write(): Promise<void> {
    const { refused, successful, sums, unknownKeys } = this.#gathered.take()
    if (sums.length === 0 && unknownKeys.length === 0) return
    try {
      await this.#ports.logDb.pipelined((queries) =>
        Promise.all([
          addRequestSums(queries, sums),
          insertRefusedRequests(queries, refused),
          insertSuccessfulRequests(queries, successful),
          addUnknownKeySums(queries, unknownKeys),
        ]),
      )
      if (unknownKeys.length > 0) this.#ports.changeFeed.publishIn(null, 'requests')
      this.#ports.changeFeed.publishTopic('requests', () => new Set(sums.map((it) => it.workspaceId)))
    } catch (error) {
      this.#dropped([...sums, ...unknownKeys].reduce((all, it) => all + it.requests, 0))
      if (!isAway(error)) this.#log.warn({ err: error }, 'writing the request log failed')
    }
  }
}
