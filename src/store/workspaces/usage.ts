// What a workspace sent and paid, by day of its own zone, client and type.
import type { Usage } from '../../domain/workspaces/usage.ts'
import type { Queries } from '../database/db.ts'
import { sql } from '../database/sql.ts'

/** Days of a workspace, the first and the last included. */
export interface Days {
  workspaceId: string
  from: string
  to: string
}

export type Spent = Pick<Usage, 'messages' | 'segments' | 'costE4' | 'refunds' | 'refundedE4'>

/** Days from `from` up to and including `to`, newest first. */
export function listUsage(
  db: Queries,
  { workspaceId, from, to }: Days,
): Promise<(Spent & Pick<Usage, 'day' | 'clientId' | 'type'>)[]> {
  return db.query(sql`
    select day, client_id as "clientId", type, messages, segments, cost_e4 as "costE4", refunds, refunded_e4 as "refundedE4"
    from usage_day where workspace_id = ${workspaceId} and day between ${from} and ${to}
    order by day desc, client_id, type`)
}

/** By client, those whose name comes first in the alphabet first, and type. */
export function listClientSums(
  db: Queries,
  { workspaceId, from, to }: Days,
): Promise<(Spent & Pick<Usage, 'clientId' | 'type'> & { name: string })[]> {
  return db.query(sql`
    select client.id as "clientId", client.name, type, sum(messages)::bigint as messages, sum(segments)::bigint as segments,
      sum(cost_e4)::bigint as "costE4", sum(refunds)::bigint as refunds, sum(refunded_e4)::bigint as "refundedE4"
    from usage_day join client on client.id = usage_day.client_id
    where usage_day.workspace_id = ${workspaceId} and day between ${from} and ${to}
    group by client.id, type order by client.name, client.id, type`)
}

/** By id; disabled ones too. */
export async function listClientNames(db: Queries, workspaceId: string): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(sql`
    select id, name from client where workspace_id = ${workspaceId}`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** How many messages each of these workspaces was accepted on its day. */
export async function countOfDay(
  db: Queries,
  asked: { workspaceId: string; day: string }[],
): Promise<Map<string, number>> {
  const rows = await db.query<{ workspaceId: string; messages: number }>(sql`
    select usage.workspace_id as "workspaceId", sum(usage.messages)::int as messages
    from unnest(${asked.map((it) => it.workspaceId)}::uuid[], ${asked.map((it) => it.day)}::date[]) as asked (workspace_id, day)
      join usage_day usage on usage.workspace_id = asked.workspace_id and usage.day = asked.day
    group by usage.workspace_id`)
  return new Map(rows.map(({ workspaceId, messages }) => [workspaceId, messages]))
}
