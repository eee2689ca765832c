// API tokens for the management of one workspace or of the whole service. Only their hashes are stored.
import type { Role } from '../../domain/people/permission.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, type Fragment, fragment, sql } from '../database/sql.ts'
import { idBelow, type Page } from '../pages.ts'

export interface OwnerToken {
  id: string
  /** null: a token for the whole service. */
  workspaceId: string | null
  /** The owner of the token (D67); null: created with the operator token of the settings. */
  personId: string | null
  name: string
  role: Role
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
  revokedAt: Date | null
}

const columns = fragment`id, workspace_id as "workspaceId", person_id as "personId", name, role, created_at as "createdAt", expires_at as "expiresAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt"`

/** Matches tokens of a workspace, or with null tokens of operators. */
function isFor(workspaceId: string | null): Fragment {
  return workspaceId === null ? fragment`workspace_id is null` : fragment`workspace_id = ${workspaceId}`
}

export async function insertOwnerToken(
  tx: Tx,
  { id, workspaceId, personId, name, role, hash, expiresAt, now }: NewToken & { hash: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into owner_token (id, workspace_id, person_id, name, role, token_hash, created_at, expires_at)
    values (${id}, ${workspaceId}, ${personId}, ${name}, ${role}, decode(${hash}, 'hex'), ${now}, ${expiresAt})`)
}
type NewToken = Pick<OwnerToken, 'id' | 'workspaceId' | 'personId' | 'name' | 'role' | 'expiresAt'>

export async function findOwnerTokenByHash(
  db: Queries,
  { hash, now }: { hash: string; now: Date },
): Promise<OwnerToken | null> {
  const rows = await db.query<OwnerToken>(sql`
    select ${columns} from owner_token
    where token_hash = decode(${hash}, 'hex') and revoked_at is null and (expires_at is null or expires_at > ${now})`)
  return rows[0] ?? null
}

export async function touchOwnerToken(db: Queries, { id, now }: { id: string; now: Date }): Promise<void> {
  await db.query(sql`
    update owner_token set last_used_at = ${now} where id = ${id} and (last_used_at is null or last_used_at < ${now})`)
}

export async function findOwnerToken(db: Queries, id: string): Promise<OwnerToken | null> {
  const rows = await db.query<OwnerToken>(sql`select ${columns} from owner_token where id = ${id}`)
  return rows[0] ?? null
}

/** Tokens that are neither revoked nor expired. */
export async function countOwnerTokens(
  tx: Tx,
  { workspaceId, now }: { workspaceId: string | null; now: Date },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from owner_token
    where ${isFor(workspaceId)} and revoked_at is null and (expires_at is null or expires_at > ${now})`)
  return row?.count ?? 0
}

export function listOwnerTokens(db: Queries, { workspaceId, before, limit }: Page & { workspaceId: string | null }) {
  return db.query<OwnerToken>(sql`
    select ${columns} from owner_token
    where ${every([isFor(workspaceId), idBelow(before)])}
    order by id desc limit ${limit}`)
}

/** Includes revoked tokens. */
export function listTokensOfPerson(db: Queries, personId: string): Promise<OwnerToken[]> {
  return db.query<OwnerToken>(sql`select ${columns} from owner_token where person_id = ${personId} order by id`)
}

export async function lockOwnerToken(
  tx: Tx,
  { id, workspaceId }: { id: string; workspaceId: string | null },
): Promise<OwnerToken | null> {
  const rows = await tx.query<OwnerToken>(sql`
    select ${columns} from owner_token where id = ${id} and ${isFor(workspaceId)} for no key update`)
  return rows[0] ?? null
}

export async function revokeOwnerTokens(tx: Tx, { ids, now }: { ids: string[]; now: Date }): Promise<void> {
  await tx.query(sql`update owner_token set revoked_at = ${now} where id = any(${ids}::uuid[]) and revoked_at is null`)
}
