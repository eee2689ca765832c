// The health of webhook endpoints (D73): updated with each batch of attempts, listed, and read for mails to the owners.
import {
  type EndpointState,
  type EndpointSum,
  type HalfHourSum,
  MIN_FAILURES,
  NOTIFY_AFTER_MS,
  NOTIFY_ENDPOINT_EVERY_MS,
  NOTIFY_WORKSPACE_EVERY_MS,
} from '../../domain/webhooks/endpoint-health.ts'
import type { NoticeKind } from '../../domain/webhooks/endpoint-notice.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, type Fragment, fragment, sql } from '../database/sql.ts'
import { findScanEnd, idBelow, idFrom, type Page, type ScannedPage } from '../pages.ts'

/** The sums are sorted by client. The part of `with` is executed after the rest, in every transaction: no deadlocks. */
export async function addToHealth(
  tx: Tx,
  { halfHours, endpoints }: { halfHours: HalfHourSum[]; endpoints: EndpointSum[] },
): Promise<void> {
  await tx.query(sql`
    with half_hour as (
      insert into webhook_half_hour as known (client_id, half_hour, succeeded, failed)
      select * from unnest(
        ${halfHours.map((it) => it.clientId)}::uuid[], ${halfHours.map((it) => it.halfHour)}::timestamptz[],
        ${halfHours.map((it) => it.succeeded)}::int[], ${halfHours.map((it) => it.failed)}::int[])
      on conflict (client_id, half_hour) do update
        set succeeded = known.succeeded + excluded.succeeded, failed = known.failed + excluded.failed
    )
    insert into webhook_health as known (
      client_id, attempted_at, milliseconds, status_code, failure, succeeded_at, failures, first_failure_at, failing_since)
    select *, case when failures >= ${MIN_FAILURES} then first_failure_at end
    from unnest(
      ${endpoints.map((it) => it.clientId)}::uuid[], ${endpoints.map((it) => it.latest.attemptedAt)}::timestamptz[],
      ${endpoints.map((it) => it.latest.milliseconds)}::int[], ${endpoints.map((it) => it.latest.statusCode)}::smallint[],
      ${endpoints.map((it) => it.latest.failure)}::text[], ${endpoints.map((it) => it.succeededAt)}::timestamptz[],
      ${endpoints.map((it) => it.failures)}::int[], ${endpoints.map((it) => it.firstFailureAt)}::timestamptz[]
    ) as batch (client_id, attempted_at, milliseconds, status_code, failure, succeeded_at, failures, first_failure_at)
    on conflict (client_id) do update set
      attempted_at = excluded.attempted_at, milliseconds = excluded.milliseconds, status_code = excluded.status_code,
      failure = excluded.failure, succeeded_at = coalesce(excluded.succeeded_at, known.succeeded_at),
      failures = case when excluded.succeeded_at is null then known.failures else 0 end + excluded.failures,
      first_failure_at = case when excluded.succeeded_at is null
        then coalesce(known.first_failure_at, excluded.first_failure_at) else excluded.first_failure_at end,
      failing_since = case
        when excluded.succeeded_at is not null then excluded.failing_since
        when known.failures + excluded.failures >= ${MIN_FAILURES} then coalesce(known.first_failure_at, excluded.first_failure_at)
      end`)
}

/** D43: more events are not counted. */
export const MAX_WAITING_COUNTED = 1_000

export interface EndpointHealth {
  /** Of the client. */
  id: string
  workspaceId: string
  workspaceName: string
  name: string
  url: string
  state: EndpointState
  failingSince: Date | null
  notifiedAt: Date | null
  attemptedAt: Date | null
  milliseconds: number | null
  statusCode: number | null
  failure: string | null
  /** Counted up to MAX_WAITING_COUNTED. */
  waiting: number
  nextAttemptAt: Date | null
}

const endpoints = fragment`client left join webhook_health health on health.client_id = client.id`
const hasUrl = fragment`client.webhook_url is not null`

/** `since` is the start of the last day. */
function stateSince(since: Date): Fragment {
  return fragment`
    case when client.disabled_at is not null then 'disabled'
      when health.attempted_at is null or health.attempted_at < ${since} then 'idle'
      when health.failing_since is not null then 'failing'
      else 'healthy' end`
}

