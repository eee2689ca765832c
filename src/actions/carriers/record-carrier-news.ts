// All that carriers tell one process, many pieces to a transaction: answers, reports and replies each in a lane of their own, so that
// a carrier that waits for its receipt to be acknowledged never waits for answers.
import type { FirstReceipt } from '../../domain/messages/first-receipts.ts'
import type { InboundPart } from '../../domain/messages/inbound.ts'
import type { Report } from '../../domain/messages/report.ts'
import { Batcher } from '../../runtime/batcher.ts'
import { courseAfter, isPassing, tookTooLong } from '../../store/database/db.ts'
import { type HeardAnswer, type OnAccepted, recordAnswers } from '../messages/record-answers.ts'
import { recordInbound } from '../messages/record-inbound.ts'
import { recordReports } from '../messages/record-reports.ts'
import type { Ports } from '../ports.ts'

type CarrierNews =
  | { kind: 'answer'; answer: HeardAnswer }
  | { kind: 'report'; report: Report }
  | { kind: 'reply'; reply: InboundPart }

export interface CarrierNewsLane {
  /** Returns once it is stored. */
  add(news: CarrierNews): Promise<void>
  drain(): Promise<void>
}

interface CarrierNewsOptions {
  /** Told of receipts that are the first of their segments, once they are stored. */
  onReceipts?: (receipts: FirstReceipt[]) => void
  onAccepted?: OnAccepted
}

export function createCarrierNewsLane(ports: Ports, options: CarrierNewsOptions = {}): CarrierNewsLane {
  const { onReceipts, onAccepted } = options
  const answers = lane<HeardAnswer>(async (batch) => onReceipts?.(await recordAnswers(ports, batch, onAccepted)))
  // A carrier that reports without end waits on itself, and no other does.
  const reports = lane<Report>(
    async (batch) => onReceipts?.(await recordReports(ports, batch)),
    ({ carrierId }) => carrierId,
  )
  const replies = lane<InboundPart>((batch) => recordInbound(ports, batch))
  /** By carrier and id: what is being recorded of it. An answer and its report make sense only one behind the other. */
  const underWay = new Map<string, Promise<void>>()
  const inOrder = (about: { carrierId: string; reference: string }, record: () => Promise<void>) => {
    const name = `${about.carrierId} ${about.reference}`
    const before = underWay.get(name)
    const recorded = before ? longEnough(before).then(record) : record()
    underWay.set(name, recorded)
    return recorded.finally(() => {
      if (underWay.get(name) === recorded) underWay.delete(name)
    })
  }
  const addAnswer = (answer: HeardAnswer) => {
    const { carrierId, reference } = answer
    return reference === null ? answers.add(answer) : inOrder({ carrierId, reference }, () => answers.add(answer))
  }
  const addReport = async (report: Report) => {
    // Read in one go, its answer may be about to be told.
    await new Promise(setImmediate)
    await inOrder(report, () => reports.add(report))
  }
  /** Of those that are not in their lane yet, too. */
  const drain = async () => {
    do {
      await Promise.allSettled(underWay.values())
      await Promise.all([answers.drain(), reports.drain(), replies.drain()])
    } while (underWay.size > 0)
  }
  return {
    add: (news) => {
      switch (news.kind) {
        case 'answer':
          return addAnswer(news.answer)
        case 'report':
          return addReport(news.report)
        case 'reply':
          return replies.add(news.reply)
        default:
          throw news satisfies never
      }
    },
    drain,
  }
}

/** A carrier waits for our word too, and may have other receipts behind this one: a report without its answer is kept until that is here. */
const LONGEST_WAIT_MS = 1_000

/** Returns when it has come out, however it did, or has taken too long. */
async function longEnough(before: Promise<void>): Promise<void> {
  const enough = Promise.withResolvers<void>()
  const timer = setTimeout(enough.resolve, LONGEST_WAIT_MS)
  await Promise.race([before.catch(() => {}), enough.promise])
  clearTimeout(timer)
}

function lane<News>(
  record: (batch: News[]) => Promise<void>,
  fairBy: (news: News) => string = () => 'all',
): Batcher<News, void> {
  return new Batcher<News, void>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: (news) => [fairBy(news)],
    largestBatch: 500,
    // What can wait here is bounded by the windows of the binds, both ways, and by how much a carrier may call (D52).
    mostWaiting: Number.POSITIVE_INFINITY,
    longestWaitMs: Number.POSITIVE_INFINITY,
    whenFull: () => {},
    run: async (batch) => {
      await record(batch)
      return batch.map(() => undefined)
    },
    // One that cannot be recorded, for whatever reason, costs itself alone; what took too long together may not take too long apart.
    onFault: (fault) => (isPassing(fault) && !tookTooLong(fault) ? courseAfter(fault) : 'split'),
  })
}
