// The keyring and the database belong together: what only a lost key could read would be lost. Keys rotate by adding one,
// making it active, and dropping the old one after a start has sealed everything anew.
import type { Keyring } from '../../runtime/keyring.ts'
import { carrierSecretsContext } from '../../store/carriers/carriers.ts'
import type { Db, Tx } from '../../store/database/db.ts'
import { deleteKnownKey, isKeyNeeded, lockSecretsNotSealedWith, replaceSecrets } from '../../store/service/sealed-secrets.ts'
import { type KnownKey, listKnownKeys, lockService, storeKnownKeys } from '../../store/service/service.ts'
import { totpContext } from '../people/second-factors.ts'
import { testCodeContext, webhookSecretContext } from '../workspaces/manage-clients.ts'

/** A key that the database needs; `isHeld` where the keyring has one of that name, but another. */
interface ForeignKey extends KnownKey {
  isHeld: boolean
}

/** The first key that the database needs and this keyring lacks or holds another for; null, and all is in order, when none. */
export function matchKeyring(db: Db, keyring: Keyring): Promise<ForeignKey | null> {
  const held = keyring.fingerprints()
  return db.transaction(async (tx) => {
    // One after another: of two first starts with two keyrings, the second is told.
    await lockService(tx)
    for (const known of await listKnownKeys(tx)) {
      const key = held.find(({ purpose, keyId }) => purpose === known.purpose && keyId === known.keyId)
      if (key ? key.fingerprint !== known.fingerprint : await isKeyNeeded(tx, known))
        return { ...known, isHeld: key !== undefined }
      if (!key) await deleteKnownKey(tx, known)
    }
    await storeKnownKeys(tx, held)
    await sealAnew(tx, keyring)
    return null
  })
}

/** Secrets outlive keys, unlike codes and texts, which are gone in minutes. */
async function sealAnew(tx: Tx, keyring: Keyring): Promise<void> {
  const { clients, carriers, people } = await lockSecretsNotSealedWith(tx, keyring.activeKeyId('secrets'))
  if (clients.length + carriers.length + people.length === 0) return
  const again = (context: string, sealed: Buffer) =>
    keyring.seal('secrets', context, keyring.open('secrets', context, sealed))
  await replaceSecrets(tx, {
    clients: clients.map(({ id, webhookSecret, previousWebhookSecret, testOtpCode }) => ({
      id,
      webhookSecret: again(webhookSecretContext(id), webhookSecret),
      previousWebhookSecret: previousWebhookSecret && again(webhookSecretContext(id), previousWebhookSecret),
      testOtpCode: testOtpCode && again(testCodeContext(id), testOtpCode),
    })),
    carriers: carriers.map(({ id, secrets }) => ({ id, secrets: again(carrierSecretsContext(id), secrets) })),
    people: people.map(({ id, totp }) => ({ id, totp: again(totpContext(id), totp) })),
  })
}
