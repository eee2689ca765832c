// How long data is kept (D44), and which partitions that needs.
import { DAY_MS } from '../durations.ts'
import { startOfMonth } from './months.ts'

/** In days; 0 keeps it forever. */
export interface Retention {
  /** Texts of messages. */
  texts: number
  /** Messages with their submissions and receipts. */
  messages: number
  /** Messages of clients in test mode. */
  testMessages: number
  replies: number
  audit: number
}

/** A text is needed until its message is final, and a message until receipts, refunds and the charts of a month no longer need it. */
export const LEAST_DAYS = { texts: 7, messages: 35 }

/** Everything before this time may be deleted; null keeps it forever. */
export function expiredBefore(now: Date, days: number): Date | null {
  return days === 0 ? null : new Date(now.getTime() - days * DAY_MS)
}

type Kind = Exclude<keyof Retention, 'texts' | 'testMessages'>

interface Month {
  table: string
  /** Its data is older than this. */
  until: Date
}

/** The months whose data has all expired, oldest first. */
export function expiredMonths<Partition extends Month>(
  now: Date,
  retention: Retention,
  partitions: readonly Partition[],
): Partition[] {
  return partitions.filter(({ table, until }) => {
    const before = expiredBefore(now, retention[kindOf(table)])
    return before !== null && until <= before
  })
}

const KINDS: Readonly<Record<string, Kind>> = { inbound_message: 'replies', audit_entry: 'audit' }

export function kindOf(table: string): Kind {
  return KINDS[table] ?? 'messages'
}

/** Partitions for the next two months exist already, so that the service can be stopped, and its upkeep can fail, for weeks. */
const MONTHS_AHEAD = 2

/** Partitions must exist up to this time. */
export function partitionsNeededUntil(now: Date): Date {
  return startOfMonth(now, MONTHS_AHEAD + 1)
}
