// What a process counts of receipts, by whichever way they came: every one that was stored, and of each segment the first that ended
// the wait for it, by carrier and number.
import type { FirstReceipt } from '../../domain/messages/first-receipts.ts'
import type { ReportStatus } from '../../domain/messages/report.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import { Figures } from './figures.ts'
import { CountedMinute } from './last-minute.ts'

const RECEIPT_SECONDS = [1, 3, 10, 30, 60, 300, 1800, 7200, 43_200]
/** States that were told, after which somebody has enough to read. */
const MOST_UNKNOWN = 200

interface HeardReport {
  carrier: { id: string; name: string }
  status: ReportStatus
  state: string
  /** Whether some table, the carrier's or our own, says what the state means. */
  isKnown: boolean
}

export interface ReceiptTally {
  lately: CountedMinute
  figures: Figures
  /** A report is stored, wherever it belongs. */
  heard(report: HeardReport): void
  /** What came, or was asked for, was refused or could not be read. */
  unread(carrierId: string): void
  /** These were the first of their segments. `nameOf` knows the carriers of this process. */
  ended(receipts: FirstReceipt[], nameOf: (carrierId: string) => string | undefined): void
}

export function tallyReceipts(clock: Clock, { metrics, log }: { metrics: Metrics; log: Log }): ReceiptTally {
  const lately = new CountedMinute(clock)
  const figures = new Figures(clock)
  const told = new Set<string>()
  const reports = metrics.counter('delivery_reports_total', 'Reports of carriers on segments', ['status'])
  const unknown = metrics.counter('delivery_unknown_states_total', 'Reports with a state that nobody knows', [
    'carrier',
  ])
  const receiptSeconds = metrics.histogram(
    'delivery_carrier_receipt_seconds',
    'How long after their submission the first receipts on segments came',
    { labelNames: ['carrier'], buckets: RECEIPT_SECONDS },
  )
  /** Once for each carrier and state, and no more once somebody has much to read. */
  const tellUnknown = ({ id, name: carrier }: HeardReport['carrier'], state: string) => {
    unknown.inc({ carrier })
    const what = `${id} ${state}`
    if (told.has(what) || told.size >= MOST_UNKNOWN) return
    told.add(what)
    log.warn({ carrier, state }, 'a receipt has a state that nobody knows; it moves nothing')
  }
  return {
    lately,
    figures,
    heard: ({ carrier, status, state, isKnown }) => {
      reports.inc({ status })
      if (!isKnown) tellUnknown(carrier, state)
    },
    unread: (carrierId) => figures.add({ carrierId, to: '' }, { unreadableReceipts: 1 }),
    ended: (receipts, nameOf) => {
      for (const { carrierId, to, status, ms } of receipts) {
        const what = status === 'delivered' ? 'delivered' : 'undelivered'
        lately.add(what)
        figures.add({ carrierId, to }, { [what]: 1, receipts: 1, receiptMs: Math.round(ms) })
        const carrier = nameOf(carrierId)
        if (carrier !== undefined) receiptSeconds.observe({ carrier }, ms / 1000)
      }
    },
  }
}
