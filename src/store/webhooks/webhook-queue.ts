// The webhook queue (§6.4): fair claims across workspaces and endpoints. Only the current claim can complete a delivery.
import type { FailureReason } from '../../domain/webhooks/webhook-schedule.ts'
import type { Queries } from '../database/db.ts'
import { sql } from '../database/sql.ts'

/** Deliveries that may be claimed for each id: `usual`, unless `named` has a number for the id. */
export interface ClaimLimits {
  usual: number
  named: ReadonlyMap<string, number>
}

export interface AttemptClaimRequest {
  claimId: string
  now: Date
  leaseEndsAt: Date
  /** True: only retries. False: only first attempts. */
  retry: boolean
  /** Workspaces take turns in id order, starting after this one. */
  afterWorkspaceId: string
  limit: number
  workspaces: ClaimLimits
  endpoints: ClaimLimits
}

export interface ClaimedAttemptRow {
  deliveryId: string
  clientId: string
  workspaceId: string
  attempts: number
  claims: number
  name: 'message.status' | 'message.inbound'
  body: Buffer
  url: string | null
  secretSealed: Buffer
  previousSecretSealed: Buffer | null
  previousSecretEndsAt: Date | null
}

/**
 * Claims due deliveries of each endpoint up to the limits of the endpoint and of its workspace (D43). In due order alone, one failing
 * endpoint with a long backlog would starve the others. Each workspace and endpoint costs one index step. Deliveries of a disabled
 * client stay in the queue.
 */
export function claimDueAttempts(db: Queries, request: AttemptClaimRequest): Promise<ClaimedAttemptRow[]> {
  const { claimId, now, leaseEndsAt, retry, afterWorkspaceId, limit, workspaces, endpoints } = request
  return db.query<ClaimedAttemptRow>(sql`
    with recursive walked as (
      (select workspace_id from webhook_queue where retry = ${retry} and workspace_id > ${afterWorkspaceId}
        order by workspace_id limit 1)
      union all
      select (
        select next.workspace_id from webhook_queue next
        where next.retry = ${retry} and next.workspace_id > walked.workspace_id order by next.workspace_id limit 1
      ) from walked where walked.workspace_id is not null
    ), due as materialized (
      select of_workspace.delivery_id
      from walked cross join lateral (
        with recursive endpoint as (
          (select client_id from webhook_queue where retry = ${retry} and workspace_id = walked.workspace_id
            order by client_id limit 1)
          union all
          select (
            select next.client_id from webhook_queue next
            where next.retry = ${retry} and next.workspace_id = walked.workspace_id and next.client_id > endpoint.client_id
            order by next.client_id limit 1
          ) from endpoint where endpoint.client_id is not null
        )
        select waiting.delivery_id
        from endpoint cross join lateral (
          select delivery_id from webhook_queue
          where retry = ${retry} and workspace_id = walked.workspace_id and client_id = endpoint.client_id and due_at <= ${now}
            and exists (select from client where id = endpoint.client_id and disabled_at is null)
          order by due_at
          limit coalesce((${Object.fromEntries(endpoints.named)}::jsonb ->> endpoint.client_id::text)::int, ${endpoints.usual})
          for update skip locked
        ) waiting
        limit coalesce((${Object.fromEntries(workspaces.named)}::jsonb ->> walked.workspace_id::text)::int, ${workspaces.usual})
      ) of_workspace
      limit ${limit}
    )
    update webhook_queue claimed set claim_id = ${claimId}, due_at = ${leaseEndsAt}, claims = claims + 1
    from due join webhook_event event using (delivery_id) join client on client.id = event.client_id
    where claimed.delivery_id = due.delivery_id
    returning claimed.delivery_id as "deliveryId", claimed.client_id as "clientId", claimed.workspace_id as "workspaceId",
      claimed.attempts, claimed.claims,
      event.name, event.body, client.webhook_url as url, client.webhook_secret_sealed as "secretSealed",
      client.previous_webhook_secret_sealed as "previousSecretSealed",
      client.previous_webhook_secret_ends_at as "previousSecretEndsAt"`)
}

/** When the next future retry falls due, or the lease of a claimed one ends. */
export async function findNextRetryTime(db: Queries, now: Date): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`
    with recursive endpoint as (
      (select workspace_id, client_id from webhook_queue where retry order by workspace_id, client_id limit 1)
      union all
      select next.* from endpoint cross join lateral (
        select workspace_id, client_id from webhook_queue
        where retry and (workspace_id, client_id) > (endpoint.workspace_id, endpoint.client_id)
        order by workspace_id, client_id limit 1
      ) next
    )
    select min(waiting.due_at) as at from endpoint cross join lateral (
      select due_at from webhook_queue
      where retry and workspace_id = endpoint.workspace_id and client_id = endpoint.client_id and due_at > ${now}
      order by due_at limit 1
    ) waiting`)
  return rows[0]?.at ?? null
}

