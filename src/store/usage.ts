// What a workspace sent, by day of its own zone, client and type.
import type { MessageType } from '../domain/message-type.ts'
import type { Queries } from './db.ts'
import { sql } from './sql.ts'

export interface DayUsage {
  day: string
  clientId: string
  type: MessageType
  messages: number
  segments: number
  costE4: number
}

/** Days from `from` up to and including `to`, newest first. */
export function listUsage(
  db: Queries,
  { workspaceId, from, to }: { workspaceId: string; from: string; to: string },
): Promise<DayUsage[]> {
  return db.query<DayUsage>(sql`
    select day, client_id as "clientId", type, messages, segments, cost_e4 as "costE4"
    from usage_day where workspace_id = ${workspaceId} and day between ${from} and ${to}
    order by day desc, client_id, type`)
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
