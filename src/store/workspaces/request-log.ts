// The API request log: rejected and successful requests, requests without a valid key, and hourly counts of all requests.
import type {
  AnsweredRequest,
  RequestSum,
  SuccessfulRequest,
  UnknownKeySum,
} from '../../domain/workspaces/request-log.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import type { Queries } from '../database/db.ts'
import { every, type Fragment, fragment, sql, unionAll } from '../database/sql.ts'
import { findScanEnd, idBelow, idFrom, type Page, type ScannedPage } from '../pages.ts'

export async function insertRefusedRequests(db: Queries, requests: AnsweredRequest[]): Promise<void> {
  if (requests.length === 0) return
  await db.query(sql`
    insert into refused_request (workspace_id, id, client_id, key_hint, method, route, status, milliseconds, at, code)
    select * from unnest(${columnsOf(requests)}, ${requests.map((it) => it.code)}::text[])
    on conflict do nothing`)
}

export async function insertSuccessfulRequests(db: Queries, requests: SuccessfulRequest[]): Promise<void> {
  if (requests.length === 0) return
  await db.query(sql`
    insert into successful_request (workspace_id, id, client_id, key_hint, method, route, status, milliseconds, at, is_sampled)
    select * from unnest(${columnsOf(requests)}, ${requests.map((it) => it.isSampled)}::boolean[])
    on conflict do nothing`)
}

function columnsOf(requests: AnsweredRequest[]): Fragment {
  return fragment`
    ${requests.map((it) => it.workspaceId)}::uuid[], ${requests.map((it) => it.id)}::uuid[],
    ${requests.map((it) => it.clientId)}::uuid[], ${requests.map((it) => it.keyHint)}::text[],
    ${requests.map((it) => it.method)}::text[], ${requests.map((it) => it.route)}::text[],
    ${requests.map((it) => it.status)}::smallint[], ${requests.map((it) => it.milliseconds)}::integer[],
    ${requests.map((it) => it.at)}::timestamptz[]`
}

/** Rows are locked in one order, which prevents deadlocks. */
export async function addUnknownKeySums(db: Queries, sums: UnknownKeySum[]): Promise<void> {
  if (sums.length === 0) return
  const rows = sums.sort((one, other) => (unknownKeyOrder(one) < unknownKeyOrder(other) ? -1 : 1))
  await db.query(sql`
    insert into unknown_key_request as known (minute, address, id, key_hint, method, route, requests, last_at)
    select * from unnest(
      ${rows.map((it) => it.minute)}::timestamptz[], ${rows.map((it) => it.address)}::text[],
      ${rows.map((it) => it.id)}::uuid[], ${rows.map((it) => it.keyHint)}::text[], ${rows.map((it) => it.method)}::text[],
      ${rows.map((it) => it.route)}::text[], ${rows.map((it) => it.requests)}::bigint[],
      ${rows.map((it) => it.lastAt)}::timestamptz[])
    on conflict (minute, address) do update set
      requests = known.requests + excluded.requests, last_at = greatest(known.last_at, excluded.last_at)`)
}

