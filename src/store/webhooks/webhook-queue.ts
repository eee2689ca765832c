// The webhook queue (§6.4): fair claims across workspaces and endpoints. Only the current claim can complete a delivery.
import type { WebhookEvent } from '../../domain/webhooks/webhook-event.ts'
import type { FailureReason } from '../../domain/webhooks/webhook-schedule.ts'
import type { Queries, Tx } from '../database/db.ts'
import { type Fragment, fragment, sql } from '../database/sql.ts'

/** Deliveries that may be claimed for each id: `usual`, unless `named` has a number for the id. */
export interface ClaimLimits {
  usual: number
  named: Map<string, number>
}

export interface DeliveryClaimRequest {
  claimId: string
  now: Date
  leasedUntil: Date
  /** True: only retries. False: only first attempts. */
  retry: boolean
  /** Workspaces take turns in id order, starting after this one. */
  afterWorkspaceId: string
  limit: number
  workspaces: ClaimLimits
  endpoints: ClaimLimits
}

export interface ClaimedDeliveryRow {
  deliveryId: string
  clientId: string
  workspaceId: string
  /** The recorded attempts of this round. */
  attempts: number
  /** The claims since the last recorded attempt, with this one. */
  claims: number
  name: WebhookEvent['name']
  body: Buffer
}

/**
 * Claims due deliveries of each endpoint up to the limits of the endpoint and of its workspace (D43), oldest first. In due order alone,
 * one failing endpoint with a long backlog would starve the others. Each workspace and endpoint costs one index step. Deliveries of a
 * disabled client stay in the queue.
 */
export function claimDueDeliveries(db: Queries, request: DeliveryClaimRequest): Promise<ClaimedDeliveryRow[]> {
  const { claimId, now, leasedUntil, retry, afterWorkspaceId, limit, workspaces, endpoints } = request
  return db.query<ClaimedDeliveryRow>(sql`
    with recursive walked as (
      (select workspace_id from webhook_queue where retry = ${retry} and workspace_id > ${afterWorkspaceId}
        order by workspace_id limit 1)
      union all
      select (
        select next.workspace_id from webhook_queue next
        where next.retry = ${retry} and next.workspace_id > walked.workspace_id order by next.workspace_id limit 1
      ) from walked where walked.workspace_id is not null
    ), due as materialized (
      select of_workspace.tuple
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
        select waiting.tuple
        from endpoint cross join lateral (
          select ctid as tuple from webhook_queue
          where retry = ${retry} and workspace_id = walked.workspace_id and client_id = endpoint.client_id and due_at <= ${now}
            and exists (select from client where id = endpoint.client_id and disabled_at is null)
          order by due_at
          limit coalesce((${Object.fromEntries(endpoints.named)}::jsonb ->> endpoint.client_id::text)::int, ${endpoints.usual})
          for update skip locked
        ) waiting
        limit coalesce((${Object.fromEntries(workspaces.named)}::jsonb ->> walked.workspace_id::text)::int, ${workspaces.usual})
      ) of_workspace
      limit ${limit}
    ), claimed as (
      delete from webhook_queue where ctid = any(array(select tuple from due))
      returning delivery_id, client_id, workspace_id, attempts, claims + 1 as claims
    ), claim as (
      insert into webhook_claim (id, leased_until, retry, delivery_ids, attempts, claims)
      select ${claimId}, ${leasedUntil}, ${retry}, array_agg(delivery_id), array_agg(attempts), array_agg(claims)
      from claimed having count(*) > 0
    )
    select delivery_id as "deliveryId", claimed.client_id as "clientId", workspace_id as "workspaceId", attempts, claims, name, body
    from claimed join webhook_event using (delivery_id) order by delivery_id`)
}

/** Locks claims whose lease has ended. Skips claims that another transaction has locked, because it stores their results. */
export async function lockLapsedClaims(tx: Tx, { now, limit }: { now: Date; limit: number }): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from webhook_claim where leased_until <= ${now} order by leased_until limit ${limit} for update skip locked`)
  return rows.map(({ id }) => id)
}

/**
 * Deletes locked claims, and returns their deliveries without a recorded attempt to the queue. The lock needs a statement of its own,
 * because a statement does not see attempts that are recorded after its start.
 */
export async function endClaims(tx: Tx, claimIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    with ended as (
      delete from webhook_claim where id = any(${claimIds}::uuid[]) returning *
    )
    insert into webhook_queue (delivery_id, client_id, workspace_id, retry, due_at, attempts, claims)
    select delivery_id, client_id, workspace_id, open.retry, open.leased_until, open.attempts, open.claims
    from (${openDeliveries(fragment`ended`)}) as open
      join webhook_event event using (delivery_id) join client on client.id = event.client_id
    on conflict (delivery_id) do nothing`)
}

