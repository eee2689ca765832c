// Single-use links for invitations and account recovery. Only the hashes of their secrets are stored.
import type { Purpose } from '../../domain/people/invitation.ts'
import type { WorkspaceRole } from '../../domain/people/permission.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, type Fragment, fragment, sql } from '../database/sql.ts'
import { idBelow, type Page } from '../pages.ts'

export interface Invitation {
  id: string
  purpose: Purpose
  isMailed: boolean
  madeBy: string
  createdAt: Date
  expiresAt: Date
}

interface Row extends Omit<Invitation, 'purpose'> {
  kind: Purpose['kind']
  email: string | null
  workspaceId: string | null
  role: WorkspaceRole | null
  personId: string | null
}

const columns = fragment`id, kind, email, workspace_id as "workspaceId", role, person_id as "personId", is_mailed as "isMailed",
  created_by as "madeBy", created_at as "createdAt", expires_at as "expiresAt"`

/** Matches invitations to a workspace, or with null invitations for operators. */
function isFor(workspaceId: string | null): Fragment {
  return workspaceId === null ? fragment`kind = 'operator'` : fragment`workspace_id = ${workspaceId}`
}

export async function insertInvitation(tx: Tx, { purpose, ...it }: Invitation & { hash: string }): Promise<void> {
  const workspaceId = purpose.kind === 'member' ? purpose.workspaceId : null
  const role = purpose.kind === 'member' ? purpose.role : null
  const personId = purpose.kind === 'recovery' ? purpose.personId : null
  await tx.query(sql`
    insert into invitation (id, secret_hash, kind, email, workspace_id, role, person_id, is_mailed, created_by, created_at, expires_at)
    values (${it.id}, decode(${it.hash}, 'hex'), ${purpose.kind}, ${purpose.email}, ${workspaceId}, ${role}, ${personId},
      ${it.isMailed}, ${it.madeBy}, ${it.createdAt}, ${it.expiresAt})`)
}

export async function findInvitationByHash(
  db: Queries,
  { hash, now }: { hash: string; now: Date },
): Promise<Invitation | null> {
  const rows = await db.query<Row>(sql`
    select ${columns} from invitation where secret_hash = decode(${hash}, 'hex') and expires_at > ${now}`)
  return rows[0] ? fromRow(rows[0]) : null
}

/** Excludes recovery links: a recovery link belongs to a person, not to an address. */
export async function lockInvitationsTo(tx: Tx, { email, now }: { email: string; now: Date }): Promise<Invitation[]> {
  const rows = await tx.query<Row>(sql`
    select ${columns} from invitation
    where email = ${email} and kind <> 'recovery' and expires_at > ${now} order by id for update`)
  return rows.map(fromRow)
}

export function listInvitations(
  db: Queries,
  { workspaceId, now, before, limit }: Page & { workspaceId: string | null; now: Date },
): Promise<Invitation[]> {
  const conditions = [isFor(workspaceId), fragment`expires_at > ${now}`, idBelow(before)]
  return db
    .query<Row>(sql`select ${columns} from invitation where ${every(conditions)} order by id desc limit ${limit}`)
    .then((rows) => rows.map(fromRow))
}

/** To a workspace, or with null for operators. */
export async function countInvitations(
  tx: Tx,
  { workspaceId, now }: { workspaceId: string | null; now: Date },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from invitation where ${isFor(workspaceId)} and expires_at > ${now}`)
  return row?.count ?? 0
}

export async function countRecoveries(tx: Tx, { personId, now }: { personId: string; now: Date }): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from invitation where person_id = ${personId} and expires_at > ${now}`)
  return row?.count ?? 0
}

/** Returns false if the link was already used or revoked. */
export async function lockInvitation(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query(sql`select 1 from invitation where id = ${id} for update`)).length > 0
}

/** Only an invitation to the workspace, with null one for operators, and without `workspaceId` any. */
export async function deleteInvitation(
  tx: Tx,
  { id, workspaceId }: { id: string; workspaceId?: string | null },
): Promise<boolean> {
  const where = workspaceId === undefined ? fragment`true` : isFor(workspaceId)
  return (await tx.query(sql`delete from invitation where id = ${id} and ${where} returning 1`)).length > 0
}

export async function deleteInvitationsTo(
  tx: Tx,
  { workspaceId, email }: { workspaceId: string; email: string },
): Promise<void> {
  await tx.query(sql`delete from invitation where workspace_id = ${workspaceId} and email = ${email}`)
}

interface Deletion {
  madeBy: string[]
  /** null: all workspaces. Recovery links are deleted in either case. */
  workspaceId: string | null
  /** Invitations that the person may still make. */
  kept: { workspaceId: string; madeBy: string }[]
}

export async function deleteInvitationsBy(tx: Tx, { madeBy, workspaceId, kept }: Deletion): Promise<void> {
  await tx.query(sql`
    delete from invitation where created_by = any(${madeBy}::text[])
      and (${workspaceId}::uuid is null or workspace_id = ${workspaceId} or kind = 'recovery')
      and not exists (
        select from unnest(${kept.map((it) => it.workspaceId)}::uuid[], ${kept.map((it) => it.madeBy)}::text[]) as kept (workspace, made)
        where kept.workspace = workspace_id and kept.made = created_by)`)
}

export async function deleteRecoveryLinks(tx: Tx, personId: string): Promise<void> {
  await tx.query(sql`delete from invitation where person_id = ${personId}`)
}

export async function trimRecoveryLinks(tx: Tx, { personId, most }: { personId: string; most: number }): Promise<void> {
  await tx.query(sql`
    delete from invitation where id in (
      select id from invitation where person_id = ${personId} order by id desc offset ${most})`)
}

export async function trimOperatorInvitations(tx: Tx, most: number): Promise<void> {
  await tx.query(sql`
    delete from invitation where id in (
      select id from invitation where kind = 'operator' and email is null order by id desc offset ${most})`)
}

function fromRow({ kind, email, workspaceId, role, personId, ...rest }: Row): Invitation {
  if (kind === 'operator') return { ...rest, purpose: { kind, email } }
  if (kind === 'member' && email && workspaceId && role) return { ...rest, purpose: { kind, email, workspaceId, role } }
  if (kind === 'recovery' && email && personId) return { ...rest, purpose: { kind, email, personId } }
  throw new Error('invitation has no valid purpose')
}
