// The API request log: each rejected request, and hourly counts of all requests.
import type { AnsweredRequest, RequestSum } from '../../domain/workspaces/request-log.ts'
import type { Queries } from '../database/db.ts'
import { every, fragment, sql } from '../database/sql.ts'
import { findScanEnd, idBelow, idFrom, type Page, type ScannedPage } from '../pages.ts'

export async function insertRefusedRequests(db: Queries, requests: AnsweredRequest[]): Promise<void> {
  if (requests.length === 0) return
  await db.query(sql`
    insert into refused_request (workspace_id, id, client_id, method, route, status, code, milliseconds, at)
    select * from unnest(
      ${requests.map((it) => it.workspaceId)}::uuid[], ${requests.map((it) => it.id)}::uuid[],
      ${requests.map((it) => it.clientId)}::uuid[], ${requests.map((it) => it.method)}::text[],
      ${requests.map((it) => it.route)}::text[], ${requests.map((it) => it.status)}::smallint[],
      ${requests.map((it) => it.code)}::text[], ${requests.map((it) => it.milliseconds)}::integer[],
      ${requests.map((it) => it.at)}::timestamptz[])
    on conflict do nothing`)
}

/** Rows are locked in one order, which prevents deadlocks. */
export async function addRequestSums(db: Queries, sums: RequestSum[]): Promise<void> {
  if (sums.length === 0) return
  const keyOf = ({ workspaceId, hour, method, route, status, code }: RequestSum) =>
    `${workspaceId} ${hour.getTime()} ${method} ${route} ${status} ${code}`
  const rows = sums.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  await db.query(sql`
    insert into request_count as known (workspace_id, hour, method, route, status, code, requests, last_at)
    select * from unnest(
      ${rows.map((it) => it.workspaceId)}::uuid[], ${rows.map((it) => it.hour)}::timestamptz[],
      ${rows.map((it) => it.method)}::text[], ${rows.map((it) => it.route)}::text[],
      ${rows.map((it) => it.status)}::smallint[], ${rows.map((it) => it.code)}::text[],
      ${rows.map((it) => it.requests)}::bigint[], ${rows.map((it) => it.lastAt)}::timestamptz[])
    on conflict (workspace_id, hour, method, route, status, code) do update set
      requests = known.requests + excluded.requests, last_at = greatest(known.last_at, excluded.last_at)`)
}

interface RequestFilter extends Page {
  workspaceId: string
  clientId: string | null
  code: string | null
}

/** Newest first. */
export async function listRefusedRequests(
  db: Queries,
  { workspaceId, clientId, code, before, limit }: RequestFilter,
): Promise<ScannedPage<Omit<AnsweredRequest, 'workspaceId'>>> {
  const table = fragment`refused_request`
  const range = every([fragment`workspace_id = ${workspaceId}`, idBelow(before)])
  const filters = [
    clientId === null ? null : fragment`client_id = ${clientId}`,
    code === null ? null : fragment`code = ${code}`,
  ]
  const scannedTo = await findScanEnd(db, { table, range, filters })
  const rows = await db.query<Omit<AnsweredRequest, 'workspaceId'>>(sql`
    select id, client_id as "clientId", method, route, status, code, milliseconds, at from ${table}
    where ${every([range, ...filters, idFrom(scannedTo)])} order by id desc limit ${limit}`)
  return { rows, scannedTo }
}

export type SummedRequests = Omit<RequestSum, 'hour' | 'workspaceId'>

/** Most frequent first. No paging: routes and codes are our own, so there are few. */
export function countRequests(
  db: Queries,
  { workspaceId, since }: { workspaceId: string; since: Date },
): Promise<SummedRequests[]> {
  return db.query<SummedRequests>(sql`
    select method, route, status, code, sum(requests)::bigint as requests, max(last_at) as "lastAt"
    from request_count where workspace_id = ${workspaceId} and hour >= ${since}
    group by method, route, status, code order by sum(requests) desc, method, route, status, code`)
}
