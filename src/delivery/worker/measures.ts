// What Prometheus reads of delivery: how much waits and since when, which carriers are bound, what they answer and report, and how fast.

import type { ReceiptTally } from '../../actions/carriers/receipt-tally.ts'
import type { Ports } from '../../actions/ports.ts'
import { deliveryRatio, firstSlot, NO_FIGURES } from '../../domain/carriers/carrier-figures.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import { listDeliveryCounts } from '../../store/carriers/carrier-figures.ts'
import { measureDeliveryQueue } from '../../store/messages/delivery-queue.ts'
import { type Submitted, troubleIn } from '../connection.ts'

interface About {
  carrier: { id: string; name: string }
  to: string
}

/** Told of everything that carriers say. */
export interface Tally extends Pick<ReceiptTally, 'countReport' | 'countUnread'> {
  /** What became of a segment, in the carrier's word where it said one, after so long. */
  submission(about: About, submitted: Submitted, ms: number): void
  /** All segments of a long message got the same id. */
  sharedId(about: About): void
  setAside(): void
  stray(carrierId: string): void
}

const ANSWER_SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]
/** Of each carrier, the busiest are measured. */
const MOST_PREFIXES = 20

export function countNews(metrics: Metrics, { lately, figures, countReport, countUnread }: ReceiptTally): Tally {
  const submissions = metrics.counter('delivery_submissions_total', 'Segments submitted to carriers', ['outcome'])
  const setAside = metrics.counter(
    'delivery_set_aside_total',
    'Reports and replies of carriers that could not be stored',
  )
  const strays = metrics.counter('delivery_stray_answers_total', 'Answers of carriers that fit no request')
  const byCarrier = metrics.counter('delivery_carrier_submissions_total', 'Segments submitted, by carrier', [
    'carrier',
    'outcome',
  ])
  const statuses = metrics.counter('delivery_carrier_statuses_total', 'Answers of carriers, by their status', [
    'carrier',
    'status',
  ])
  const answerSeconds = metrics.histogram('delivery_carrier_answer_seconds', 'How long answers of carriers took', {
    labelNames: ['carrier'],
    buckets: ANSWER_SECONDS,
  })
  return {
    submission: ({ carrier: { id: carrierId, name: carrier }, to }, submitted, ms) => {
      const { outcome, said, statusName = 'other' } = submitted
      submissions.inc({ outcome })
      byCarrier.inc({ carrier, outcome })
      lately.add(outcome === 'accepted' ? 'accepted' : 'rejected')
      if (said !== null) {
        statuses.inc({ carrier, status: statusName })
        answerSeconds.observe({ carrier }, ms / 1000)
      }
      const what = said === null ? 'unanswered' : outcome === 'accepted' ? 'accepted' : 'rejected'
      const trouble = troubleIn(submitted)
      const answered = { ...(said !== null && { answerMs: Math.round(ms) }), ...(trouble && { [trouble]: 1 }) }
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

interface Measured {
  metrics: Metrics
  boundBinds: () => ReadonlyMap<string, number>
  workingCarriers: () => ReadonlyMap<string, number>
  brokenCircuits: () => ReadonlyMap<string, number>
}

export function measure(
  { db, clock }: Ports,
  { metrics, boundBinds, workingCarriers, brokenCircuits }: Measured,
): void {
  metrics.gauges('delivery_bound_binds', 'Binds of this process that are bound', { label: 'carrier', read: boundBinds })
  metrics.gauges('delivery_carrier_working', 'Whether a carrier takes messages, for this process or for another', {
    label: 'carrier',
    read: workingCarriers,
    // Of all processes together it is still 1.
    aggregator: 'max',
  })
  metrics.gauges('delivery_carrier_circuit_broken', 'Whether a carrier that is bound is tried one message at a time', {
    label: 'carrier',
    read: brokenCircuits,
    aggregator: 'max',
  })
  metrics.table('delivery_carrier_delivery_ratio', 'Of segments reported on in the last hour, how many arrived', {
    labels: ['carrier', 'prefix'],
    read: async () => {
      const rows = await listDeliveryCounts(db, { since: firstSlot(clock.now()), most: MOST_PREFIXES })
      return rows.map(({ carrier, prefix, ...counts }) => {
        const value = deliveryRatio({ ...NO_FIGURES, ...counts }) ?? Number.NaN
        return { of: { carrier, prefix }, value }
      })
    },
  })
  metrics.queue('delivery_queue', {
    unit: 'messages',
    helps: {
      waiting: 'Messages in the queue, due or not, counted up to a million',
      oldest: 'For how long the oldest message that is due has waited',
    },
    clock,
    read: () => measureDeliveryQueue(db, clock.now()),
  })
}
