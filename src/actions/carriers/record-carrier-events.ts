// Stores the events of carriers in batches. Receipts have a lane of their own, and wait only for the answer of the same message.
import type { FirstReceipt } from '../../domain/messages/first-receipts.ts'
import type { InboundPart } from '../../domain/messages/inbound.ts'
import type { Report } from '../../domain/messages/report.ts'
import { Batcher, type BatchPace } from '../../runtime/batcher.ts'
import type { Metrics, OnBatch } from '../../runtime/metrics.ts'
import { isPassing, retryDecision, tookTooLong } from '../../store/database/db.ts'
import { type OnAccepted, type ReceivedAnswer, recordAnswers } from '../messages/record-answers.ts'
import { recordInbound } from '../messages/record-inbound.ts'
import { recordReports } from '../messages/record-reports.ts'
import type { Ports } from '../ports.ts'

type CarrierEvent =
  | { kind: 'answer'; answer: ReceivedAnswer }
  | { kind: 'report'; report: Report }
  | { kind: 'reply'; reply: InboundPart }

/** Called with null once an event is stored, or with the reason why it is not. Must not throw. */
export type OnStored = (error: unknown) => void

export interface CarrierEventLane {
  /** Resolves once the event is stored. */
  add(event: CarrierEvent): Promise<void>
  /** Like `add`, without a promise: every segment has an answer and a report. */
  push(event: CarrierEvent, onStored: OnStored): void
  drain(): Promise<void>
}

/** Larger batches cost less per message. A receipt waits for the answer of its own message, so answers wait at most 20 ms. */
const ANSWER_PACE = { everyMs: 20, few: 0, enough: 100 }
/** Carriers wait for acknowledgements, those with a small deliver window for each of them. */
const REPORT_PACE = { everyMs: 5, few: 4, enough: 32 }

interface CarrierEventOptions {
  /** Called with the first receipts of segments once they are stored. */
  onReceipts?: (receipts: FirstReceipt[]) => void
  onAccepted?: OnAccepted
  metrics: Metrics
}

export function createCarrierEventLane(ports: Ports, options: CarrierEventOptions): CarrierEventLane {
  const { onReceipts = () => {}, onAccepted, metrics } = options
  const answers = lane<ReceivedAnswer>({
    record: async (batch) => onReceipts(await recordAnswers(ports, batch, onAccepted)),
    pace: ANSWER_PACE,
    onBatch: metrics.batchObserver('answers'),
  })
  const reports = lane<Report>({
    record: async (batch) => onReceipts(await recordReports(ports, batch)),
    // Fair by carrier, so that a flood of reports does not delay other carriers.
    fairBy: ({ carrierId }) => carrierId,
    startsAtOnce: true,
    pace: REPORT_PACE,
    onBatch: metrics.batchObserver('reports'),
  })
  const replies = lane<InboundPart>({
    record: (batch) => recordInbound(ports, batch),
    onBatch: metrics.batchObserver('replies'),
  })
  const inOrder = new InOrder()
  const push = (event: CarrierEvent, onStored: OnStored) => {
    const stored = () => onStored(null)
    switch (event.kind) {
      case 'answer': {
        const { answer } = event
        if (answer.reference === null) return answers.push(answer, stored, onStored)
        return inOrder.push(nameOf(answer), (done) => answers.push(answer, () => done(null), done), onStored)
      }
      case 'report': {
        const { report } = event
        return inOrder.push(nameOf(report), (done) => reports.push(report, () => done(null), done), onStored)
      }
      case 'reply':
        return replies.push(event.reply, stored, onStored)
      default:
        throw event satisfies never
    }
  }
  const drain = async () => {
    do {
      await inOrder.drain()
      await Promise.all([answers.drain(), reports.drain(), replies.drain()])
    } while (inOrder.size > 0)
  }
  return { push, add: (event) => new Promise((resolve, reject) => push(event, settler(resolve, reject))), drain }
}

function settler(resolve: () => void, reject: (error: unknown) => void): OnStored {
  return (error) => (error === null ? resolve() : reject(error))
}

function nameOf({ carrierId, reference }: { carrierId: string; reference: string | null }): string {
  return `${carrierId} ${reference}`
}

/** The carrier waits for the acknowledgement and may have more receipts. A report without its answer is stored as pending. */
const MAX_WAIT_MS = 1_000

/** Stores the answer and the reports of one carrier message id in the order of their arrival. */
class InOrder {
  /** The events that wait for the one that is being stored, by carrier and reference. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #idle: (() => void)[] = []

  get size(): number {
    return this.#waiting.size
  }

  push(name: string, store: (done: OnStored) => void, onStored: OnStored): void {
    const waiting = this.#waiting.get(name)
    const run = () =>
      store((error) => {
        this.#next(name)
        onStored(error)
      })
    if (!waiting) {
      this.#waiting.set(name, [])
      run()
      return
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(start), 1)
      store(onStored)
    }, MAX_WAIT_MS)
    const start = () => {
      clearTimeout(timer)
      run()
    }
    waiting.push(start)
  }

  async drain(): Promise<void> {
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #next(name: string): void {
    const next = this.#waiting.get(name)?.shift()
    if (next) {
      next()
      return
    }
    this.#waiting.delete(name)
    if (this.#waiting.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }
}

interface LaneOptions<Event> {
  record: (batch: Event[]) => Promise<void>
  fairBy?: (event: Event) => string
  startsAtOnce?: boolean
  pace?: BatchPace
  onBatch: OnBatch
}

function lane<Event>(options: LaneOptions<Event>): Batcher<Event, void> {
  const { record, fairBy = () => 'all', startsAtOnce = false, pace, onBatch } = options
  return new Batcher<Event, void>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: (event) => [fairBy(event)],
    maxBatch: 500,
    // The windows of the binds and the rate limits of callbacks (D52) limit the number.
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitMs: Number.POSITIVE_INFINITY,
    whenFull: () => {},
    startsAtOnce,
    onBatch,
    ...(pace && { pace }),
    run: async (batch) => {
      await record(batch)
      return batch.map(() => undefined)
    },
    // Splitting isolates an event that cannot be stored. A batch that timed out may succeed in smaller parts.
    onError: (error) => (isPassing(error) && !tookTooLong(error) ? retryDecision(error) : 'split'),
  })
}
