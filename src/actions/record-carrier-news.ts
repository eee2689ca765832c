// All that carriers tell one process, recorded many pieces to a transaction: answers in one lane, reports and replies in another,
// since a carrier waits for our word on each of these.
import type { InboundPart } from '../domain/inbound.ts'
import { Batcher } from '../runtime/batcher.ts'
import { courseAfter, isPassing, tookTooLong } from '../store/db.ts'
import type { Report } from '../store/reports.ts'
import type { Answer } from '../store/submissions.ts'
import type { Ports } from './ports.ts'
import { recordInbound } from './record-inbound.ts'
import { recordReports } from './record-reports.ts'
import { recordAnswers } from './record-submissions.ts'

export type CarrierNews =
  | { kind: 'answer'; answer: Answer }
  | { kind: 'report'; report: Report }
  | { kind: 'reply'; reply: InboundPart }

export type CarrierNewsLane = Batcher<CarrierNews, null>

export function createCarrierNewsLane(ports: Ports): CarrierNewsLane {
  return new Batcher<CarrierNews, null>({
    lanes: 2,
    laneOf: (news) => Number(news.kind !== 'answer'),
    fairBy: (news) => [news.kind],
    largestBatch: 500,
    // What can wait here is bounded by the windows of the binds, both ways.
    mostWaiting: Number.POSITIVE_INFINITY,
    longestWaitMs: Number.POSITIVE_INFINITY,
    whenFull: () => null,
    run: async (batch) => {
      await recordNews(ports, batch)
      return batch.map(() => null)
    },
    // One that cannot be recorded, for whatever reason, costs itself alone; what took too long together may not take too long apart.
    onFault: (fault) => (isPassing(fault) && !tookTooLong(fault) ? courseAfter(fault) : 'split'),
  })
}

/** Three transactions, each safe to repeat: a fault in one does not undo the others. */
async function recordNews(ports: Ports, batch: CarrierNews[]): Promise<void> {
  const answers = batch.flatMap((news) => (news.kind === 'answer' ? [news.answer] : []))
  const reports = batch.flatMap((news) => (news.kind === 'report' ? [news.report] : []))
  const replies = batch.flatMap((news) => (news.kind === 'reply' ? [news.reply] : []))
  if (answers.length > 0) await recordAnswers(ports, answers)
  if (reports.length > 0) await recordReports(ports, reports)
  if (replies.length > 0) await recordInbound(ports, replies)
}
