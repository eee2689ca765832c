// A database is served only with a keyring that holds every key it was ever used with.
import type { Keyring } from '../runtime/keyring.ts'
import type { Db } from '../store/db.ts'
import { type KnownKey, listKnownKeys, rememberKeys } from '../store/service.ts'

/** The first key of the database that this keyring lacks or holds another for; null, and all remembered, when none. */
export function matchKeyring(db: Db, keyring: Keyring): Promise<KnownKey | null> {
  const held = keyring.fingerprints()
  return db.transaction(async (tx) => {
    for (const known of await listKnownKeys(tx)) {
      const key = held.find(({ purpose, keyId }) => purpose === known.purpose && keyId === known.keyId)
      if (key?.fingerprint !== known.fingerprint) return known
    }
    await rememberKeys(tx, held)
    return null
  })
}
