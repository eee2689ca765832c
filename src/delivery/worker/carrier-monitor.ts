// Derives the health of a carrier from its responses, logs changes and detects throttling.

import type { Carrier } from '../../domain/carriers/carrier.ts'
import { Circuit } from '../../domain/carriers/carrier-health.ts'
import { FullInboxes } from '../../domain/messages/full-inboxes.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { SubmissionResult } from '../connection.ts'

interface CarrierMonitorOptions {
  carrier: () => Carrier
  clock: Clock
  log: Log
  /** Called when the health changes. */
  onChange: () => void
  /** Called with the monotonic time of the throttled submission. */
  onThrottled: (at: number) => void
  /** Called when a bound carrier does not respond to submissions. */
  onSilent: () => void
}

interface PendingSubmission {
  to: string
  at: number
  circuit: Circuit
}

export class CarrierMonitor {
  readonly #options: CarrierMonitorOptions
  readonly #inboxes = new FullInboxes()
  #circuit: Circuit

  constructor(options: CarrierMonitorOptions) {
    this.#options = options
    this.#circuit = new Circuit(options.clock.now())
  }

  get circuit(): Circuit {
    return this.#circuit
  }

  /** Forgets the health of the previous settings. */
  reset(): void {
    this.#circuit = new Circuit(this.#options.clock.now())
  }

  begin(to: string): PendingSubmission {
    this.#circuit.begin(to, this.#options.clock.now())
    return { to, at: performance.now(), circuit: this.#circuit }
  }

  end(sent: PendingSubmission, submitted: SubmissionResult): void {
    sent.circuit.end(sent.to)
    this.receive(sent, submitted)
  }

  /** Handles a result, possibly a late one. */
  receive({ to, at, circuit }: PendingSubmission, { sign, said }: SubmissionResult): void {
    if (sign === 'nothing') return
    const isFull = sign !== 'silent' && this.#inboxes.add(to, sign === 'full')
    if (sign === 'throttles' || isFull) this.#options.onThrottled(at)
    if (circuit !== this.#circuit) return
    this.#trackChange(() => circuit.recordOutcome(sign, { ...this.#limits(), to, said }))
    if (sign === 'silent' && circuit.isSilent) this.#options.onSilent()
  }

  check({ hasRoom }: { hasRoom: boolean }): void {
    this.#trackChange(() => this.#circuit.checkSilence({ ...this.#limits(), hasRoom }))
  }

  #limits() {
    const { breakAfterUnanswered, breakAfterRefused } = this.#options.carrier()
    return { breakAfterUnanswered, breakAfterRefused, now: this.#options.clock.now() }
  }

  /** Logs once when the circuit opens and once when it closes. */
  #trackChange(judge: () => void): void {
    const { isBroken, since } = this.#circuit
    judge()
    if (this.#circuit.isBroken === isBroken) return
    const { log, onChange } = this.#options
    const { name: carrier } = this.#options.carrier()
    if (isBroken) {
      const seconds = Math.round((this.#circuit.since.getTime() - since.getTime()) / 1000)
      log.info({ carrier, seconds }, 'carrier recovered')
    } else {
      const { reason } = this.#circuit
      log.warn({ carrier, reason }, 'carrier failing, rerouting its messages')
    }
    onChange()
  }
}