/** Selects the claimed deliveries that have no recorded attempt of their claim, one row each. A claim also lists deliveries with one. */
export function openDeliveries(claims: Fragment): Fragment {
  return fragment`
    select claim.id as claim_id, claim.leased_until, claim.retry, held.delivery_id, held.attempts, held.claims
    from ${claims} as claim
      cross join lateral unnest(claim.delivery_ids, claim.attempts, claim.claims) as held (delivery_id, attempts, claims)
    where not exists (
      select from webhook_attempt made where made.delivery_id = held.delivery_id and made.claim_id = claim.id)`
}

/** The recursive table `endpoint`: the clients with queued retries. Costs one index step per client. */
export const retryingEndpoints = fragment`
  (select workspace_id, client_id from webhook_queue where retry order by workspace_id, client_id limit 1)
  union all
  select next.* from endpoint cross join lateral (
    select workspace_id, client_id from webhook_queue
    where retry and (workspace_id, client_id) > (endpoint.workspace_id, endpoint.client_id)
    order by workspace_id, client_id limit 1
  ) as next`

/** When the next future retry falls due, or the next lease ends. */
export async function findNextRetryTime(db: Queries, now: Date): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`
    with recursive endpoint as (${retryingEndpoints})
    select least(min(waiting.due_at), (select min(leased_until) from webhook_claim)) as at
    from endpoint cross join lateral (
      select due_at from webhook_queue
      where retry and workspace_id = endpoint.workspace_id and client_id = endpoint.client_id and due_at > ${now}
      order by due_at limit 1
    ) waiting`)
  return rows[0]?.at ?? null
}

/** The endpoint of a client as it is now. */
export interface EndpointRow {
  clientId: string
  isDisabled: boolean
  url: string | null
  secretSealed: Buffer
  previousSecretSealed: Buffer | null
  previousSecretEndsAt: Date | null
}

export function readEndpoints(db: Queries, clientIds: readonly string[]): Promise<EndpointRow[]> {
  return db.query<EndpointRow>(sql`
    select id as "clientId", disabled_at is not null as "isDisabled", webhook_url as url, webhook_secret_sealed as "secretSealed",
      previous_webhook_secret_sealed as "previousSecretSealed", previous_webhook_secret_ends_at as "previousSecretEndsAt"
    from client where id = any(${clientIds}::uuid[])`)
}

export interface AttemptRecord {
  deliveryId: string
  claimId: string
  clientId: string
  /** Counts from 1 in this round. */
  number: number
  url: string
  attemptedAt: Date
  milliseconds: number
  statusCode: number | null
  failure: string | null
  answerHead: Uint8Array | null
  next: { kind: 'delivered' } | { kind: 'failed'; failureReason: FailureReason } | { kind: 'retry'; at: Date }
}

interface ClaimedId {
  deliveryId: string
  claimId: string
}

