// Tokens with which a workspace's owner manages it; only their hashes are kept.
import type { Queries, Tx } from './db.ts'
import { every, part, sql } from './sql.ts'
import type { Page } from './workspaces.ts'

export interface OwnerToken {
  id: string
  workspaceId: string
  name: string
  createdAt: Date
  revokedAt: Date | null
}

const columns = part`id, workspace_id as "workspaceId", name, created_at as "createdAt", revoked_at as "revokedAt"`

export async function insertOwnerToken(
  tx: Tx,
  { id, workspaceId, name, hash, now }: { id: string; workspaceId: string; name: string; hash: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into owner_token (id, workspace_id, name, token_hash, created_at)
    values (${id}, ${workspaceId}, ${name}, decode(${hash}, 'hex'), ${now})`)
}

export async function findOwnerTokenByHash(db: Queries, hash: string): Promise<OwnerToken | null> {
  const rows = await db.query<OwnerToken>(sql`
    select ${columns} from owner_token where token_hash = decode(${hash}, 'hex') and revoked_at is null`)
  return rows[0] ?? null
}

/** With the workspace it is for. */
export async function findOwnerToken(
  db: Queries,
  id: string,
): Promise<{ id: string; name: string; workspace: { id: string; name: string } } | null> {
  const rows = await db.query<{ id: string; name: string; workspaceId: string; workspaceName: string }>(sql`
    select owner_token.id, owner_token.name, workspace.id as "workspaceId", workspace.name as "workspaceName"
    from owner_token join workspace on workspace.id = workspace_id where owner_token.id = ${id}`)
  const [row] = rows
  return row ? { id: row.id, name: row.name, workspace: { id: row.workspaceId, name: row.workspaceName } } : null
}

/** Those that work. */
export async function countOwnerTokens(tx: Tx, workspaceId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from owner_token where workspace_id = ${workspaceId} and revoked_at is null`)
  return row?.count ?? 0
}

export function listOwnerTokens(db: Queries, { workspaceId, before, limit }: Page & { workspaceId: string }) {
  return db.query<OwnerToken>(sql`
    select ${columns} from owner_token
    where ${every([part`workspace_id = ${workspaceId}`, before === null ? null : part`id < ${before}`])}
    order by id desc limit ${limit}`)
}

export async function lockOwnerToken(
  tx: Tx,
  { id, workspaceId }: { id: string; workspaceId: string },
): Promise<OwnerToken | null> {
  const rows = await tx.query<OwnerToken>(sql`
    select ${columns} from owner_token where id = ${id} and workspace_id = ${workspaceId} for no key update`)
  return rows[0] ?? null
}

export async function revokeOwnerToken(tx: Tx, { id, now }: { id: string; now: Date }): Promise<void> {
  await tx.query(sql`update owner_token set revoked_at = ${now} where id = ${id}`)
}
