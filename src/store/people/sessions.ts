// Sign-in sessions. Only the hashes of their tokens are stored.
import type { WorkspaceRole } from '../../domain/people/permission.ts'
import type { Queries, Tx } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'

export interface PersonSession {
  id: string
  personId: string
  createdAt: Date
  signedInAt: Date
  lastSeenAt: Date
  endsAt: Date
  address: string | null
  userAgent: string | null
}

const columns = fragment`session.id, session.person_id as "personId", session.created_at as "createdAt",
  signed_in_at as "signedInAt", last_seen_at as "lastSeenAt", ends_at as "endsAt", address, user_agent as "userAgent"`

/** A session with the person's role in the requested workspace and in the home workspace. */
export interface KnownSession extends PersonSession {
  isOperator: boolean
  requestedRole: WorkspaceRole | null
  homeId: string | null
  homeRole: WorkspaceRole | null
}

export async function findSessionByHash(
  db: Queries,
  { hash, workspaceId, now }: { hash: string; workspaceId: string | null; now: Date },
): Promise<KnownSession | null> {
  const rows = await db.query<KnownSession>(sql`
    select ${columns}, is_operator as "isOperator", requested.role as "requestedRole", home.workspace_id as "homeId",
      home.role as "homeRole"
    from session join person on person.id = session.person_id
      left join membership requested on requested.person_id = person.id and requested.workspace_id = ${workspaceId}::uuid
      left join lateral (
        select workspace_id, role from membership where membership.person_id = person.id
        order by membership.created_at, workspace_id limit 1) home on true
    where token_hash = decode(${hash}, 'hex') and ends_at > ${now}`)
  return rows[0] ?? null
}

export async function insertSession(tx: Tx, session: PersonSession & { hash: string }): Promise<void> {
  const { id, personId, hash, createdAt, signedInAt, lastSeenAt, endsAt, address, userAgent } = session
  await tx.query(sql`
    insert into session (id, person_id, token_hash, created_at, signed_in_at, last_seen_at, ends_at, address, user_agent)
    values (${id}, ${personId}, decode(${hash}, 'hex'), ${createdAt}, ${signedInAt}, ${lastSeenAt}, ${endsAt}, ${address},
      ${userAgent})`)
}

/** Keeps the `most` sessions used last. */
export async function trimSessions(tx: Tx, { personId, most }: { personId: string; most: number }): Promise<void> {
  await tx.query(sql`
    delete from session where id in (
      select id from session where person_id = ${personId} order by last_seen_at desc, id desc offset ${most})`)
}

export async function touchSession(
  db: Queries,
  { id, lastSeenAt, endsAt }: { id: string; lastSeenAt: Date; endsAt: Date },
): Promise<void> {
  await db.query(sql`
    update session set last_seen_at = ${lastSeenAt}, ends_at = ${endsAt} where id = ${id} and last_seen_at < ${lastSeenAt}`)
}

export async function refreshSession(
  tx: Tx,
  { id, now, endsAt }: { id: string; now: Date; endsAt: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update session set signed_in_at = greatest(created_at, ${now}), last_seen_at = greatest(last_seen_at, ${now}),
      ends_at = greatest(ends_at, ${endsAt}) where id = ${id} returning 1`)
  return rows.length > 0
}

/** Last used first. */
export function listSessions(
  db: Queries,
  { personId, now }: { personId: string; now: Date },
): Promise<PersonSession[]> {
  return db.query<PersonSession>(sql`
    select ${columns} from session where person_id = ${personId} and ends_at > ${now} order by last_seen_at desc, id desc`)
}

export async function deleteSession(tx: Tx, { id, personId }: { id: string; personId: string }): Promise<boolean> {
  const rows = await tx.query(sql`delete from session where id = ${id} and person_id = ${personId} returning 1`)
  return rows.length > 0
}

/** Returns the number of deleted sessions. */
export async function deleteSessions(
  tx: Tx,
  { personId, except }: { personId: string; except: string | null },
): Promise<number> {
  const rows = await tx.query(sql`
    delete from session where person_id = ${personId} and id is distinct from ${except}::uuid returning 1`)
  return rows.length
}
