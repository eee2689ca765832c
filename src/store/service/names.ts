// Lookup by name, for people who type names instead of ids.
import type { Queries } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'

export const NAMED_KINDS = ['workspace', 'client', 'template', 'carrier'] as const
type NamedKind = (typeof NAMED_KINDS)[number]

interface NamedRecord {
  id: string
  name: string
  /** null for a carrier. */
  workspaceId: string | null
}

const rowsOf = {
  workspace: fragment`select id, name, id as workspace_id from workspace`,
  client: fragment`select id, name, workspace_id from client`,
  template: fragment`select id, name, workspace_id from template`,
  carrier: fragment`select id, name, null::uuid as workspace_id from carrier`,
}

/** Exact matches, newest first. `within` is the only workspace that the caller may see, or null for any. */
export function findByName(
  db: Queries,
  { kind, name, within, limit }: { kind: NamedKind; name: string; within: string | null; limit: number },
): Promise<NamedRecord[]> {
  return db.query<NamedRecord>(sql`
    select id, name, workspace_id as "workspaceId" from (${rowsOf[kind]}) as thing
    where name = ${name} and (${within}::uuid is null or workspace_id = ${within})
    order by id desc limit ${limit}`)
}
