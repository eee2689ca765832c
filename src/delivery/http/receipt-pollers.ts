// Runs a receipt poller (D54) for each HTTP carrier of which this process holds a bind.
import { isDeepStrictEqual } from 'node:util'
import type { BindName } from '../../domain/carriers/bind.ts'
import type { Carrier } from '../../domain/carriers/carrier.ts'
import { pollOf } from '../../domain/carriers/http/poll.ts'
import type { PollWaits } from '../../domain/carriers/http/poll-times.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import { type PollEvents, ReceiptPoller, type ReceiptPollerOptions } from './receipt-poller.ts'

interface RunningPoller {
  settings: unknown
  poller: ReceiptPoller
}

type CommonOptions = Omit<ReceiptPollerOptions, 'carrier' | 'poll' | 'share'>

interface ReceiptPollersOptions extends Omit<CommonOptions, 'events'> {
  metrics: Metrics
  tally: Omit<PollEvents, 'poll'> & { countUnread(carrierId: string): void }
}

export class ReceiptPollers {
  readonly #options: CommonOptions
  readonly #running = new Map<string, RunningPoller>()
  /** By carrier ID; kept for disabled carriers, whose submissions in flight may still be accepted. */
  readonly #waits = new Map<string, PollWaits>()
  readonly #stopping = new Set<Promise<void>>()

  constructor({ metrics, tally, ...options }: ReceiptPollersOptions) {
    const labels = ['carrier', 'outcome']
    const polls = metrics.counter('delivery_receipt_polls_total', 'Receipt polls sent to carriers', labels)
    const poll: PollEvents['poll'] = ({ id, name }, outcome) => {
      polls.inc({ carrier: name, outcome })
      if (outcome === 'refused' || outcome === 'unreadable') tally.countUnread(id)
    }
    this.#options = { ...options, events: { ...tally, poll } }
  }

  /** Undefined: the carrier is not polled. */
  waitsOf(carrierId: string): PollWaits | undefined {
    return this.#waits.get(carrierId)
  }

  /** Starts, restarts and stops pollers to match the settings. */
  update(held: readonly BindName[], carriers: ReadonlyMap<string, Carrier>): void {
    for (const [id, carrier] of carriers) {
      const poll = pollOf(carrier)
      if (poll) this.#waits.set(id, poll)
      else this.#waits.delete(id)
    }
    const binds = Map.groupBy(held, (bind) => bind.carrierId)
    for (const id of this.#running.keys()) if (!binds.has(id)) this.#stopOne(id)
    for (const [id, own] of binds) this.#updateOne(id, carriers.get(id), own.length)
  }

  #updateOne(id: string, carrier: Carrier | undefined, binds: number): void {
    const poll = carrier ? pollOf(carrier) : null
    if (carrier?.kind !== 'http' || poll === null) {
      this.#stopOne(id)
      return
    }
    const { name, http, secretsSealed, answerSeconds } = carrier
    const share = binds / carrier.binds
    const settings = { name, http, secretsSealed, answerSeconds, share }
    if (isDeepStrictEqual(this.#running.get(id)?.settings, settings)) return
    this.#stopOne(id)
    const poller = new ReceiptPoller({ ...this.#options, carrier, poll, share })
    this.#running.set(id, { settings, poller })
  }

  #stopOne(id: string): void {
    const running = this.#running.get(id)
    if (!running) return
    this.#running.delete(id)
    const stopped = running.poller.stop().finally(() => this.#stopping.delete(stopped))
    this.#stopping.add(stopped)
  }

  async settle(): Promise<boolean> {
    await Promise.all(this.#stopping)
    const worked = await Promise.all(Array.from(this.#running.values(), ({ poller }) => poller.settle()))
    return worked.includes(true)
  }

  async stop(): Promise<void> {
    for (const id of this.#running.keys()) this.#stopOne(id)
    await Promise.all(this.#stopping)
  }
}
