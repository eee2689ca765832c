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
