// The timeline of one message, collected from all tables.
import type { WebhookStatus } from '../../domain/webhooks/webhook-event.ts'
import type { Queries } from '../database/db.ts'
import { sql } from '../database/sql.ts'
import type { DeliveryState } from '../webhooks/webhook-deliveries.ts'
import type { LedgerEntry } from '../workspaces/ledger.ts'
import { findQueuePlace } from './delivery-queue.ts'
import { findListedMessage, type ListedMessage } from './messages.ts'
import { listReports } from './reports.ts'
import { listSubmissions, type SubmissionRecord } from './submissions.ts'

export interface Timeline {
  message: ListedMessage
  /** The place in the queue of an unclaimed message. */
  queued: { destination: string; avoidCarrierId: string | null; dueAt: Date } | null
  country: string
  /** Unlike `updatedAt`, not changed by a late report (D13). */
  undeliveredAt: Date | null
  submissions: SubmissionRecord[]
  reports: Awaited<ReturnType<typeof listReports>>
  entries: Pick<LedgerEntry, 'at' | 'kind' | 'amountE4' | 'period'>[]
  events: { id: string; status: WebhookStatus; state: DeliveryState; createdAt: Date }[]
  attempts: {
    eventId: string
    attemptedAt: Date
    milliseconds: number
    statusCode: number | null
    failure: string | null
  }[]
}

/** `within` is the only workspace that the caller may see, or null for any. */
export async function loadTimeline(
  db: Queries,
  { id, within }: { id: string; within: string | null },
): Promise<Timeline | null> {
  const message = await findListedMessage(db, { id, within })
  if (!message) return null
  const [times, queued, submissions, reports, entries, events, attempts] = await Promise.all([
    db.query<Pick<Timeline, 'undeliveredAt' | 'country'>>(sql`
      select undelivered_at as "undeliveredAt", country from message where id = ${id}`),
    findQueuePlace(db, id),
    listSubmissions(db, id),
    listReports(db, id),
    db.query<Timeline['entries'][number]>(sql`
      select entry.id, entry.at, kind, cost_e4 as "amountE4", entry.period
      from message join ledger_entry entry on entry.workspace_id = message.workspace_id and entry.id = reservation_id
      where message.id = ${id}
      union all select id, at, kind, amount_e4, period from ledger_entry where message_id = ${id}
      order by id`),
    db.query<Timeline['events'][number]>(sql`
      select delivery_id as id, webhook_status as status, state, created_at as "createdAt" from webhook_event
      where message_id = ${id} order by delivery_id`),
    db.query<Timeline['attempts'][number]>(sql`
      select attempt.delivery_id as "eventId", attempted_at as "attemptedAt", milliseconds, status_code as "statusCode", failure
      from webhook_attempt attempt join webhook_event event on event.delivery_id = attempt.delivery_id
      where event.message_id = ${id} order by attempted_at desc limit 200`),
  ])
  const { undeliveredAt = null, country = '' } = times[0] ?? {}
  return { message, queued, country, undeliveredAt, submissions, reports, entries, events, attempts }
}
