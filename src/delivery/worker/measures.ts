// The Prometheus metrics of delivery.
import type { ReceiptTally } from '../../actions/carriers/receipt-tally.ts'
import type { Ports } from '../../actions/ports.ts'
import { readLanes } from '../../actions/service/measure-traffic.ts'
import { deliveryRatio, firstSlot, NO_FIGURES } from '../../domain/carriers/carrier-figures.ts'
import { MESSAGE_TYPES, type MessageType } from '../../domain/message-type.ts'
import { timeOfId } from '../../runtime/ids.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import { listDeliveryCounts } from '../../store/carriers/carrier-figures.ts'
import { classifyProblem, type SubmissionResult } from '../connection.ts'

interface SubmissionLabels {
  carrier: { id: string; name: string }
  to: string
}

/** Counts submissions, reports and replies. */
export interface Tally extends Pick<ReceiptTally, 'countReport' | 'countUnread'> {
  /** Measures the time from acceptance to the first submission. */
  firstSubmission(message: { id: string; type: MessageType }, now: Date): void
  /** Counts the result of one segment and its response time. */
  submission(labels: SubmissionLabels, submitted: SubmissionResult, ms: number): void
  /** All segments of a long message got the same carrier message ID. */
  sharedId(labels: SubmissionLabels): void
  setAside(): void
  stray(carrierId: string): void
}

const ANSWER_SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]
const SUBMIT_SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 300, 1800, 7200]
/** Per carrier, only the busiest prefixes are exported. */
const MAX_PREFIXES = 20

export function createTally(metrics: Metrics, { recently, figures, countReport, countUnread }: ReceiptTally): Tally {
  const submissions = metrics.counter('delivery_submissions_total', 'Segments submitted to carriers', ['outcome'])
  const setAside = metrics.counter(
    'delivery_dropped_inbound_total',
    'Reports and replies dropped because they could not be stored',
  )
  const strays = metrics.counter('delivery_unexpected_responses_total', 'Carrier responses without a matching request')
  const byCarrier = metrics.counter('delivery_carrier_submissions_total', 'Segments submitted, by carrier', [
    'carrier',
    'outcome',
  ])
  const statuses = metrics.counter('delivery_carrier_statuses_total', 'Carrier responses, by status', [
    'carrier',
    'status',
  ])
  const answerSeconds = metrics.histogram('delivery_carrier_answer_seconds', 'Response time of carriers', {
    labelNames: ['carrier'],
    buckets: ANSWER_SECONDS,
  })
  const submitSeconds = metrics.histogram('delivery_submit_seconds', 'Time from acceptance to the first submission', {
    labelNames: ['type'],
    buckets: SUBMIT_SECONDS,
  })
  const byType = Object.fromEntries(MESSAGE_TYPES.map((type) => [type, submitSeconds.labels(type)])) as Record<
    MessageType,
    ReturnType<typeof submitSeconds.labels>
  >
  return {
    firstSubmission: ({ id, type }, now) =>
      byType[type].observe(Math.max(0, now.getTime() - timeOfId(id).getTime()) / 1000),
    submission: ({ carrier: { id: carrierId, name: carrier }, to }, submitted, ms) => {
      const { outcome, said, statusName = 'other' } = submitted
      submissions.inc({ outcome })
      byCarrier.inc({ carrier, outcome })
      recently.add(outcome === 'accepted' ? 'accepted' : 'rejected')
      if (said !== null) {
        statuses.inc({ carrier, status: statusName })
        answerSeconds.observe({ carrier }, ms / 1000)
      }
      const what = said === null ? 'unanswered' : outcome === 'accepted' ? 'accepted' : 'rejected'
      const problem = classifyProblem(submitted)
      const answered = { ...(said !== null && { answerMs: Math.round(ms) }), ...(problem && { [problem]: 1 }) }
      figures.add({ carrierId, to }, { [what]: 1, ...answered })
    },
    sharedId: ({ carrier: { id: carrierId }, to }) => figures.add({ carrierId, to }, { duplicateMessageIds: 1 }),
    countReport,
    countUnread,
    setAside: () => setAside.inc(),
    stray: (carrierId) => {
      strays.inc()
      figures.add({ carrierId, to: '' }, { unexpectedAnswers: 1 })
    },
  }
}

interface GaugeSources {
  metrics: Metrics
  boundBinds: () => ReadonlyMap<string, number>
  workingCarriers: () => ReadonlyMap<string, number>
  brokenCircuits: () => ReadonlyMap<string, number>
}

export function registerGauges(
  { db, clock }: Ports,
  { metrics, boundBinds, workingCarriers, brokenCircuits }: GaugeSources,
): void {
  metrics.gauges('delivery_bound_binds', 'Bound connections of this process', { label: 'carrier', read: boundBinds })
  metrics.gauges('delivery_carrier_working', 'Whether a carrier accepts messages in any process', {
    label: 'carrier',
    read: workingCarriers,
    // The maximum over all processes is still 0 or 1.
    aggregator: 'max',
  })
  metrics.gauges('delivery_carrier_circuit_broken', 'Whether the circuit of a bound carrier is open', {
    label: 'carrier',
    read: brokenCircuits,
    aggregator: 'max',
  })
  metrics.table(
    'delivery_carrier_delivery_ratio',
    'Share of delivered segments among the segments reported in the last hour',
    {
      labels: ['carrier', 'prefix'],
      read: async () => {
        const rows = await listDeliveryCounts(db, { since: firstSlot(clock.now()), most: MAX_PREFIXES })
        return rows.map(({ carrier, prefix, ...counts }) => {
          const value = deliveryRatio({ ...NO_FIGURES, ...counts }) ?? Number.NaN
          return { of: { carrier, prefix }, value }
        })
      },
    },
  )
  metrics.queue('delivery_queue', {
    unit: 'messages',
    helps: { waiting: 'Messages in the queue, due or not, by type', oldest: 'Age of the oldest due message, by type' },
    clock,
    labels: ['type'],
    read: async () =>
      (await readLanes(db, clock.now())).map(({ lane, ...measure }) => ({ of: { type: lane }, ...measure })),
  })
}