function unknownKeyOrder({ minute, address }: UnknownKeySum): string {
  return `${minute.getTime()} ${address}`
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

export const REQUEST_OUTCOMES = ['all', 'successful', 'refused'] as const

interface RequestFilter extends Page {
  /** null: of all workspaces. */
  workspaceId: string | null
  clientId: string | null
  outcome: (typeof REQUEST_OUTCOMES)[number]
  /** Only refused requests have a code. */
  code: string | null
  requestId: string | null
  since: Date | null
  until: Date | null
}

export interface LoggedRequest extends Omit<SuccessfulRequest, 'keyHint' | 'code'> {
  /** null for a request of an older version. */
  keyHint: string | null
  /** null for a successful request. */
  code: string | null
}

/** How long a request takes at most: its id is as old as its start. */
const MAX_REQUEST_MS = 60_000

/** Newest first. Ids are in time order, so dates narrow the scan. */
export async function listRequests(db: Queries, filter: RequestFilter): Promise<ScannedPage<LoggedRequest>> {
  const { workspaceId, clientId, outcome, code, requestId, since, until, before, limit } = filter
  const range = every([
    workspaceId === null ? null : fragment`workspace_id = ${workspaceId}`,
    requestId === null ? null : fragment`id = ${requestId}`,
    since === null
      ? null
      : fragment`id >= ${lowestIdOf(new Date(since.getTime() - MAX_REQUEST_MS))} and at >= ${since}`,
    until === null ? null : fragment`id < ${lowestIdOf(until)} and at < ${until}`,
    idBelow(before),
  ])
  const ofClient = clientId === null ? null : fragment`client_id = ${clientId}`
  const sources: Source[] = []
  if (outcome !== 'successful')
    sources.push({
      table: fragment`refused_request`,
      own: fragment`code, false as "isSampled"`,
      filters: [ofClient, code === null ? null : fragment`code = ${code}`],
    })
  if (outcome !== 'refused' && code === null)
    sources.push({
      table: fragment`successful_request`,
      own: fragment`null as code, is_sampled as "isSampled"`,
      filters: [ofClient],
    })
  const ends = await Promise.all(sources.map(({ table, filters }) => findScanEnd(db, { table, range, filters })))
  // Below the end of one scan the page would lack rows of that table.
  const scannedTo = ends.reduce(
    (latest, end) => (latest === null || (end !== null && end > latest) ? end : latest),
    null,
  )
  if (sources.length === 0) return { rows: [], scannedTo: null }
  const rows = await db.query<LoggedRequest>(sql`
    select * from (${unionAll(
      sources.map(
        ({ table, own, filters }) => fragment`
          select id, workspace_id as "workspaceId", client_id as "clientId", key_hint as "keyHint", method, route, status,
            milliseconds, at, ${own}
          from ${table} where ${every([range, ...filters, idFrom(scannedTo)])} order by id desc limit ${limit}`,
      ),
    )}) as found order by id desc limit ${limit}`)
  return { rows, scannedTo }
}

/** A table of the request log, with the columns that only it has. */
interface Source {
  table: Fragment
  own: Fragment
  filters: (Fragment | null)[]
}

export interface NamedRequest extends LoggedRequest {
  workspaceName: string
  clientName: string
}

export async function listNamedRequests(db: Queries, filter: RequestFilter): Promise<ScannedPage<NamedRequest>> {
  const { rows, scannedTo } = await listRequests(db, filter)
  const ids = [...new Set(rows.map((it) => it.clientId))]
  const names = await db.query<{ clientId: string; clientName: string; workspaceName: string }>(sql`
    select client.id as "clientId", client.name as "clientName", workspace.name as "workspaceName"
    from client join workspace on workspace.id = client.workspace_id where client.id = any(${ids}::uuid[])`)
  const byClient = new Map(names.map((it) => [it.clientId, it]))
  const named = rows.map((it) => ({ workspaceName: '', clientName: '', ...it, ...byClient.get(it.clientId) }))
  return { rows: named, scannedTo }
}

interface UnknownKeyFilter extends Page {
  address: string | null
  since: Date | null
  until: Date | null
}

/** Newest first. An address is searched in the rows of one scan. */
export async function listUnknownKeyRequests(
  db: Queries,
  { address, since, until, before, limit }: UnknownKeyFilter,
): Promise<ScannedPage<UnknownKeySum>> {
  const table = fragment`unknown_key_request`
  const range = every([
    since === null ? null : fragment`id >= ${lowestIdOf(since)}`,
    until === null ? null : fragment`id < ${lowestIdOf(until)}`,
    idBelow(before),
  ])
  const filters = [address === null ? null : fragment`address = ${address}`]
  const scannedTo = await findScanEnd(db, { table, range, filters })
  const rows = await db.query<UnknownKeySum>(sql`
    select id, minute, address, key_hint as "keyHint", method, route, requests, last_at as "lastAt" from ${table}
    where ${every([range, ...filters, idFrom(scannedTo)])} order by id desc limit ${limit}`)
  return { rows, scannedTo }
}

const MAX_REFUSALS_COUNTED = 10_000

interface CodeCount {
  code: string
  requests: number
  isEstimate: boolean
  since: Date
  lastAt: Date
  workspaceIds: string[]
}

/** The latest refused requests of all workspaces by code. Reads at most MAX_REFUSALS_COUNTED rows. */
export function countRefusals(db: Queries, since: Date): Promise<CodeCount[]> {
  return db.query<CodeCount>(sql`
    select code, count(*)::int as requests, bool_or(looked >= ${MAX_REFUSALS_COUNTED}) as "isEstimate", min(at) as since,
      max(at) as "lastAt", array_agg(distinct workspace_id) as "workspaceIds"
    from (
      select code, at, workspace_id, count(*) over () as looked from (
        select code, at, workspace_id from refused_request where at >= ${since} order by at desc limit ${MAX_REFUSALS_COUNTED}
      ) as latest
    ) as counted
    group by code order by count(*) desc, code`)
}

/** All requests of all workspaces in the hours from `since`. */
export async function countAllRequests(db: Queries, since: Date): Promise<number> {
  const [row] = await db.query<{ requests: number }>(sql`
    select coalesce(sum(requests), 0)::bigint as requests from request_count where hour >= ${since}`)
  return row?.requests ?? 0
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
