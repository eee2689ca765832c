// API keys of clients (§5.1, D71). A revoked key is deleted; the audit log records it.
import type { Queries, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

/** Each active key has a slot of its own. */
export const KEY_SLOTS = [1, 2] as const
export type KeySlot = (typeof KEY_SLOTS)[number]

export interface NewClientKey {
  id: string
  clientId: string
  slot: KeySlot
  /** In hex. */
  hash: string
  prefix: string
  createdAt: Date
}

export async function insertKey(tx: Tx, { id, clientId, slot, hash, prefix, createdAt }: NewClientKey): Promise<void> {
  await tx.query(sql`
    insert into client_key (id, client_id, slot, hash, prefix, created_at)
    values (${id}, ${clientId}, ${slot}, decode(${hash}, 'hex'), ${prefix}, ${createdAt})`)
}

export async function deleteKeys(tx: Tx, ids: string[]): Promise<void> {
  await tx.query(sql`delete from client_key where id = any(${ids}::uuid[])`)
}

/** The hash of the newest key, in hex. */
export async function findKeyHash(
  db: Queries,
  { id, within }: { id: string; within: string | null },
): Promise<string | null> {
  const rows = await db.query<{ hash: string }>(sql`
    select encode(hash, 'hex') as hash from client_key join client on client.id = client_id
    where client_id = ${id} and (${within}::uuid is null or workspace_id = ${within})
    order by client_key.created_at desc, client_key.id desc limit 1`)
  return rows[0]?.hash ?? null
}
