// Sealed secrets and the keyring keys that they need. A sealed value starts with the length and the id of its key.
import type { KeyPurpose } from '../../runtime/keyring.ts'
import type { Tx } from '../database/db.ts'
import { type Fragment, fragment, sql } from '../database/sql.ts'

function isSealedWith(sealed: Fragment, keyId: string): Fragment {
  return fragment`substring(${sealed} from 2 for get_byte(${sealed}, 0)) = convert_to(${keyId}, 'UTF8')`
}

/** True if a stored value can only be opened or compared with this key. */
export async function isKeyNeeded(
  tx: Tx,
  { purpose, keyId }: { purpose: KeyPurpose; keyId: string },
): Promise<boolean> {
  const rows = await tx.query(neededBy[purpose](keyId))
  return rows.length > 0
}

const neededBy: Record<KeyPurpose, (keyId: string) => ReturnType<typeof sql>> = {
  codes: (keyId) => sql`
    select 1 where exists (select from otp_code where key_id = ${keyId})
      or exists (select from idempotent_answer where key_id = ${keyId})`,
  texts: (keyId) => sql`
    select 1 where exists (select from sealed_text where ${isSealedWith(fragment`sealed`, keyId)})`,
  secrets: (keyId) => sql`
    select 1 from (
      select webhook_secret_sealed as sealed from client
      union all select previous_webhook_secret_sealed from client
      union all select test_otp_code_sealed from client
      union all select secrets_sealed from carrier
      union all select totp_sealed from person
    ) as secret
    where ${isSealedWith(fragment`sealed`, keyId)} limit 1`,
}

interface SealedSecrets {
  clients: { id: string; webhookSecret: Buffer; previousWebhookSecret: Buffer | null; testOtpCode: Buffer | null }[]
  carriers: { id: string; secrets: Buffer }[]
  people: { id: string; totp: Buffer }[]
}

/** Locks and returns the secrets that are sealed with another key. */
export async function lockSecretsNotSealedWith(tx: Tx, keyId: string): Promise<SealedSecrets> {
  const [clients, carriers, people] = await Promise.all([
    tx.query<SealedSecrets['clients'][number]>(sql`
      select id, webhook_secret_sealed as "webhookSecret", previous_webhook_secret_sealed as "previousWebhookSecret",
        test_otp_code_sealed as "testOtpCode"
      from client
      where exists (
        select from unnest(array[webhook_secret_sealed, previous_webhook_secret_sealed, test_otp_code_sealed]) as secret (sealed)
        where not ${isSealedWith(fragment`sealed`, keyId)})
      order by id for no key update`),
    tx.query<SealedSecrets['carriers'][number]>(sql`
      select id, secrets_sealed as secrets from carrier
      where not ${isSealedWith(fragment`secrets_sealed`, keyId)}
      order by id for no key update`),
    tx.query<SealedSecrets['people'][number]>(sql`
      select id, totp_sealed as totp from person
      where not ${isSealedWith(fragment`totp_sealed`, keyId)}
      order by id for no key update`),
  ])
  return { clients, carriers, people }
}

export async function replaceSecrets(tx: Tx, { clients, carriers, people }: SealedSecrets): Promise<void> {
  await tx.query(sql`
    update client set webhook_secret_sealed = sealed.webhook, previous_webhook_secret_sealed = sealed.previous,
      test_otp_code_sealed = sealed.test_code
    from unnest(
      ${clients.map((it) => it.id)}::uuid[], ${clients.map((it) => it.webhookSecret)}::bytea[],
      ${clients.map((it) => it.previousWebhookSecret)}::bytea[], ${clients.map((it) => it.testOtpCode)}::bytea[]
    ) as sealed (id, webhook, previous, test_code)
    where client.id = sealed.id`)
  await tx.query(sql`
    update carrier set secrets_sealed = sealed.secrets
    from unnest(${carriers.map((it) => it.id)}::uuid[], ${carriers.map((it) => it.secrets)}::bytea[]) as sealed (id, secrets)
    where carrier.id = sealed.id`)
  await tx.query(sql`
    update person set totp_sealed = sealed.totp
    from unnest(${people.map((it) => it.id)}::uuid[], ${people.map((it) => it.totp)}::bytea[]) as sealed (id, totp)
    where person.id = sealed.id`)
}

export async function deleteKnownKey(
  tx: Tx,
  { purpose, keyId }: { purpose: KeyPurpose; keyId: string },
): Promise<void> {
  await tx.query(sql`delete from keyring_key where purpose = ${purpose} and key_id = ${keyId}`)
}
