// What the log tells of one bind: that it was bound, that it was lost, that it cannot be made, each with the reason, and a
// carrier that stays down not at every try.

import type { BindName } from '../../domain/carriers/bind.ts'
import type { SmppCarrier } from '../../domain/carriers/carrier.ts'
import type { Log } from '../../runtime/log.ts'

const REPEATED_AFTER_MS = 5 * 60_000
const STRAY_AGAIN_AFTER_MS = 60_000

export interface BindLogOptions extends Pick<BindName, 'number'> {
  carrier: Pick<SmppCarrier, 'name'>
  log: Log
  monotonicNow: () => number
}

export class BindLog {
  readonly #log: Log
  readonly #fields: { carrier: string; bind: number }
  readonly #monotonicNow: () => number
  #strays = 0
  #strayToldAt: number | null = null
  /** When and why it was last told that it cannot be made; null when it has been bound since. */
  #told: { at: number; reason: string } | null = null

  constructor({ log, carrier, number, monotonicNow }: BindLogOptions) {
    this.#log = log
    this.#fields = { carrier: carrier.name, bind: number }
    this.#monotonicNow = monotonicNow
  }

  /** An answer that fits no request of ours, or comes a second time: one line a minute, with how many there were before it. */
  strayed(answer: { command: string; sequence: number; status: string }): void {
    const now = this.#monotonicNow()
    this.#strays += 1
    if (this.#strayToldAt !== null && now - this.#strayToldAt < STRAY_AGAIN_AFTER_MS) return
    this.#strayToldAt = now
    this.#log.warn({ ...this.#fields, ...answer, strays: this.#strays }, 'a carrier answered what nobody asked')
  }

  bound(peer: string | null): void {
    this.#told = null
    this.#log.info({ ...this.#fields, peer }, 'a carrier is bound')
  }

  lost(reason: string): void {
    this.#log.warn({ ...this.#fields, reason }, 'the link to a carrier is lost')
  }

  failed(reason: string): void {
    const now = this.#monotonicNow()
    if (this.#told?.reason === reason && now - this.#told.at < REPEATED_AFTER_MS) return
    this.#told = { at: now, reason }
    this.#log.warn({ ...this.#fields, reason }, 'a carrier cannot be bound; it is tried again and again')
  }
}
