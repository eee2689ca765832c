// People and their memberships in workspaces.
import type { Language } from '../../domain/language.ts'
import type { WorkspaceRole } from '../../domain/people/permission.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, type Fragment, fragment, sql } from '../database/sql.ts'
import { idBelow, type Page } from '../pages.ts'

export interface Person {
  id: string
  email: string
  emailVerifiedAt: Date | null
  name: string
  language: Language | null
  isOperator: boolean
  passwordHash: string | null
  /** Sign-in requires a code from an authenticator app. */
  hasTotp: boolean
  /** An operator or a member of a workspace. A person without access cannot sign in. */
  hasAccess: boolean
  createdAt: Date
}

const columns = fragment`person.id, email, email_verified_at as "emailVerifiedAt", person.name, language, is_operator as "isOperator",
  password_hash as "passwordHash", totp_confirmed_at is not null as "hasTotp", person.created_at as "createdAt",
  is_operator or exists (select from membership where person_id = person.id) as "hasAccess"`

export function findPersonByEmail(db: Queries, email: string): Promise<Person | null> {
  return findWhere(db, fragment`email = ${email}`)
}

export function findPerson(db: Queries, id: string): Promise<Person | null> {
  return findWhere(db, fragment`id = ${id}`)
}

async function findWhere(db: Queries, condition: Fragment): Promise<Person | null> {
  const rows = await db.query<Person>(sql`select ${columns} from person where ${condition}`)
  return rows[0] ?? null
}

/** Until the transaction ends, no other transaction changes this person or their memberships. */
export async function lockPerson(tx: Tx, id: string): Promise<Person | null> {
  await tx.query(sql`select 1 from person where id = ${id} for update`)
  return findPerson(tx, id)
}

/** Returns false if the email address is taken. */
export async function insertPerson(
  tx: Tx,
  { id, email, name, passwordHash, verifiedAt, now }: NewPerson & { now: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into person (id, email, name, password_hash, email_verified_at, created_at)
    values (${id}, ${email}, ${name}, ${passwordHash}, ${verifiedAt}, ${now})
    on conflict (email) do nothing returning 1`)
  return rows.length > 0
}

interface NewPerson {
  id: string
  email: string
  name: string
  passwordHash: string | null
  verifiedAt: Date | null
}

/** Returns false if another person has the email address. */
export async function updatePerson(
  tx: Tx,
  { id, email, name, language }: Pick<Person, 'id' | 'email' | 'name' | 'language'>,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update person set email = ${email}, name = ${name}, language = ${language},
      email_verified_at = case when email = ${email} then email_verified_at end
    where id = ${id} and not exists (select from person other where other.email = ${email} and other.id <> ${id})
    returning 1`)
  return rows.length > 0
}

export async function setPassword(tx: Tx, { id, hash }: { id: string; hash: string | null }): Promise<void> {
  await tx.query(sql`update person set password_hash = ${hash} where id = ${id}`)
}

export async function setEmailVerified(tx: Tx, { id, at }: { id: string; at: Date | null }): Promise<void> {
  await tx.query(sql`update person set email_verified_at = ${at} where id = ${id}`)
}

export async function setOperator(tx: Tx, { id, isOperator }: { id: string; isOperator: boolean }): Promise<void> {
  await tx.query(sql`update person set is_operator = ${isOperator} where id = ${id}`)
}

/** Locks all operators, because their number decides whether one may be removed. */
export async function lockOperators(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`select id from person where is_operator order by id for update`)
  return rows.map((row) => row.id)
}

export async function hasOperators(db: Queries): Promise<boolean> {
  return (await db.query(sql`select 1 from person where is_operator limit 1`)).length > 0
}

export interface Operator {
  id: string
  email: string
  name: string
  createdAt: Date
  lastSeenAt: Date | null
}

const lastSeen = fragment`(select max(last_seen_at) from session where session.person_id = person.id) as "lastSeenAt"`

export function listOperators(db: Queries, { before, limit }: Page): Promise<Operator[]> {
  return db.query<Operator>(sql`
    select id, email, name, created_at as "createdAt", ${lastSeen} from person
    where ${every([fragment`is_operator`, idBelow(before)])} order by id desc limit ${limit}`)
}

export interface Member extends Operator {
  role: WorkspaceRole
}

export function listMembers(db: Queries, { workspaceId, before, limit }: Page & { workspaceId: string }) {
  return db.query<Member>(sql`
    select person.id, email, name, role, membership.created_at as "createdAt", ${lastSeen}
    from membership join person on person.id = person_id
    where ${every([fragment`workspace_id = ${workspaceId}`, before === null ? null : fragment`person_id < ${before}`])}
    order by person_id desc limit ${limit}`)
}

/** The longest members first. */
export function listOwners(
  db: Queries,
  { workspaceId, limit }: { workspaceId: string; limit: number },
): Promise<{ email: string; language: Language | null }[]> {
  return db.query(sql`
    select email, language from membership join person on person.id = person_id
    where workspace_id = ${workspaceId} and role = 'owner' order by membership.created_at, person_id limit ${limit}`)
}

/** The first operators. */
export function listOperatorsToMail(
  db: Queries,
  limit: number,
): Promise<{ email: string; language: Language | null }[]> {
  return db.query(sql`select email, language from person where is_operator order by created_at, id limit ${limit}`)
}

interface Membership {
  workspaceId: string
  workspaceName: string
  role: WorkspaceRole
}

/** Oldest first. The first one is the person's home workspace. */
export function listMemberships(db: Queries, personId: string): Promise<Membership[]> {
  return db.query<Membership>(sql`
    select workspace_id as "workspaceId", workspace.name as "workspaceName", role
    from membership join workspace on workspace.id = workspace_id
    where person_id = ${personId} order by membership.created_at, workspace_id`)
}

/** The roles of all members. Requires the lock on the workspace. */
export function listRoles(tx: Tx, workspaceId: string): Promise<{ personId: string; role: WorkspaceRole }[]> {
  return tx.query(sql`select person_id as "personId", role from membership where workspace_id = ${workspaceId}`)
}

export async function storeMembership(
  tx: Tx,
  { personId, workspaceId, role, now }: { personId: string; workspaceId: string; role: WorkspaceRole; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into membership (person_id, workspace_id, role, created_at)
    values (${personId}, ${workspaceId}, ${role}, ${now})
    on conflict (person_id, workspace_id) do update set role = excluded.role`)
}

export async function deleteMembership(
  tx: Tx,
  { personId, workspaceId }: { personId: string; workspaceId: string },
): Promise<void> {
  await tx.query(sql`delete from membership where person_id = ${personId} and workspace_id = ${workspaceId}`)
}

/** Names of people and tokens. */
export function findActorNames(
  db: Queries,
  ids: string[],
): Promise<{ id: string; kind: 'person' | 'token'; name: string; email: string | null }[]> {
  return db.query(sql`
    select id, 'person' as kind, name, email from person where id = any(${ids}::uuid[])
    union all select id, 'token', name, null from owner_token where id = any(${ids}::uuid[])`)
}
