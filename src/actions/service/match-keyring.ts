// Checks that the keyring has every key that the database needs, and seals secrets again with the active key.
import type { Keyring } from '../../runtime/keyring.ts'
import { carrierSecretsContext } from '../../store/carriers/carriers.ts'
import type { Db, Tx } from '../../store/database/db.ts'
import {
  deleteKnownKey,
  isKeyNeeded,
  lockSecretsNotSealedWith,
  replaceSecrets,
} from '../../store/service/sealed-secrets.ts'
import { type KnownKey, listKnownKeys, lockService, storeKnownKeys } from '../../store/service/service.ts'
import { totpContext } from '../people/second-factors.ts'
import { testCodeContext, webhookSecretContext } from '../workspaces/manage-clients.ts'

/** A key that the database needs; `isHeld` if the keyring has another key under this id. */
interface ForeignKey extends KnownKey {
  isHeld: boolean
}

/** The first key that the database needs and the keyring lacks or has another key for; null if all match. */
export function matchKeyring(db: Db, keyring: Keyring): Promise<ForeignKey | null> {
  const held = keyring.fingerprints()
  return db.transaction(async (tx) => {
    // Serialized, so that of two first starts with different keyrings the second one fails.
    await lockService(tx)
    for (const known of await listKnownKeys(tx)) {
      const key = held.find(({ purpose, keyId }) => purpose === known.purpose && keyId === known.keyId)
      if (key ? key.fingerprint !== known.fingerprint : await isKeyNeeded(tx, known))
        return { ...known, isHeld: key !== undefined }
      if (!key) await deleteKnownKey(tx, known)
    }
    await storeKnownKeys(tx, held)
    await resealSecrets(tx, keyring)
    return null
  })
}

/** Only secrets: OTPs and texts expire within minutes. */
async function resealSecrets(tx: Tx, keyring: Keyring): Promise<void> {
  const { clients, carriers, people } = await lockSecretsNotSealedWith(tx, keyring.activeKeyId('secrets'))
  if (clients.length + carriers.length + people.length === 0) return
  const reseal = (context: string, sealed: Buffer) =>
    keyring.seal('secrets', context, keyring.open('secrets', context, sealed))
  await replaceSecrets(tx, {
    clients: clients.map(({ id, webhookSecret, previousWebhookSecret, testOtpCode }) => ({
      id,
      webhookSecret: reseal(webhookSecretContext(id), webhookSecret),
      previousWebhookSecret: previousWebhookSecret && reseal(webhookSecretContext(id), previousWebhookSecret),
      testOtpCode: testOtpCode && reseal(testCodeContext(id), testOtpCode),
    })),
    carriers: carriers.map(({ id, secrets }) => ({ id, secrets: reseal(carrierSecretsContext(id), secrets) })),
    people: people.map(({ id, totp }) => ({ id, totp: reseal(totpContext(id), totp) })),
  })
}
