// Which carriers this process asks for receipts (D54): those over HTTP that it may call, which is what it holds binds of them for.
import { isDeepStrictEqual } from 'node:util'
import type { BindName } from '../../domain/carriers/bind.ts'
import type { Carrier } from '../../domain/carriers/carrier.ts'
import { pollOf } from '../../domain/carriers/http/poll.ts'
import type { PollWaits } from '../../domain/carriers/http/poll-times.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import { type PollEvents, ReceiptPoller, type ReceiptPollerOptions } from './receipt-poller.ts'

interface Kept {
  settings: unknown
  poller: ReceiptPoller
}

type CommonOptions = Omit<ReceiptPollerOptions, 'carrier' | 'poll' | 'share'>

export interface ReceiptPollersOptions extends Omit<CommonOptions, 'events'> {
  metrics: Metrics
  tally: Omit<PollEvents, 'poll'> & { countUnread(carrierId: string): void }
}

export class ReceiptPollers {
  readonly #options: CommonOptions
  readonly #kept = new Map<string, Kept>()
  /** By carrier, also of those that were switched off since: what they have on the wire may still be accepted. */
  readonly #waits = new Map<string, PollWaits>()
  readonly #leaving = new Set<Promise<void>>()

  constructor({ metrics, tally, ...options }: ReceiptPollersOptions) {
    const labels = ['carrier', 'outcome']
    const polls = metrics.counter('delivery_receipt_polls_total', 'Calls that ask carriers for receipts', labels)
    const poll: PollEvents['poll'] = ({ id, name }, outcome) => {
      polls.inc({ carrier: name, outcome })
      if (outcome === 'refused' || outcome === 'unreadable') tally.countUnread(id)
    }
    this.#options = { ...options, events: { ...tally, poll } }
  }

  /** How a carrier is asked for receipts; undefined where it is not. */
  waitsOf(carrierId: string): PollWaits | undefined {
    return this.#waits.get(carrierId)
  }

  /** From now on it asks for these, as they are set now. */
  keep(held: readonly BindName[], carriers: ReadonlyMap<string, Carrier>): void {
    for (const [id, carrier] of carriers) {
      const poll = pollOf(carrier)
      if (poll) this.#waits.set(id, poll)
      else this.#waits.delete(id)
    }
    const binds = Map.groupBy(held, (bind) => bind.carrierId)
    for (const id of this.#kept.keys()) if (!binds.has(id)) this.#dismiss(id)
    for (const [id, own] of binds) this.#keepOne(id, carriers.get(id), own.length)
  }

  #keepOne(id: string, carrier: Carrier | undefined, binds: number): void {
    const poll = carrier ? pollOf(carrier) : null
    if (carrier?.kind !== 'http' || poll === null) {
      this.#dismiss(id)
      return
    }
    const { name, http, secretsSealed, answerSeconds } = carrier
    const share = binds / carrier.binds
    const settings = { name, http, secretsSealed, answerSeconds, share }
    if (isDeepStrictEqual(this.#kept.get(id)?.settings, settings)) return
    this.#dismiss(id)
    const poller = new ReceiptPoller({ ...this.#options, carrier, poll, share })
    this.#kept.set(id, { settings, poller })
  }

  #dismiss(id: string): void {
    const kept = this.#kept.get(id)
    if (!kept) return
    this.#kept.delete(id)
    const left = kept.poller.stop().finally(() => this.#leaving.delete(left))
    this.#leaving.add(left)
  }

  async settle(): Promise<boolean> {
    await Promise.all(this.#leaving)
    const worked = await Promise.all(Array.from(this.#kept.values(), ({ poller }) => poller.settle()))
    return worked.includes(true)
  }

  async stop(): Promise<void> {
    for (const id of this.#kept.keys()) this.#dismiss(id)
    await Promise.all(this.#leaving)
  }
}
