// The audit log (§5.1 rule 8): who changed what, when, from where. Rows are only ever added.
import type { Queries, Tx } from '../database/db.ts'
import { every, part, sql } from '../database/sql.ts'
import { MOST_LOOKED_AT, type Page, type Walked } from '../workspaces/workspaces.ts'

export interface AuditEntry {
  id: string
  workspaceId: string | null
  actor: string
  action: string
  subject: string
  details: Record<string, unknown>
  address: string | null
  requestId: string | null
  at: Date
}

export async function insertAuditEntry(tx: Tx, entry: AuditEntry): Promise<void> {
  const { id, workspaceId, actor, action, subject, details, address, requestId, at } = entry
  await tx.query(sql`
    insert into audit_entry (id, workspace_id, actor, action, subject, details, address, request_id, at)
    values (${id}, ${workspaceId}, ${actor}, ${action}, ${subject}, ${details}, ${address}, ${requestId}, ${at})`)
}

interface AuditFilter {
  workspaceId: string | null
  /** Such as `client.key_rotated`, or all of `client`. */
  action: string | null
  /** The id of a person or token. */
  by: string | null
}

/** A filter looks at so many entries and no more, newest first. */
export async function listAuditEntries(db: Queries, filter: AuditFilter & Page): Promise<Walked<AuditEntry>> {
  const { workspaceId, action, by, before, limit } = filter
  const driver = every([
    workspaceId === null ? null : part`workspace_id = ${workspaceId}`,
    before === null ? null : part`id < ${before}`,
  ])
  const others = [
    action === null ? null : part`(action = ${action} or starts_with(action, ${`${action}.`}))`,
    by === null ? null : part`split_part(actor, ':', 2) = ${by}`,
  ]
  const [end] = others.some((it) => it !== null)
    ? await db.query<{ id: string }>(sql`
        select id from audit_entry where ${driver} order by id desc offset ${MOST_LOOKED_AT - 1} limit 1`)
    : []
  const rows = await db.query<AuditEntry>(sql`
    select id, workspace_id as "workspaceId", actor, action, subject, details, address, request_id as "requestId", at
    from audit_entry where ${every([driver, ...others, end ? part`id >= ${end.id}` : null])}
    order by id desc limit ${limit}`)
  return { rows, lookedTo: end?.id ?? null }
}
