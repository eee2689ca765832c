// Webhook delivery history of 7 days, and replays from it (§6.4 rule 4).
import type { WebhookEvent, WebhookStatus } from '../../domain/webhooks/webhook-event.ts'
import type { FailureReason } from '../../domain/webhooks/webhook-schedule.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, fragment, sql } from '../database/sql.ts'
import { MAX_ROWS_SCANNED, type Page, type ScannedPage } from '../pages.ts'
import { openDeliveries } from './webhook-queue.ts'

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export interface WebhookDelivery {
  id: string
  clientId: string
  clientName: string
  workspaceId: string
  workspaceName: string
  event: WebhookEvent['name']
  messageId: string | null
  status: WebhookStatus | null
  state: DeliveryState
  failureReason: FailureReason | null
  /** Of a pending delivery; while a process has claimed it, the end of the lease. */
  nextAttemptAt: Date | null
  createdAt: Date
  endedAt: Date | null
  /** Attempts including replays, counted up to MAX_ATTEMPTS_SHOWN. */
  attempts: number
  /** Of the latest attempt. */
  attemptedAt: Date | null
  milliseconds: number | null
  statusCode: number | null
  failure: string | null
}

export interface StoredAttempt {
  url: string
  attemptedAt: Date
  milliseconds: number
  statusCode: number | null
  failure: string | null
  answerHead: Buffer | null
  /** Counts from 1, including replays. */
  number: number
}

export const MAX_ATTEMPTS_SHOWN = 100

const columns = fragment`
  event.delivery_id as id, event.client_id as "clientId", client.name as "clientName", client.workspace_id as "workspaceId",
  workspace.name as "workspaceName", event.name as event, event.message_id as "messageId", event.webhook_status as status, event.state, event.failure_reason as "failureReason",
  case when event.state = 'pending' then coalesce(queued.due_at, (
    select max(leased_until) from (${openDeliveries(fragment`webhook_claim`)}) as open where open.delivery_id = event.delivery_id)
  ) end as "nextAttemptAt", event.created_at as "createdAt", event.ended_at as "endedAt",
  (select count(*) from (select from webhook_attempt where delivery_id = event.delivery_id limit ${MAX_ATTEMPTS_SHOWN}) as made) as attempts,
  latest.attempted_at as "attemptedAt", latest.milliseconds, latest.status_code as "statusCode", latest.failure`

const deliveries = fragment`
  webhook_event event join client on client.id = event.client_id join workspace on workspace.id = client.workspace_id
    left join webhook_queue queued on queued.delivery_id = event.delivery_id
    left join lateral (
      select attempted_at, milliseconds, status_code, failure from webhook_attempt where delivery_id = event.delivery_id
      order by claim_id desc limit 1
    ) as latest on true`

interface DeliveryFilter {
  /** null: of all workspaces. */
  clientIds: string[] | null
  state: DeliveryState | null
  event: WebhookDelivery['event'] | null
  messageId: string | null
  since: Date | null
  until: Date | null
}

/** Newest first. An index drives the scan of each client, or of all together: by id, by failed deliveries, or by message. */
export async function listDeliveries(
  db: Queries,
  filter: DeliveryFilter & Page,
): Promise<ScannedPage<WebhookDelivery>> {
  const { clientIds, state, event, messageId, since, until, before, limit } = filter
  const driver = every([
    clientIds === null ? null : fragment`event.client_id = own.id`,
    state === 'failed' ? fragment`event.failure_reason is not null` : null,
    messageId === null ? null : fragment`event.message_id = ${messageId}`,
    since === null
      ? null
      : fragment`event.created_at >= ${since} and event.delivery_id >= ${lowestIdOf(addMinutes(since, -1))}`,
    until === null
      ? null
      : fragment`event.created_at < ${until} and event.delivery_id < ${lowestIdOf(addMinutes(until, 1))}`,
    before === null ? null : fragment`event.delivery_id < ${before}`,
  ])
  const others = [
    state === 'pending' || state === 'delivered' ? fragment`event.state = ${state}` : null,
    event === null ? null : fragment`event.name = ${event}`,
  ]
  const isScan = messageId === null && others.some((it) => it !== null)
  const scopes =
    clientIds === null ? fragment`(values (null)) as own (id)` : fragment`unnest(${clientIds}::uuid[]) as own (id)`
  const perClient = Math.floor(MAX_ROWS_SCANNED / Math.max(1, clientIds?.length ?? 1))
  // All clients are scanned down to the highest of their scan ends.
  const [end] = isScan
    ? await db.query<{ id: string }>(sql`
        select walked.id from ${scopes} cross join lateral (
          select delivery_id as id from webhook_event event where ${driver}
          order by delivery_id desc offset ${perClient - 1} limit 1
        ) as walked order by walked.id desc limit 1`)
    : []
  const rows = await db.query<WebhookDelivery>(sql`
    with page as materialized (
      select found.delivery_id from ${scopes} cross join lateral (
        select delivery_id from webhook_event event
        where ${every([driver, ...others, end ? fragment`event.delivery_id >= ${end.id}` : null])}
        order by delivery_id desc limit ${limit}
      ) as found order by found.delivery_id desc limit ${limit}
    )
    select ${columns} from page cross join ${deliveries} where event.delivery_id = page.delivery_id
    order by event.delivery_id desc`)
  return { rows, scannedTo: end?.id ?? null }
}

