// The audit log (§5.1 rule 8): who changed what, when, from where. Rows are only ever added.
import type { Queries, Tx } from './db.ts'
import { every, part, sql } from './sql.ts'
import type { Page } from './workspaces.ts'

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

export function listAuditEntries(db: Queries, { workspaceId, before, limit }: Page & { workspaceId: string | null }) {
  return db.query<AuditEntry>(sql`
    select id, workspace_id as "workspaceId", actor, action, subject, details, address, request_id as "requestId", at
    from audit_entry
    where ${every([workspaceId === null ? null : part`workspace_id = ${workspaceId}`, before === null ? null : part`id < ${before}`])}
    order by id desc limit ${limit}`)
}