/** The result of a claim: the attempt, if one was made, and the next step. */
export interface ClaimCompletion {
  deliveryId: string
  claimId: string
  attempt: {
    url: string
    attemptedAt: Date
    milliseconds: number
    statusCode: number | null
    failure: string | null
    answerHead: Uint8Array | null
  } | null
  next: { kind: 'delivered' } | { kind: 'failed'; because: FailureReason } | { kind: 'retry'; at: Date }
}

/** Returns for each completion, in order, whether its claim was still valid. An invalid one stores nothing. */
export async function completeClaims(db: Queries, completions: ClaimCompletion[], now: Date): Promise<boolean[]> {
  const attempts = completions.map((it) => it.attempt)
  const rows = await db.query<{ deliveryId: string; claimId: string }>(sql`
    with result as (
      select * from unnest(
        ${completions.map((it) => it.deliveryId)}::uuid[], ${completions.map((it) => it.claimId)}::uuid[],
        ${completions.map(({ next }) => (next.kind === 'retry' ? next.at : null))}::timestamptz[],
        ${completions.map(({ next }) => (next.kind === 'failed' ? next.because : null))}::text[],
        ${attempts.map((it) => it?.url ?? null)}::text[], ${attempts.map((it) => it?.attemptedAt ?? null)}::timestamptz[],
        ${attempts.map((it) => it?.milliseconds ?? null)}::int[], ${attempts.map((it) => it?.statusCode ?? null)}::smallint[],
        ${attempts.map((it) => it?.failure ?? null)}::text[], ${attempts.map((it) => it?.answerHead ?? null)}::bytea[]
      ) as result (delivery_id, claim_id, retry_at, failure_reason, url, attempted_at, milliseconds, status_code, failure, response_body)
    ), ended as (
      delete from webhook_queue queued using result
      where queued.delivery_id = result.delivery_id and queued.claim_id = result.claim_id and result.retry_at is null
      returning queued.delivery_id, result.claim_id
    ), put_off as (
      update webhook_queue queued
      set retry = true, due_at = result.retry_at, claim_id = null, attempts = attempts + 1, claims = 0
      from result
      where queued.delivery_id = result.delivery_id and queued.claim_id = result.claim_id and result.retry_at is not null
      returning queued.delivery_id, result.claim_id
    ), held as (
      select delivery_id, claim_id from ended union all select delivery_id, claim_id from put_off
    ), event as (
      update webhook_event event
      set state = case when result.failure_reason is null then 'delivered' else 'failed' end,
        failure_reason = result.failure_reason, ended_at = ${now}
      from ended join result using (delivery_id, claim_id) where event.delivery_id = ended.delivery_id
    ), posted as (
      insert into webhook_attempt (delivery_id, claim_id, url, attempted_at, milliseconds, status_code, failure, response_body)
      select delivery_id, claim_id, url, attempted_at, milliseconds, status_code, failure, response_body
      from held join result using (delivery_id, claim_id) where url is not null
    )
    select delivery_id as "deliveryId", claim_id as "claimId" from held`)
  const held = new Set(rows.map((row) => `${row.deliveryId} ${row.claimId}`))
  return completions.map(({ deliveryId, claimId }) => held.has(`${deliveryId} ${claimId}`))
}

/** Undoes claims that are still valid. */
export async function releaseClaims(
  db: Queries,
  claims: { deliveryId: string; claimId: string; dueAt: Date }[],
): Promise<void> {
  await db.query(sql`
    update webhook_queue queued set due_at = released.due_at, claim_id = null, claims = claims - 1
    from unnest(
      ${claims.map((it) => it.deliveryId)}::uuid[], ${claims.map((it) => it.claimId)}::uuid[],
      ${claims.map((it) => it.dueAt)}::timestamptz[]
    ) as released (delivery_id, claim_id, due_at)
    where queued.delivery_id = released.delivery_id and queued.claim_id = released.claim_id`)
}

/** The number of deliveries in the queue, and the due time of the delivery that is overdue the longest. */
export async function measureWebhookQueue(
  db: Queries,
  now: Date,
): Promise<{ waiting: number; oldestDueAt: Date | null }> {
  const [row] = await db.query<{ waiting: number; oldestDueAt: Date | null }>(sql`
    select count(*) as waiting, min(due_at) filter (where due_at <= ${now}) as "oldestDueAt" from webhook_queue`)
  return row ?? { waiting: 0, oldestDueAt: null }
}
