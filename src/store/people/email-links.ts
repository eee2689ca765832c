// Links that verify a new email address (D70). Only the hashes of their secrets are stored.
import { MAX_EMAIL_LINKS, type RecentEmailLinks } from '../../domain/people/email-link.ts'
import type { Queries, Tx } from '../database/db.ts'
import { type Fragment, fragment, sql } from '../database/sql.ts'

export interface EmailLink {
  id: string
  personId: string
  /** The new address. */
  email: string
  createdAt: Date
  expiresAt: Date
}

const columns = fragment`id, person_id as "personId", email, created_at as "createdAt", expires_at as "expiresAt"`

export async function insertEmailLink(tx: Tx, link: EmailLink & { hash: string }): Promise<void> {
  await tx.query(sql`
    insert into email_link (id, secret_hash, person_id, email, created_at, expires_at)
    values (${link.id}, decode(${link.hash}, 'hex'), ${link.personId}, ${link.email}, ${link.createdAt}, ${link.expiresAt})`)
}

export async function findEmailLinkByHash(
  db: Queries,
  { hash, now }: { hash: string; now: Date },
): Promise<EmailLink | null> {
  const rows = await db.query<EmailLink>(sql`
    select ${columns} from email_link where secret_hash = decode(${hash}, 'hex') and is_open and expires_at > ${now}`)
  return rows[0] ?? null
}

/** A person has at most one open link. */
export async function findOpenEmailLink(
  db: Queries,
  { personId, now }: { personId: string; now: Date },
): Promise<EmailLink | null> {
  const rows = await db.query<EmailLink>(sql`
    select ${columns} from email_link where person_id = ${personId} and is_open and expires_at > ${now}`)
  return rows[0] ?? null
}

/** Returns false if the person had no open link. */
export async function closeEmailLinks(tx: Tx, personId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    update email_link set is_open = false where person_id = ${personId} and is_open returning 1`)
  return rows.length > 0
}

export async function closeEmailLink(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update email_link set is_open = false where id = ${id}`)
}

/** Serializes the count of emails to this address until the transaction ends. */
export async function lockEmailLinksTo(tx: Tx, email: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`email link ${email}`}, 8))`)
}

export async function loadRecentEmailLinks(
  tx: Tx,
  { personId, email, since }: { personId: string; email: string; since: Date },
): Promise<RecentEmailLinks> {
  const loadTimes = async (condition: Fragment): Promise<Date[]> => {
    const rows = await tx.query<{ at: Date }>(sql`
      select created_at as at from email_link where ${condition} and created_at > ${since}
      order by created_at desc limit ${MAX_EMAIL_LINKS}`)
    return rows.map(({ at }) => at)
  }
  return {
    byPerson: await loadTimes(fragment`person_id = ${personId}`),
    toAddress: await loadTimes(fragment`email = ${email}`),
  }
}