/** Locks claims, so that no other process ends them while their results are stored. Returns the ids of the claims that exist. */
export async function lockWebhookClaims(tx: Tx, claimIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from webhook_claim where id = any(${claimIds}::uuid[]) order by id for share`)
  return new Set(rows.map(({ id }) => id))
}

/** Lists the claimed deliveries that have a recorded attempt of their claim. */
export function listRecorded(tx: Tx, claimed: readonly ClaimedId[]): Promise<ClaimedId[]> {
  return tx.query<ClaimedId>(sql`
    select delivery_id as "deliveryId", claim_id as "claimId"
    from unnest(${claimed.map((it) => it.deliveryId)}::uuid[], ${claimed.map((it) => it.claimId)}::uuid[]) as held (delivery_id, claim_id)
      join webhook_attempt using (delivery_id, claim_id)`)
}

/** Stores attempts and the next step of each delivery. The caller has locked their claims. */
export function insertAttempts(tx: Tx, records: readonly AttemptRecord[], now: Date): Promise<unknown>[] {
  const delivered = records.filter(({ next }) => next.kind === 'delivered')
  const failed = records.flatMap(({ deliveryId, next }) => (next.kind === 'failed' ? [{ deliveryId, ...next }] : []))
  const retries = records.flatMap(({ next, ...it }) => (next.kind === 'retry' ? [{ ...it, ...next }] : []))
  return [
    tx.query(sql`
      insert into webhook_attempt (delivery_id, claim_id, url, attempted_at, milliseconds, status_code, failure, response_body)
      select * from unnest(
        ${records.map((it) => it.deliveryId)}::uuid[], ${records.map((it) => it.claimId)}::uuid[], ${records.map((it) => it.url)}::text[],
        ${records.map((it) => it.attemptedAt)}::timestamptz[], ${records.map((it) => it.milliseconds)}::int[],
        ${records.map((it) => it.statusCode)}::smallint[], ${records.map((it) => it.failure)}::text[],
        ${records.map((it) => it.answerHead)}::bytea[])`),
    delivered.length > 0 &&
      tx.query(sql`
        update webhook_event set state = 'delivered', ended_at = ${now}
        where delivery_id = any(${delivered.map((it) => it.deliveryId)}::uuid[])`),
    failed.length > 0 &&
      tx.query(sql`
        update webhook_event set state = 'failed', failure_reason = failed.reason, ended_at = ${now}
        from unnest(${failed.map((it) => it.deliveryId)}::uuid[], ${failed.map((it) => it.failureReason)}::text[]) as failed (id, reason)
        where delivery_id = failed.id`),
    retries.length > 0 &&
      tx.query(sql`
        insert into webhook_queue (delivery_id, client_id, workspace_id, retry, due_at, attempts)
        select delivery_id, client_id, workspace_id, true, retry.at, retry.attempts
        from unnest(
            ${retries.map((it) => it.deliveryId)}::uuid[], ${retries.map((it) => it.at)}::timestamptz[],
            ${retries.map((it) => it.number)}::smallint[]) as retry (delivery_id, at, attempts)
          join webhook_event using (delivery_id) join client on client.id = client_id
        on conflict (delivery_id) do nothing`),
  ].filter((statement) => statement !== false)
}

export async function deleteWebhookClaims(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.query(sql`delete from webhook_claim where id = any(${ids}::uuid[])`)
}

export interface WithdrawnDelivery {
  deliveryId: string
  claimId: string
  /** Why the delivery ends; null returns it to the queue, as if it had not been claimed. */
  failureReason: FailureReason | null
}

/**
 * Removes deliveries without an attempt from their claims. Ignores claims that no longer exist. This statement may not see an attempt that is
 * recorded at the same time. The claim then lists that delivery until its lease ends, which has no effect.
 */
export async function withdrawDeliveries(
  db: Queries,
  { withdrawn, now }: { withdrawn: WithdrawnDelivery[]; now: Date },
): Promise<void> {
  await db.query(sql`
    with withdrawn as materialized (
      select * from unnest(
        ${withdrawn.map((it) => it.deliveryId)}::uuid[], ${withdrawn.map((it) => it.claimId)}::uuid[],
        ${withdrawn.map((it) => it.failureReason)}::text[]
      ) as withdrawn (delivery_id, claim_id, failure_reason)
    ), claim as materialized (
      select * from webhook_claim where id in (select claim_id from withdrawn) order by id for update
    ), open as materialized (
      select open.*, withdrawn.claim_id is not null as is_withdrawn, failure_reason
      from (${openDeliveries(fragment`claim`)}) as open left join withdrawn using (delivery_id, claim_id)
    ), returned as (
      insert into webhook_queue (delivery_id, client_id, workspace_id, retry, due_at, attempts, claims)
      select delivery_id, client_id, workspace_id, open.retry, case when open.retry then ${now}::timestamptz else event.created_at end,
        open.attempts, open.claims - 1
      from open join webhook_event event using (delivery_id) join client on client.id = event.client_id
      where is_withdrawn and open.failure_reason is null
      on conflict (delivery_id) do nothing
    ), failed as (
      update webhook_event event set state = 'failed', failure_reason = open.failure_reason, ended_at = ${now}
      from open where event.delivery_id = open.delivery_id and is_withdrawn and open.failure_reason is not null
    ), rest as (
      select claim_id as id, array_agg(delivery_id) as delivery_ids, array_agg(attempts) as attempts, array_agg(claims) as claims
      from open where not is_withdrawn group by claim_id
    ), kept as (
      update webhook_claim set delivery_ids = rest.delivery_ids, attempts = rest.attempts, claims = rest.claims
      from rest where webhook_claim.id = rest.id
    )
    delete from webhook_claim using claim where webhook_claim.id = claim.id and claim.id not in (select id from rest)`)
}

/** The number of deliveries that wait or are being posted, and the due time of the delivery that is overdue the longest. */
export async function measureWebhookQueue(
  db: Queries,
  now: Date,
): Promise<{ waiting: number; oldestDueAt: Date | null }> {
  const [row] = await db.query<{ waiting: number; oldestDueAt: Date | null }>(sql`
    select count(*) + (select count(*) from (${openDeliveries(fragment`webhook_claim`)}) as open) as waiting,
      min(due_at) filter (where due_at <= ${now}) as "oldestDueAt" from webhook_queue`)
  return row ?? { waiting: 0, oldestDueAt: null }
}
