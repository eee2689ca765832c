// Webhook delivery history of 7 days, and replays from it (§6.4 rule 4).
import type { WebhookStatus } from '../../domain/webhooks/webhook-event.ts'
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
  event: 'message.status' | 'message.inbound'
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

export const MAX_FAILED_COUNTED = 1_000

export async function countFailedDeliveries(db: Queries): Promise<number> {
  const [row] = await db.query<{ dead: number }>(sql`
    select count(*) as dead from (
      select from webhook_event where failure_reason is not null limit ${MAX_FAILED_COUNTED}
    ) as counted`)
  return row?.dead ?? 0
}

interface FailedDelivery {
  id: string
  because: FailureReason
  client: { id: string; name: string }
  workspace: { id: string; name: string }
  endedAt: Date
}

const MAX_FAILING_CLIENTS = 500

/** The latest failed delivery of each client, one index step per client. */
export function listFailedDeliveries(db: Queries, limit: number): Promise<FailedDelivery[]> {
  return db.query<FailedDelivery>(sql`
    with recursive latest as (
      (select client_id, delivery_id from webhook_event where failure_reason is not null
        order by client_id desc, delivery_id desc limit 1)
      union all
      select next.* from latest cross join lateral (
        select client_id, delivery_id from webhook_event
        where failure_reason is not null and client_id < latest.client_id
        order by client_id desc, delivery_id desc limit 1
      ) as next
    )
    select event.delivery_id as id, event.failure_reason as because, event.ended_at as "endedAt",
      json_build_object('id', client.id, 'name', client.name) as client,
      json_build_object('id', workspace.id, 'name', workspace.name) as workspace
    from (select delivery_id from latest limit ${MAX_FAILING_CLIENTS}) as latest
      join webhook_event event using (delivery_id) join client on client.id = event.client_id
      join workspace on workspace.id = client.workspace_id
    order by event.delivery_id desc limit ${limit}`)
}

const MAX_ENDPOINTS_CHECKED = 200
export const MAX_FAILURES_COUNTED = 100

interface EndpointFailures {
  client: { id: string; name: string }
  workspace: { id: string; name: string }
  /** Counted up to MAX_FAILURES_COUNTED for retries, and for failed events. */
  failures: number
  firstId: string
  lastId: string
  lastDeliveredAt: Date | null
  statusCode: number | null
  failure: string | null
}

/**
 * Endpoints with events that wait for a retry after a failed attempt, or that failed since `since`. Costs an index step per client with
 * such events, and a bounded number of rows for each of up to MAX_ENDPOINTS_CHECKED clients.
 */
export function listEndpointFailures(db: Queries, since: Date): Promise<EndpointFailures[]> {
  return db.query<EndpointFailures>(sql`
    with recursive retrying as (
      (select workspace_id, client_id from webhook_queue where retry order by workspace_id, client_id limit 1)
      union all
      select next.* from retrying cross join lateral (
        select workspace_id, client_id from webhook_queue
        where retry and (workspace_id, client_id) > (retrying.workspace_id, retrying.client_id)
        order by workspace_id, client_id limit 1
      ) as next
    ), failed as (
      (select client_id, delivery_id from webhook_event where failure_reason is not null
        order by client_id desc, delivery_id desc limit 1)
      union all
      select next.* from failed cross join lateral (
        select client_id, delivery_id from webhook_event where failure_reason is not null and client_id < failed.client_id
        order by client_id desc, delivery_id desc limit 1
      ) as next
    ), candidate as (
      select client_id from (select client_id from retrying limit ${MAX_FAILING_CLIENTS}) as walked
      union
      select event.client_id from (select delivery_id from failed limit ${MAX_FAILING_CLIENTS}) as latest
        join webhook_event event using (delivery_id) where event.ended_at >= ${since}
    )
    select json_build_object('id', client.id, 'name', client.name) as client,
      json_build_object('id', workspace.id, 'name', workspace.name) as workspace,
      found.failures, found.first_id as "firstId", found.last_id as "lastId", delivered.at as "lastDeliveredAt",
      attempt.status_code as "statusCode", attempt.failure
    from (select client_id from candidate limit ${MAX_ENDPOINTS_CHECKED}) as checked
      join client on client.id = checked.client_id and client.disabled_at is null and client.webhook_url is not null
      join workspace on workspace.id = client.workspace_id
      cross join lateral (
        select count(*)::int as failures, min(delivery_id::text) as first_id, max(delivery_id::text) as last_id from (
          (select delivery_id from webhook_queue
            where retry and workspace_id = client.workspace_id and client_id = client.id and attempts > 0
            limit ${MAX_FAILURES_COUNTED})
          union all
          select delivery_id from (
            select delivery_id, ended_at from webhook_event where client_id = client.id and failure_reason is not null
            order by delivery_id desc limit ${MAX_FAILURES_COUNTED}
          ) as latest where ended_at >= ${since}
        ) as failing
      ) as found
      cross join lateral (
        select max(ended_at) filter (where state = 'delivered') as at from (
          select state, ended_at from webhook_event where client_id = client.id
          order by delivery_id desc limit ${MAX_FAILURES_COUNTED}
        ) as latest
      ) as delivered
      left join lateral (
        select status_code, failure from webhook_attempt where delivery_id = found.last_id::uuid
        order by claim_id desc limit 1
      ) as attempt on true
    where found.failures > 0
    order by found.failures desc, client.id`)
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
    with dead as (
      select delivery_id from webhook_event
      where client_id = ${clientId} and failure_reason is not null and ended_at >= ${since}
      order by delivery_id limit ${limit} for update skip locked
    ), event as (
      update webhook_event set state = 'pending', failure_reason = null, ended_at = null
      from dead where webhook_event.delivery_id = dead.delivery_id
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
