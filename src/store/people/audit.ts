// The append-only audit log (§5.1 rule 8): who changed what, when and from where.
import type { Queries, Tx } from '../database/db.ts'
import { every, fragment, sql } from '../database/sql.ts'
import { findScanEnd, idBelow, idFrom, type Page, type ScannedPage } from '../pages.ts'

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
  /** One action, for example `client.key_rotated`, or a group of actions, for example `client`. */
  action: string | null
  /** The id of a person or token. */
  by: string | null
}

/** Newest first. */
export async function listAuditEntries(db: Queries, filter: AuditFilter & Page): Promise<ScannedPage<AuditEntry>> {
  const { workspaceId, action, by, before, limit } = filter
  const table = fragment`audit_entry`
  const range = every([workspaceId === null ? null : fragment`workspace_id = ${workspaceId}`, idBelow(before)])
  const filters = [
    action === null ? null : fragment`(action = ${action} or starts_with(action, ${`${action}.`}))`,
    by === null ? null : fragment`split_part(actor, ':', 2) = ${by}`,
  ]
  const scannedTo = await findScanEnd(db, { table, range, filters })
  const rows = await db.query<AuditEntry>(sql`
    select id, workspace_id as "workspaceId", actor, action, subject, details, address, request_id as "requestId", at
    from ${table} where ${every([range, ...filters, idFrom(scannedTo)])}
    order by id desc limit ${limit}`)
  return { rows, scannedTo }
}
