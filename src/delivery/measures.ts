// What Prometheus reads of delivery: how much waits and since when, which carriers are bound, what they answer and report.
import type { Ports } from '../actions/ports.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { measureQueue } from '../store/delivery-queue.ts'
import type { Report } from '../store/reports.ts'
import type { Answer } from '../store/submissions.ts'
import type { CountedMinute } from './last-minute.ts'

/** Told of everything that carriers say. */
export interface Tally {
  submission(outcome: Answer['outcome']): void
  report(status: Report['status']): void
  setAside(): void
  stray(): void
}

export function countNews(metrics: Metrics, lately: CountedMinute): Tally {
  const submissions = metrics.counter('delivery_submissions_total', 'Segments submitted to carriers', ['outcome'])
  const reports = metrics.counter('delivery_reports_total', 'Reports of carriers on segments', ['status'])
  const setAside = metrics.counter(
    'delivery_set_aside_total',
    'Reports and replies of carriers that could not be stored',
  )
  const strays = metrics.counter('delivery_stray_answers_total', 'Answers of carriers that fit no request')
  return {
    submission: (outcome) => {
      submissions.inc({ outcome })
      lately.add(outcome === 'taken' ? 'taken' : 'refused')
    },
    report: (status) => {
      reports.inc({ status })
      if (status !== 'pending') lately.add(status === 'delivered' ? 'delivered' : 'undelivered')
    },
    setAside: () => setAside.inc(),
    stray: () => strays.inc(),
  }
}

interface Measured {
  metrics: Metrics
  boundBinds: () => ReadonlyMap<string, number>
  workingCarriers: () => ReadonlyMap<string, number>
}

export function measure({ db, clock }: Ports, { metrics, boundBinds, workingCarriers }: Measured): void {
  metrics.gauges('delivery_bound_binds', 'Binds of this process that are bound', { label: 'carrier', read: boundBinds })
  metrics.gauges('delivery_carrier_working', 'Whether a carrier takes messages, for this process or for another', {
    label: 'carrier',
    read: workingCarriers,
    // Of all processes together it is still 1.
    aggregator: 'max',
  })
  metrics.queue('delivery_queue', {
    unit: 'messages',
    helps: {
      waiting: 'Messages in the queue, due or not, counted up to a million',
      oldest: 'For how long the oldest message that is due has waited',
    },
    clock,
    read: () => measureQueue(db, clock.now()),
  })
}