/** An id can be created slightly before or after the time of its event. */
function addMinutes(at: Date, minutes: number): Date {
  return new Date(at.getTime() + minutes * 60_000)
}

/** `within` is the only workspace that the caller may see, or null for any. */
export async function findDelivery(
  db: Queries,
  { id, within }: { id: string; within: string | null },
): Promise<(WebhookDelivery & { body: Buffer }) | null> {
  const rows = await db.query<WebhookDelivery & { body: Buffer }>(sql`
    select ${columns}, event.body from ${deliveries}
    where event.delivery_id = ${id} and (${within}::uuid is null or client.workspace_id = ${within})`)
  return rows[0] ?? null
}

/** The latest attempts, oldest first: replays can produce any number of them. */
export function listAttempts(db: Queries, deliveryId: string): Promise<StoredAttempt[]> {
  return db.query<StoredAttempt>(sql`
    select url, attempted_at as "attemptedAt", milliseconds, status_code as "statusCode", failure, response_body as "answerHead", number
    from (
      select *, row_number() over (order by claim_id) as number from webhook_attempt where delivery_id = ${deliveryId}
      order by claim_id desc limit ${MAX_ATTEMPTS_SHOWN}
    ) as latest order by claim_id`)
}

/** Replays a delivery: queues it, due now. The queue does not change while the delivery is claimed. */
export async function requeueDelivery(tx: Tx, { id, now }: { id: string; now: Date }): Promise<void> {
  // The first statement locks the event, so that concurrent replays of the event wait for each other.
  await tx.query(sql`
    update webhook_event set state = 'pending', failure_reason = null, ended_at = null where delivery_id = ${id}`)
  // Waits for a concurrent claim of the delivery, so that the next statement sees that claim. Later claims skip the locked row.
  await tx.query(sql`select from webhook_queue where delivery_id = ${id} for update`)
  await tx.query(sql`
    insert into webhook_queue (delivery_id, client_id, workspace_id, retry, due_at)
    select delivery_id, client_id, workspace_id, true, ${now}::timestamptz
    from webhook_event event join client on client.id = client_id
    where delivery_id = ${id} and not exists (
      select from (${openDeliveries(fragment`webhook_claim`)}) as open where open.delivery_id = event.delivery_id)
    on conflict (delivery_id) do update set retry = true, due_at = excluded.due_at, attempts = 0, claims = 0`)
}

/** Replays up to `limit` deliveries of a client that failed at `since` or later. Returns the number of deliveries. */
export async function requeueFailedDeliveries(
  tx: Tx,
  { clientId, since, limit, now }: { clientId: string; since: Date; limit: number; now: Date },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    with failed as (
      select delivery_id from webhook_event
      where client_id = ${clientId} and failure_reason is not null and ended_at >= ${since}
      order by delivery_id limit ${limit} for update skip locked
    ), event as (
      update webhook_event set state = 'pending', failure_reason = null, ended_at = null
      from failed where webhook_event.delivery_id = failed.delivery_id
      returning webhook_event.delivery_id, client_id
    ), queued as (
      insert into webhook_queue (delivery_id, client_id, workspace_id, retry, due_at)
      select delivery_id, client_id, workspace_id, true, ${now}::timestamptz
      from event join client on client.id = client_id order by delivery_id
    )
    select count(*) from event`)
  return row?.count ?? 0
}

/**
 * Deletes up to `limit` deliveries that ended at `endedBy` or before, with their attempts. Returns the number of deliveries. Ids are
 * in time order, so `idsBelow` bounds the search.
 */
export async function deleteOldDeliveries(
  db: Queries,
  { endedBy, idsBelow, limit }: { endedBy: Date; idsBelow: string; limit: number },
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    with old as (
      select delivery_id from webhook_event where delivery_id < ${idsBelow} and ended_at <= ${endedBy}
      order by delivery_id limit ${limit} for update skip locked
    ), event as (
      delete from webhook_event using old where webhook_event.delivery_id = old.delivery_id
    ), attempt as (
      delete from webhook_attempt using old where webhook_attempt.delivery_id = old.delivery_id
    )
    select count(*) from old`)
  return row?.count ?? 0
}
