// Webhook deliveries that failed, and endpoints whose attempts fail.
import type { FailureReason } from '../../domain/webhooks/webhook-schedule.ts'
import type { Queries } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'
import { retryingEndpoints } from './webhook-queue.ts'

export const MAX_FAILED_COUNTED = 1_000

export async function countFailedDeliveries(db: Queries): Promise<number> {
  const [row] = await db.query<{ failed: number }>(sql`
    select count(*) as failed from (
      select from webhook_event where failure_reason is not null limit ${MAX_FAILED_COUNTED}
    ) as counted`)
  return row?.failed ?? 0
}

interface FailedDelivery {
  id: string
  because: FailureReason
  client: { id: string; name: string }
  workspace: { id: string; name: string }
  endedAt: Date
}

const MAX_FAILING_CLIENTS = 500

/** The recursive table `latest`: the latest failed delivery of each client, one index step per client. */
const latestFailed = fragment`
  (select client_id, delivery_id from webhook_event where failure_reason is not null
    order by client_id desc, delivery_id desc limit 1)
  union all
  select next.* from latest cross join lateral (
    select client_id, delivery_id from webhook_event
    where failure_reason is not null and client_id < latest.client_id
    order by client_id desc, delivery_id desc limit 1
  ) as next`

/** The latest failed delivery of each client. */
export function listFailedDeliveries(db: Queries, limit: number): Promise<FailedDelivery[]> {
  return db.query<FailedDelivery>(sql`
    with recursive latest as (${latestFailed})
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
    with recursive endpoint as (${retryingEndpoints}), latest as (${latestFailed}), candidate as (
      select client_id from (select client_id from endpoint limit ${MAX_FAILING_CLIENTS}) as walked
      union
      select event.client_id from (select delivery_id from latest limit ${MAX_FAILING_CLIENTS}) as failed
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
