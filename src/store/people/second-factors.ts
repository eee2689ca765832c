// Sign-in methods besides the password: TOTP, recovery codes and passkeys.
import type { Queries, Tx } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'

interface Totp {
  sealed: Buffer
  confirmedAt: Date | null
  step: number
}

export async function findTotp(db: Queries, personId: string): Promise<Totp | null> {
  const [row] = await db.query<{ sealed: Buffer | null } & Omit<Totp, 'sealed'>>(sql`
    select totp_sealed as sealed, totp_confirmed_at as "confirmedAt", totp_step as step from person where id = ${personId}`)
  return row?.sealed ? { ...row, sealed: row.sealed } : null
}

export async function setTotp(
  tx: Tx,
  { personId, sealed }: { personId: string; sealed: Buffer | null },
): Promise<void> {
  await tx.query(sql`
    update person set totp_sealed = ${sealed}, totp_confirmed_at = null, totp_step = 0 where id = ${personId}`)
}

export async function confirmTotp(tx: Tx, { personId, now }: { personId: string; now: Date }): Promise<void> {
  await tx.query(sql`update person set totp_confirmed_at = ${now} where id = ${personId}`)
}

/** Returns false if this code or a later one was already used. */
export async function consumeTotpStep(
  db: Queries,
  { personId, step }: { personId: string; step: number },
): Promise<boolean> {
  const rows = await db.query(sql`
    update person set totp_step = ${step} where id = ${personId} and totp_step < ${step} returning 1`)
  return rows.length > 0
}

export async function replaceRecoveryCodes(
  tx: Tx,
  { personId, hashes }: { personId: string; hashes: string[] },
): Promise<void> {
  await tx.query(sql`delete from recovery_code where person_id = ${personId}`)
  await tx.query(sql`
    insert into recovery_code (person_id, code_hash)
    select ${personId}, decode(hash, 'hex') from unnest(${hashes}::text[]) as code (hash)`)
}

export async function consumeRecoveryCode(
  db: Queries,
  { personId, hash }: { personId: string; hash: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    delete from recovery_code where person_id = ${personId} and code_hash = decode(${hash}, 'hex') returning 1`)
  return rows.length > 0
}

export interface Passkey {
  id: string
  personId: string
  name: string
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
  createdAt: Date
  lastUsedAt: Date | null
}

const columns = fragment`id, person_id as "personId", name, credential_id as "credentialId", public_key as "publicKey", counter,
  transports, created_at as "createdAt", last_used_at as "lastUsedAt"`

/** Newest first. */
export function listPasskeys(db: Queries, personId: string): Promise<Passkey[]> {
  return db.query<Passkey>(sql`select ${columns} from passkey where person_id = ${personId} order by id desc`)
}

export async function findPasskey(db: Queries, credentialId: Buffer): Promise<Passkey | null> {
  const rows = await db.query<Passkey>(sql`select ${columns} from passkey where credential_id = ${credentialId}`)
  return rows[0] ?? null
}

/** Returns false if the credential is already registered. */
export async function insertPasskey(tx: Tx, passkey: Omit<Passkey, 'lastUsedAt'>): Promise<boolean> {
  const { id, personId, name, credentialId, publicKey, counter, transports, createdAt } = passkey
  const rows = await tx.query(sql`
    insert into passkey (id, person_id, name, credential_id, public_key, counter, transports, created_at)
    values (${id}, ${personId}, ${name}, ${credentialId}, ${publicKey}, ${counter}, ${transports}, ${createdAt})
    on conflict (credential_id) do nothing returning 1`)
  return rows.length > 0
}

export async function touchPasskey(
  tx: Tx,
  { id, counter, now }: { id: string; counter: number; now: Date },
): Promise<void> {
  await tx.query(sql`update passkey set counter = ${counter}, last_used_at = ${now} where id = ${id}`)
}

export async function deletePasskey(tx: Tx, { id, personId }: { id: string; personId: string }): Promise<boolean> {
  const rows = await tx.query(sql`delete from passkey where id = ${id} and person_id = ${personId} returning 1`)
  return rows.length > 0
}

export async function deleteSecondFactors(tx: Tx, personId: string): Promise<void> {
  await setTotp(tx, { personId, sealed: null })
  await tx.query(sql`delete from recovery_code where person_id = ${personId}`)
  await deletePasskeys(tx, personId)
}

export async function deletePasskeys(tx: Tx, personId: string): Promise<void> {
  await tx.query(sql`delete from passkey where person_id = ${personId}`)
}

export interface Challenge {
  id: string
  kind: 'passkey_new' | 'passkey' | 'oidc'
  personId: string | null
  details: Record<string, string>
  expiresAt: Date
}

/** Callers need no sign-in, so they can request any number of challenges: beyond the limits the oldest are deleted. */
export async function insertChallenge(
  db: Queries,
  {
    id,
    kind,
    personId,
    details,
    expiresAt,
    place,
    most,
    maxPerRequester,
  }: Challenge & { place: string; most: number; maxPerRequester: number },
): Promise<void> {
  await db.query(sql`
    with oldest as (select id from challenge order by id desc offset ${most - 1} for update skip locked),
      own as (select id from challenge where requester = ${place} order by id desc offset ${maxPerRequester - 1} for update skip locked),
      gone as (delete from challenge where id in (select id from oldest union select id from own))
    insert into challenge (id, kind, person_id, details, expires_at, requester)
    values (${id}, ${kind}, ${personId}, ${details}, ${expiresAt}, ${place})`)
}

/** Deletes the challenge, so that it can be answered only once. */
export async function consumeChallenge(
  db: Queries,
  { id, kind, now }: { id: string; kind: Challenge['kind']; now: Date },
): Promise<Challenge | null> {
  const rows = await db.query<Challenge>(sql`
    delete from challenge where id = ${id} and kind = ${kind} and expires_at > ${now}
    returning id, kind, person_id as "personId", details, expires_at as "expiresAt"`)
  return rows[0] ?? null
}
