// Stores the events of carriers in batches, with separate lanes so that receipts never wait for answers.
import type { FirstReceipt } from '../../domain/messages/first-receipts.ts'
import type { InboundPart } from '../../domain/messages/inbound.ts'
import type { Report } from '../../domain/messages/report.ts'
import { Batcher } from '../../runtime/batcher.ts'
import { isPassing, retryDecision, tookTooLong } from '../../store/database/db.ts'
import { type OnAccepted, type ReceivedAnswer, recordAnswers } from '../messages/record-answers.ts'
import { recordInbound } from '../messages/record-inbound.ts'
import { recordReports } from '../messages/record-reports.ts'
import type { Ports } from '../ports.ts'

type CarrierEvent =
  | { kind: 'answer'; answer: ReceivedAnswer }
  | { kind: 'report'; report: Report }
  | { kind: 'reply'; reply: InboundPart }

export interface CarrierEventLane {
  /** Resolves once the event is stored. */
  add(event: CarrierEvent): Promise<void>
  drain(): Promise<void>
}

interface CarrierEventOptions {
  /** Called with the first receipts of segments once they are stored. */
  onReceipts?: (receipts: FirstReceipt[]) => void
  onAccepted?: OnAccepted
}

export function createCarrierEventLane(ports: Ports, options: CarrierEventOptions = {}): CarrierEventLane {
  const { onReceipts, onAccepted } = options
  const answers = lane<ReceivedAnswer>(async (batch) => onReceipts?.(await recordAnswers(ports, batch, onAccepted)))
  // Fair by carrier, so that a flood of reports does not delay other carriers.
  const reports = lane<Report>(
    async (batch) => onReceipts?.(await recordReports(ports, batch)),
    ({ carrierId }) => carrierId,
  )
  const replies = lane<InboundPart>((batch) => recordInbound(ports, batch))
  /** Running records by carrier and reference: an answer and its report must be stored in order. */
  const underWay = new Map<string, Promise<void>>()
  const inOrder = (about: { carrierId: string; reference: string }, record: () => Promise<void>) => {
    const name = `${about.carrierId} ${about.reference}`
    const before = underWay.get(name)
    const recorded = before ? settledOrLate(before).then(record) : record()
    underWay.set(name, recorded)
    return recorded.finally(() => {
      if (underWay.get(name) === recorded) underWay.delete(name)
    })
  }
  const addAnswer = (answer: ReceivedAnswer) => {
    const { carrierId, reference } = answer
    return reference === null ? answers.add(answer) : inOrder({ carrierId, reference }, () => answers.add(answer))
  }
  const addReport = async (report: Report) => {
    // The answer may have been read from the same packet and be added in this tick.
    await new Promise(setImmediate)
    await inOrder(report, () => reports.add(report))
  }
  /** Includes events that are not in a lane yet. */
  const drain = async () => {
    do {
      await Promise.allSettled(underWay.values())
      await Promise.all([answers.drain(), reports.drain(), replies.drain()])
    } while (underWay.size > 0)
  }
  return {
    add: (event) => {
      switch (event.kind) {
        case 'answer':
          return addAnswer(event.answer)
        case 'report':
          return addReport(event.report)
        case 'reply':
          return replies.add(event.reply)
        default:
          throw event satisfies never
      }
    },
    drain,
  }
}

/** The carrier waits for the acknowledgement and may have more receipts. A report without its answer is stored as an orphan. */
const MAX_WAIT_MS = 1_000

/** Resolves when `before` settles or the wait is over. */
async function settledOrLate(before: Promise<void>): Promise<void> {
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, MAX_WAIT_MS)
  await Promise.race([before.catch(() => {}), timeout.promise])
  clearTimeout(timer)
}

function lane<Event>(
  record: (batch: Event[]) => Promise<void>,
  fairBy: (event: Event) => string = () => 'all',
): Batcher<Event, void> {
  return new Batcher<Event, void>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: (event) => [fairBy(event)],
    maxBatch: 500,
    // The windows of the binds and the rate limits of callbacks (D52) limit the number.
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitMs: Number.POSITIVE_INFINITY,
    whenFull: () => {},
    run: async (batch) => {
      await record(batch)
      return batch.map(() => undefined)
    },
    // Splitting isolates an event that cannot be stored. A batch that timed out may succeed in smaller parts.
    onError: (error) => (isPassing(error) && !tookTooLong(error) ? retryDecision(error) : 'split'),
  })
}
