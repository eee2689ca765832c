// Templates and their review (§2.5).
import type { CarrierFields } from '../../domain/carriers/carrier.ts'
import type { MessageType } from '../../domain/message-type.ts'
import type { TemplateStatus } from '../../domain/template-status.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, fragment, sql } from '../database/sql.ts'
import { idBelow, type Page } from '../pages.ts'

export interface StoredTemplate {
  id: string
  workspaceId: string
  name: string
  type: MessageType
  text: string
  status: TemplateStatus
  reason: string | null
  /** D57: override the carrier fields of the workspace. */
  carrierFields: CarrierFields
  createdAt: Date
  reviewedAt: Date | null
}

const columns = fragment`
  id, workspace_id as "workspaceId", name, type, text, status, reason,
  carrier_fields as "carrierFields", created_at as "createdAt", reviewed_at as "reviewedAt"`

export async function insertTemplate(tx: Tx, template: StoredTemplate): Promise<void> {
  const { id, workspaceId, name, type, text, status, reason, carrierFields, createdAt, reviewedAt } = template
  await tx.query(sql`
    insert into template (id, workspace_id, name, type, text, status, reason, carrier_fields, created_at, reviewed_at)
    values (
      ${id}, ${workspaceId}, ${name}, ${type}, ${text}, ${status}, ${reason}, ${carrierFields}, ${createdAt}, ${reviewedAt})`)
}

/** `within` is the only workspace that the caller may see, or null for any. */
export async function findTemplate(
  db: Queries,
  { id, within }: { id: string; within: string | null },
): Promise<StoredTemplate | null> {
  const rows = await db.query<StoredTemplate>(sql`
    select ${columns} from template where id = ${id} and (${within}::uuid is null or workspace_id = ${within})`)
  return rows[0] ?? null
}

export async function lockTemplate(tx: Tx, id: string): Promise<StoredTemplate | null> {
  const rows = await tx.query<StoredTemplate>(sql`select ${columns} from template where id = ${id} for no key update`)
  return rows[0] ?? null
}

export async function setReview(
  tx: Tx,
  {
    id,
    status,
    reason,
    now,
  }: { id: string; status: Exclude<TemplateStatus, 'pending'>; reason: string | null; now: Date },
): Promise<void> {
  await tx.query(sql`
    update template set status = ${status}, reason = ${reason}, reviewed_at = ${now} where id = ${id}`)
}

export async function setCarrierFields(tx: Tx, id: string, fields: CarrierFields): Promise<void> {
  await tx.query(sql`update template set carrier_fields = ${fields} where id = ${id}`)
}

export async function countPendingTemplates(tx: Tx, workspaceId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from template where workspace_id = ${workspaceId} and status = 'pending'`)
  return row?.count ?? 0
}

export function listTemplates(
  db: Queries,
  { workspaceId, status, before, limit }: Page & { workspaceId: string | null; status: TemplateStatus | null },
): Promise<StoredTemplate[]> {
  return db.query<StoredTemplate>(sql`
    select ${columns} from template
    where ${every([
      workspaceId === null ? null : fragment`workspace_id = ${workspaceId}`,
      status === null ? null : fragment`status = ${status}`,
      idBelow(before),
    ])}
    order by id desc limit ${limit}`)
}

/** Unapproved templates among the `limit` newest of a workspace, newest first. */
export async function listNewestUnapproved(
  db: Queries,
  { workspaceId, type, limit }: { workspaceId: string; type: MessageType; limit: number },
): Promise<StoredTemplate[]> {
  return db.query<StoredTemplate>(sql`
    select ${columns} from (
      select * from template where workspace_id = ${workspaceId} order by id desc limit ${limit}
    ) as newest
    where status <> 'approved' and type = ${type} order by id desc`)
}

export function loadApprovedTemplates(tx: Tx, workspaceIds: string[]) {
  return tx.query<{ id: string; workspaceId: string; name: string; type: MessageType; text: string }>(sql`
    select id, workspace_id as "workspaceId", name, type, text from template
    where workspace_id = any(${workspaceIds}::uuid[]) and status = 'approved'`)
}
