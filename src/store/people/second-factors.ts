// What people sign in with beside a password: codes of an app, recovery codes, passkeys.
import type { Queries, Tx } from '../database/db.ts'
import { part, sql } from '../database/sql.ts'

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

/** False where that code, or a later one, was used already. */
export async function takeTotpStep(
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

export async function takeRecoveryCode(
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

const columns = part`id, person_id as "personId", name, credential_id as "credentialId", public_key as "publicKey", counter,
  transports, created_at as "createdAt", last_used_at as "lastUsedAt"`

/** There are never many. */
export function listPasskeys(db: Queries, personId: string): Promise<Passkey[]> {
  return db.query<Passkey>(sql`select ${columns} from passkey where person_id = ${personId} order by id desc`)
}

export async function findPasskey(db: Queries, credentialId: Buffer): Promise<Passkey | null> {
  const rows = await db.query<Passkey>(sql`select ${columns} from passkey where credential_id = ${credentialId}`)
  return rows[0] ?? null
}

/** False where it is somebody's already. */
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

/** All but the password. */
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

/** Who is not in yet may ask for many: where more than `most` are open the oldest go, so that nobody keeps others from asking. */
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
    mostOfPlace,
  }: Challenge & { place: string; most: number; mostOfPlace: number },
): Promise<void> {
  await db.query(sql`
    with oldest as (select id from challenge order by id desc offset ${most - 1} for update skip locked),
      own as (select id from challenge where requester = ${place} order by id desc offset ${mostOfPlace - 1} for update skip locked),
      gone as (delete from challenge where id in (select id from oldest union select id from own))
    insert into challenge (id, kind, person_id, details, expires_at, requester)
    values (${id}, ${kind}, ${personId}, ${details}, ${expiresAt}, ${place})`)
}

/** It can be answered once. */
export async function takeChallenge(
  db: Queries,
  { id, kind, now }: { id: string; kind: Challenge['kind']; now: Date },
): Promise<Challenge | null> {
  const rows = await db.query<Challenge>(sql`
    delete from challenge where id = ${id} and kind = ${kind} and expires_at > ${now}
    returning id, kind, person_id as "personId", details, expires_at as "expiresAt"`)
  return rows[0] ?? null
}
