// Logs the state of one bind, with a limit on repeated lines.

import type { BindName } from '../../domain/carriers/bind.ts'
import type { SmppCarrier } from '../../domain/carriers/carrier.ts'
import type { Log } from '../../runtime/log.ts'

const FAILED_AGAIN_MS = 5 * 60_000
const UNEXPECTED_AGAIN_MS = 60_000

interface BindLogOptions extends Pick<BindName, 'number'> {
  carrier: Pick<SmppCarrier, 'name'>
  log: Log
  monotonicNow: () => number
}

export class BindLog {
  readonly #log: Log
  readonly #fields: { carrier: string; bind: number }
  readonly #monotonicNow: () => number
  #unexpected = 0
  #unexpectedLoggedAt: number | null = null
  /** The last logged bind failure; null after a successful bind. */
  #lastFailure: { at: number; reason: string } | null = null

  constructor({ log, carrier, number, monotonicNow }: BindLogOptions) {
    this.#log = log
    this.#fields = { carrier: carrier.name, bind: number }
    this.#monotonicNow = monotonicNow
  }

  /** A response without a matching request: one line per minute, with the total count. */
  unexpectedResponse(response: { command: string; sequence: number; status: string }): void {
    const now = this.#monotonicNow()
    this.#unexpected += 1
    if (this.#unexpectedLoggedAt !== null && now - this.#unexpectedLoggedAt < UNEXPECTED_AGAIN_MS) return
    this.#unexpectedLoggedAt = now
    this.#log.warn({ ...this.#fields, ...response, count: this.#unexpected }, 'unexpected response from carrier')
  }

  bound(peer: string | null): void {
    this.#lastFailure = null
    this.#log.info({ ...this.#fields, peer }, 'carrier connected')
  }

  lost(reason: string): void {
    this.#log.warn({ ...this.#fields, reason }, 'carrier connection lost')
  }

  failed(reason: string): void {
    const now = this.#monotonicNow()
    if (this.#lastFailure?.reason === reason && now - this.#lastFailure.at < FAILED_AGAIN_MS) return
    this.#lastFailure = { at: now, reason }
    this.#log.warn({ ...this.#fields, reason }, 'carrier bind failed, retrying')
  }
}
