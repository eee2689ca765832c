// What is called by a name: people remember names, everything else goes by ids.
import type { Queries } from '../database/db.ts'
import { part, sql } from '../database/sql.ts'

export const NAMED_KINDS = ['workspace', 'client', 'template', 'carrier'] as const
type NamedKind = (typeof NAMED_KINDS)[number]

export interface NamedRecord {
  id: string
  name: string
  /** null for what belongs to none. */
  workspaceId: string | null
}

const rowsOf = {
  workspace: part`select id, name, id as workspace_id from workspace`,
  client: part`select id, name, workspace_id from client`,
  template: part`select id, name, workspace_id from template`,
  carrier: part`select id, name, null::uuid as workspace_id from carrier`,
}

/** Letter by letter, newest first. `within` is the only workspace the asker may see, or null for any. */
export function findNamed(
  db: Queries,
  { kind, name, within, limit }: { kind: NamedKind; name: string; within: string | null; limit: number },
): Promise<NamedRecord[]> {
  return db.query<NamedRecord>(sql`
    select id, name, workspace_id as "workspaceId" from (${rowsOf[kind]}) as thing
    where name = ${name} and (${within}::uuid is null or workspace_id = ${within})
    order by id desc limit ${limit}`)
}
