// Counts the receipts of this process: every stored report, and the first final receipt of each segment by carrier and number.
import type { FirstReceipt } from '../../domain/messages/first-receipts.ts'
import type { ReportStatus } from '../../domain/messages/report.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import { Figures } from './figures.ts'
import { MinuteCounter } from './last-minute.ts'

const RECEIPT_SECONDS = [1, 3, 10, 30, 60, 300, 1800, 7200, 43_200]
/** Unknown states that are logged; further ones are only counted. */
const MAX_UNKNOWN = 200

interface ReceivedReport {
  carrier: { id: string; name: string }
  status: ReportStatus
  state: string
  /** Whether the table of the carrier or of SMPP has the state. */
  isKnown: boolean
}

export interface ReceiptTally {
  recently: MinuteCounter
  figures: Figures
  /** Counts a stored report. */
  countReport(report: ReceivedReport): void
  /** Counts a callback or poll that was refused or could not be read. */
  countUnread(carrierId: string): void
  /** Counts the first receipts of segments. `nameOf` returns the names of the carriers of this process. */
  countFirstReceipts(receipts: FirstReceipt[], nameOf: (carrierId: string) => string | undefined): void
}

export function tallyReceipts(clock: Clock, { metrics, log }: { metrics: Metrics; log: Log }): ReceiptTally {
  const recently = new MinuteCounter(clock)
  const figures = new Figures(clock)
  const logged = new Set<string>()
  const reports = metrics.counter('delivery_reports_total', 'Delivery receipts of segments, by status.', ['status'])
  const unknown = metrics.counter('delivery_unknown_states_total', 'Receipts with an unknown state, by carrier.', [
    'carrier',
  ])
  const receiptSeconds = metrics.histogram(
    'delivery_carrier_receipt_seconds',
    'Time from submission to the first receipt of a segment in seconds.',
    { labelNames: ['carrier', 'type'], buckets: RECEIPT_SECONDS },
  )
  /** Logs each carrier and state once. */
  const countUnknown = ({ id, name: carrier }: ReceivedReport['carrier'], state: string) => {
    unknown.inc({ carrier })
    const key = `${id} ${state}`
    if (logged.has(key) || logged.size >= MAX_UNKNOWN) return
    logged.add(key)
    log.warn({ carrier, state }, 'unknown receipt state, no status change')
  }
  return {
    recently,
    figures,
    countReport: ({ carrier, status, state, isKnown }) => {
      reports.inc({ status })
      if (!isKnown) countUnknown(carrier, state)
    },
    countUnread: (carrierId) => figures.add({ carrierId, to: '' }, { unreadableReceipts: 1 }),
    countFirstReceipts: (receipts, nameOf) => {
      for (const { carrierId, to, type, status, ms } of receipts) {
        const what = status === 'delivered' ? 'delivered' : 'undelivered'
        recently.add(what)
        figures.add({ carrierId, to }, { [what]: 1, receipts: 1, receiptMs: Math.round(ms) })
        const carrier = nameOf(carrierId)
        if (carrier !== undefined) receiptSeconds.observe({ carrier, type }, ms / 1000)
      }
    },
  }
}