/** The ids of all endpoints of a workspace: failing ones first, then the newest. */
export async function listEndpointIds(
  db: Queries,
  { workspaceId, state, since }: { workspaceId: string; state: EndpointState | null; since: Date },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from (
      select client.id, ${stateSince(since)} as state from ${endpoints} where workspace_id = ${workspaceId} and ${hasUrl}
    ) as endpoint
    where ${state}::text is null or state = ${state}
    order by array_position(array['failing', 'healthy', 'idle'], state) nulls last, id desc`)
  return rows.map((row) => row.id)
}

/** The endpoints of all workspaces, newest first. */
export async function listAllEndpointIds(
  db: Queries,
  { state, since, before, limit }: Page & { state: EndpointState | null; since: Date },
): Promise<ScannedPage<string>> {
  const range = every([hasUrl, idBelow(before)])
  // An index has the failing ones.
  const isScan = state !== null && state !== 'failing'
  const filters = [
    state === 'failing' ? fragment`health.failing_since is not null` : null,
    state === null ? null : fragment`${stateSince(since)} = ${state}`,
  ]
  const scannedTo = isScan ? await findScanEnd(db, { table: fragment`client`, range, filters }) : null
  const rows = await db.query<{ id: string }>(sql`
    select client.id from ${endpoints} where ${every([range, ...filters, idFrom(scannedTo)])} order by client.id desc limit ${limit}`)
  return { rows: rows.map((row) => row.id), scannedTo }
}

/** In the order of `ids`. */
export function loadEndpointHealth(
  db: Queries,
  { ids, since }: { ids: readonly string[]; since: Date },
): Promise<EndpointHealth[]> {
  return db.query<EndpointHealth>(sql`
    select client.id, client.workspace_id as "workspaceId", workspace.name as "workspaceName", client.name, client.webhook_url as url,
      ${stateSince(since)} as state,
      case when ${stateSince(since)} = 'failing' then failing_since end as "failingSince",
      case when ${stateSince(since)} = 'failing' and failing_notified_at >= failing_since then failing_notified_at end as "notifiedAt",
      attempted_at as "attemptedAt", milliseconds, status_code as "statusCode", failure,
      (select count(*) from (
        select from webhook_queue where retry and workspace_id = client.workspace_id and client_id = client.id limit ${MAX_WAITING_COUNTED}
      ) as counted) as waiting,
      (select min(due_at) from webhook_queue
        where retry and workspace_id = client.workspace_id and client_id = client.id) as "nextAttemptAt"
    from unnest(${ids}::uuid[]) with ordinality as wanted (id, place) join ${endpoints} on client.id = wanted.id
      join workspace on workspace.id = client.workspace_id
    where ${hasUrl} order by place`)
}

export function listHalfHours(
  db: Queries,
  { ids, since }: { ids: readonly string[]; since: Date },
): Promise<HalfHourSum[]> {
  return db.query<HalfHourSum>(sql`
    select client_id as "clientId", half_hour as "halfHour", succeeded, failed from webhook_half_hour
    where client_id = any(${ids}::uuid[]) and half_hour >= ${since}`)
}

/** An endpoint whose owners must be notified. */
export interface DueNotice {
  clientId: string
  workspaceId: string
  workspaceName: string
  kind: NoticeKind
  name: string
  url: string
  failingSince: Date | null
  succeededAt: Date | null
  statusCode: number | null
  failure: string | null
  /** When the owners got the previous mail of this kind. */
  previousAt: Date | null
}

/** The endpoints of the first workspace and kind with a due mail. Endpoints without an enabled client or without owners have none. */
export function listDueNotices(tx: Tx, { now, since }: { now: Date; since: Date }): Promise<DueNotice[]> {
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const endpointPause = ago(NOTIFY_ENDPOINT_EVERY_MS)
  const workspacePause = ago(NOTIFY_WORKSPACE_EVERY_MS)
  return tx.query<DueNotice>(sql`
    with due as (
      select 'failing' as kind, failing_notified_at as previous_at, * from webhook_health
      where failing_since <= ${ago(NOTIFY_AFTER_MS)} and attempted_at >= ${since}
        and (failing_notified_at is null or failing_notified_at < failing_since and failing_notified_at <= ${endpointPause})
      union all
      select 'recovered', recovered_notified_at, * from webhook_health
      where failing_notified_at > coalesce(recovered_notified_at, '-infinity') and failing_since is null
        and succeeded_at > failing_notified_at and (recovered_notified_at is null or recovered_notified_at <= ${endpointPause})
    ), ranked as (
      select due.*, client.workspace_id, client.name, client.webhook_url, dense_rank() over (order by client.workspace_id, kind) as rank
      from due join client on client.id = due.client_id
      where (notify_after is null or notify_after <= ${now}) and client.disabled_at is null and client.webhook_url is not null
        and exists (select from membership where workspace_id = client.workspace_id and role = 'owner')
        and not exists (
          select from client sibling join webhook_health other on other.client_id = sibling.id
          where sibling.workspace_id = client.workspace_id
            and case kind when 'failing' then other.failing_notified_at else other.recovered_notified_at end > ${workspacePause})
    )
    select client_id as "clientId", workspace_id as "workspaceId", workspace.name as "workspaceName", kind, ranked.name,
      webhook_url as url, failing_since as "failingSince", succeeded_at as "succeededAt", status_code as "statusCode", failure,
      previous_at as "previousAt"
    from ranked join workspace on workspace.id = workspace_id where rank = 1 order by client_id`)
}

/** Stores when the owners were notified; `notifyAfter` delays a mail that could not be sent. */
export async function storeNotices(
  tx: Tx,
  {
    kind,
    notices,
    notifyAfter,
  }: { kind: NoticeKind; notices: { clientId: string; at: Date | null }[]; notifyAfter: Date | null },
): Promise<void> {
  const column = kind === 'failing' ? fragment`failing_notified_at` : fragment`recovered_notified_at`
  await tx.query(sql`
    update webhook_health set ${column} = notice.at, notify_after = ${notifyAfter}
    from (
      select client_id, notice.at
      from unnest(${notices.map((it) => it.clientId)}::uuid[], ${notices.map((it) => it.at)}::timestamptz[]) as notice (client_id, at)
        join webhook_health health using (client_id) order by client_id for update of health
    ) as notice where webhook_health.client_id = notice.client_id`)
}
