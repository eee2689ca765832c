// One-time codes as they are tried out (§4.3): locked, judged in the process, written back.
import type { OtpScope, OtpState } from '../../domain/codes/otp.ts'
import type { Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'

export interface StoredCode extends OtpScope, OtpState {
  otpId: string
  messageId: string
  keyId: string
  codeHash: Buffer
}

/** Locked in one order by everybody, until the transaction ends. */
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
