// OTPs: stored when sent (D22); at verification locked, compared in the process and written back (§4.3).
import type { OtpScope, OtpState } from '../../domain/codes/otp.ts'
import type { Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

export interface StoredCode extends OtpScope, OtpState {
  otpId: string
  messageId: string
  keyId: string
  codeHash: Buffer
}

/** Every transaction locks in the same order, which prevents deadlocks. */
export function lockCodes(tx: Tx, scopes: OtpScope[]): Promise<StoredCode[]> {
  return tx.query<StoredCode>(sql`
    select client_id as "clientId", to_number as to, purpose, otp_id as "otpId", message_id as "messageId",
      key_id as "keyId", code_hash as "codeHash", wrong_tries as "wrongTries", used_at as "usedAt",
      sent_at as "sentAt", expires_at as "expiresAt"
    from otp_code
    where (client_id, to_number, purpose) in (
      select * from unnest(
        ${scopes.map((it) => it.clientId)}::uuid[], ${scopes.map((it) => it.to)}::text[],
        ${scopes.map((it) => it.purpose)}::text[]))
    order by client_id, to_number, purpose
    for no key update`)
}

export async function storeTries(tx: Tx, codes: StoredCode[]): Promise<void> {
  if (codes.length === 0) return
  await tx.query(sql`
    update otp_code set wrong_tries = tried.wrong_tries, used_at = tried.used_at, expires_at = tried.expires_at
    from unnest(
      ${codes.map((it) => it.otpId)}::uuid[], ${codes.map((it) => it.wrongTries)}::smallint[],
      ${codes.map((it) => it.usedAt)}::timestamptz[], ${codes.map((it) => it.expiresAt)}::timestamptz[]
    ) as tried (otp_id, wrong_tries, used_at, expires_at)
    where otp_code.otp_id = tried.otp_id`)
}

/** When an OTP was last sent in each scope, with any outcome. */
export async function loadCodeTimes(
  tx: Tx,
  scopes: { clientId: string; to: string; purpose: string }[],
): Promise<{ clientId: string; to: string; purpose: string; sentAt: Date }[]> {
  return tx.query(sql`
    select client_id as "clientId", to_number as to, purpose, sent_at as "sentAt" from otp_code
    where (client_id, to_number, purpose) in (
      select * from unnest(
        ${scopes.map((it) => it.clientId)}::uuid[], ${scopes.map((it) => it.to)}::text[],
        ${scopes.map((it) => it.purpose)}::text[]))`)
}

export interface NewCode {
  clientId: string
  to: string
  purpose: string
  otpId: string
  messageId: string
  keyId: string
  codeHash: Buffer
  /** null in test mode, which delivers nothing. */
  sealedText: Buffer | null
}

/** D22: a new OTP replaces the previous one in its scope and resets its wrong attempts. */
export async function storeCodes(
  tx: Tx,
  codes: NewCode[],
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<void> {
  if (codes.length === 0) return
  const sealed = codes.filter((it) => it.sealedText !== null)
  await Promise.all([
    tx.query(sql`
      insert into otp_code (client_id, to_number, purpose, otp_id, message_id, key_id, code_hash, sent_at, expires_at)
      select *, ${now}::timestamptz, ${expiresAt}::timestamptz from unnest(
        ${codes.map((it) => it.clientId)}::uuid[], ${codes.map((it) => it.to)}::text[],
        ${codes.map((it) => it.purpose)}::text[], ${codes.map((it) => it.otpId)}::uuid[],
        ${codes.map((it) => it.messageId)}::uuid[], ${codes.map((it) => it.keyId)}::text[],
        ${codes.map((it) => it.codeHash)}::bytea[])
      on conflict (client_id, to_number, purpose) do update set
        otp_id = excluded.otp_id, message_id = excluded.message_id, key_id = excluded.key_id,
        code_hash = excluded.code_hash, sent_at = excluded.sent_at, expires_at = excluded.expires_at,
        wrong_tries = 0, used_at = null`),
    tx.query(sql`
      insert into sealed_text (message_id, sealed, expires_at)
      select *, ${expiresAt}::timestamptz from unnest(
        ${sealed.map((it) => it.messageId)}::uuid[], ${sealed.map((it) => it.sealedText)}::bytea[])`),
  ])
}
