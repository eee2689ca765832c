// What the outcomes of submissions say of their carrier: whether it works, told in the log when that changes, and whether it is given
// too much.

import type { Carrier } from '../../domain/carriers/carrier.ts'
import { Circuit } from '../../domain/carriers/carrier-health.ts'
import { FullInboxes } from '../../domain/messages/full-inboxes.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Submitted } from '../connection.ts'

export interface WatchOptions {
  /** As it is now. */
  carrier: () => Carrier
  clock: Clock
  log: Log
  /** It works again, or does not any more. */
  onChange: () => void
  /** It was given too much, then, by the machine's own time. */
  onThrottled: (at: number) => void
  /** It answers no submissions, though the link stands. */
  onSilent: () => void
}

/** Something that went out, until it has come out. */
export interface Sent {
  to: string
  at: number
  circuit: Circuit
}

export class Watch {
  readonly #options: WatchOptions
  readonly #inboxes = new FullInboxes()
  #circuit: Circuit

  constructor(options: WatchOptions) {
    this.#options = options
    this.#circuit = new Circuit(options.clock.now())
  }

  get circuit(): Circuit {
    return this.#circuit
  }

  /** It is another carrier now: what was known of the one before counts no more. */
  beginAnew(): void {
    this.#circuit = new Circuit(this.#options.clock.now())
  }

  begin(to: string): Sent {
    this.#circuit.begin(to, this.#options.clock.now())
    return { to, at: performance.now(), circuit: this.#circuit }
  }

  end(sent: Sent, submitted: Submitted): void {
    sent.circuit.end(sent.to)
    this.hear(sent, submitted)
  }

  /** An outcome, which may be a late one. */
  hear({ to, at, circuit }: Sent, { sign, said }: Submitted): void {
    if (sign === 'nothing') return
    const isFull = sign !== 'silent' && this.#inboxes.add(to, sign === 'full')
    if (sign === 'throttles' || isFull) this.#options.onThrottled(at)
    if (circuit !== this.#circuit) return
    this.#judging(() => circuit.recordOutcome(sign, { ...this.#limits(), to, said }))
    if (sign === 'silent' && circuit.isSilent) this.#options.onSilent()
  }

  look({ hasRoom }: { hasRoom: boolean }): void {
    this.#judging(() => this.#circuit.checkSilence({ ...this.#limits(), hasRoom }))
  }

  #limits() {
    const { breakAfterUnanswered, breakAfterRefused } = this.#options.carrier()
    return { breakAfterUnanswered, breakAfterRefused, now: this.#options.clock.now() }
  }

  /** Tells, once, when the circuit breaks and when it has healed. */
  #judging(judge: () => void): void {
    const { isBroken, since } = this.#circuit
    judge()
    if (this.#circuit.isBroken === isBroken) return
    const { log, onChange } = this.#options
    const { name: carrier } = this.#options.carrier()
    if (isBroken) {
      const seconds = Math.round((this.#circuit.since.getTime() - since.getTime()) / 1000)
      log.info({ carrier, seconds }, 'a carrier works again')
    } else {
      const { reason } = this.#circuit
      log.warn({ carrier, reason }, 'a carrier does not work; others take its messages, and one at a time tries it')
    }
    onChange()
  }
}
