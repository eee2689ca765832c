// Usage and cost of a workspace by day of its time zone, client, message type and country.
import type { Usage } from '../../domain/workspaces/usage.ts'
import type { Queries, Tx } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'

/** Days of a workspace from `from` to `to`, both included. */
export interface DayRange {
  workspaceId: string
  from: string
  to: string
}

export type UsageSums = Pick<Usage, 'messages' | 'segments' | 'costE4' | 'refunds' | 'refundedE4'>

type UsageKey = Pick<Usage, 'day' | 'clientId' | 'type'>

const sums = fragment`
  sum(messages)::bigint as messages, sum(segments)::bigint as segments, sum(cost_e4)::bigint as "costE4",
  sum(refunds)::bigint as refunds, sum(refunded_e4)::bigint as "refundedE4"`

/** Of all countries together, newest day first. */
export function listUsage(db: Queries, { workspaceId, from, to }: DayRange): Promise<(UsageSums & UsageKey)[]> {
  return db.query(sql`
    select day, client_id as "clientId", type, ${sums}
    from usage_day where workspace_id = ${workspaceId} and day between ${from} and ${to}
    group by day, client_id, type order by day desc, client_id, type`)
}

/** By country, oldest day first. */
export function listUsageByCountry(
  db: Queries,
  { workspaceId, from, to }: DayRange,
): Promise<(UsageSums & UsageKey & Pick<Usage, 'country'>)[]> {
  return db.query(sql`
    select day, client_id as "clientId", type, country, messages, segments, cost_e4 as "costE4", refunds, refunded_e4 as "refundedE4"
    from usage_day where workspace_id = ${workspaceId} and day between ${from} and ${to}
    order by day, client_id, type, country`)
}

/** In order of client name and message type. */
export function listClientSums(
  db: Queries,
  { workspaceId, from, to }: DayRange,
): Promise<(UsageSums & Pick<Usage, 'clientId' | 'type'> & { name: string })[]> {
  return db.query(sql`
    select client.id as "clientId", client.name, type, ${sums}
    from usage_day join client on client.id = usage_day.client_id
    where usage_day.workspace_id = ${workspaceId} and day between ${from} and ${to}
    group by client.id, type order by client.name, client.id, type`)
}

/** By client id; includes disabled clients. */
export async function listClientNames(db: Queries, workspaceId: string): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(sql`
    select id, name from client where workspace_id = ${workspaceId}`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Accepted messages by workspace, each on its own day. */
export async function countWorkspaceMessages(
  db: Queries,
  requested: { workspaceId: string; day: string }[],
): Promise<Map<string, number>> {
  const rows = await db.query<{ workspaceId: string; messages: number }>(sql`
    select usage.workspace_id as "workspaceId", sum(usage.messages)::int as messages
    from unnest(${requested.map((it) => it.workspaceId)}::uuid[], ${requested.map((it) => it.day)}::date[]) as requested (workspace_id, day)
      join usage_day usage on usage.workspace_id = requested.workspace_id and usage.day = requested.day
    group by usage.workspace_id`)
  return new Map(rows.map(({ workspaceId, messages }) => [workspaceId, messages]))
}

/** Accepted messages by client, each on its own day. */
export async function countClientMessages(
  tx: Tx,
  days: { clientId: string; day: string }[],
): Promise<{ clientId: string; messages: number }[]> {
  return tx.query(sql`
    select client_id as "clientId", sum(messages)::bigint as messages from usage_day
    where (client_id, day) in (
      select * from unnest(${days.map((it) => it.clientId)}::uuid[], ${days.map((it) => it.day)}::date[]))
    group by client_id`)
}

/** Requires the lock on the workspace. */
export async function addUsage(tx: Tx, usage: Usage[]): Promise<void> {
  if (usage.length === 0) return
  await tx.query(sql`
    insert into usage_day as known (workspace_id, client_id, day, type, country, messages, segments, cost_e4, refunds, refunded_e4)
    select * from unnest(
      ${usage.map((it) => it.workspaceId)}::uuid[], ${usage.map((it) => it.clientId)}::uuid[],
      ${usage.map((it) => it.day)}::date[], ${usage.map((it) => it.type)}::text[],
      ${usage.map((it) => it.country)}::text[], ${usage.map((it) => it.messages)}::bigint[], ${usage.map((it) => it.segments)}::bigint[],
      ${usage.map((it) => it.costE4)}::bigint[], ${usage.map((it) => it.refunds)}::bigint[], ${usage.map((it) => it.refundedE4)}::bigint[])
    on conflict (client_id, day, type, country) do update set
      messages = known.messages + excluded.messages, segments = known.segments + excluded.segments,
      cost_e4 = known.cost_e4 + excluded.cost_e4, refunds = known.refunds + excluded.refunds,
      refunded_e4 = known.refunded_e4 + excluded.refunded_e4`)
}
