// What Prometheus reads of delivery: how much waits and since when, which carriers are bound, what they answer and report.
import type { House } from '../actions/house.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { measureQueue } from '../store/delivery-queue.ts'
import type { Report } from '../store/reports.ts'
import type { Answer } from '../store/submissions.ts'

/** Told of everything that carriers say. */
export interface Tally {
  submission(outcome: Answer['outcome']): void
  report(status: Report['status']): void
}

export function countNews(metrics: Metrics): Tally {
  const submissions = metrics.counter('delivery_submissions_total', 'Segments submitted to carriers', ['outcome'])
  const reports = metrics.counter('delivery_reports_total', 'Reports of carriers on segments', ['status'])
  return {
    submission: (outcome) => submissions.inc({ outcome }),
    report: (status) => reports.inc({ status }),
  }
}

const QUEUE_MEASURE_MS = 5_000
const measureNothing: ReturnType<typeof measureQueue> = Promise.resolve({ waiting: 0, oldestDueAt: null })

export function measure(
  { db, clock }: House,
  { metrics, boundBinds }: { metrics: Metrics; boundBinds: () => ReadonlyMap<string, number> },
): void {
  metrics.gauges('delivery_bound_binds', 'Binds of this process that are bound', { label: 'carrier', read: boundBinds })
  // Whoever asks often, or asks for both, gets a number that is some seconds old: counting a queue is not free.
  let latest = { at: Number.NEGATIVE_INFINITY, queue: measureNothing }
  const measured = () => {
    const at = performance.now()
    if (at - latest.at > QUEUE_MEASURE_MS) latest = { at, queue: measureQueue(db, clock.now()) }
    return latest.queue
  }
  metrics.gauge(
    'delivery_queue_messages',
    'Messages in the queue, due or not, counted up to a million',
    async () => (await measured()).waiting,
  )
  metrics.gauge(
    'delivery_queue_oldest_due_seconds',
    'For how long the oldest message that is due has waited',
    async () => {
      const { oldestDueAt } = await measured()
      return oldestDueAt ? (clock.now().getTime() - oldestDueAt.getTime()) / 1000 : 0
    },
  )
}
