// Adds, revokes and rotates the API keys of a client (§5.1, D71). Each change is one commit, and no process caches a key.
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import { formatApiKey, hashSecret, KEY_BYTES, shownKeyPrefix } from '../../domain/workspaces/api-key.ts'
import type { Tx } from '../../store/database/db.ts'
import { deleteKeys, insertKey, KEY_SLOTS, type KeySlot } from '../../store/workspaces/client-keys.ts'
import { type Client, findClient, lockClient, touchClient } from '../../store/workspaces/clients.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

const LAST_KEY = 'The last active key cannot be revoked; rotate the key or disable the client'

/** `apiKey` is shown once and cannot be read again. */
interface CreatedKey {
  id: string
  prefix: string
  createdAt: Date
  apiKey: string
}

export function addApiKey(ports: Ports, caller: Caller, clientId: string): Promise<CreatedKey | Refusal> {
  return withLockedClient(ports, caller, clientId, async (tx, client) => {
    const slot = KEY_SLOTS.find((it) => client.keys.every((key) => key.slot !== it))
    if (slot === undefined) return refuse('key_limit')
    const key = await storeNewKey(tx, ports, { clientId, slot })
    const details = { keyPrefix: key.prefix }
    await recordKeyChange(tx, { ports, caller, client, action: 'client.key_added', details })
    return key
  })
}

/** The last key stays, because a client without a key would look active and reject every request. */
export function revokeApiKey(
  ports: Ports,
  caller: Caller,
  { clientId, keyId }: { clientId: string; keyId: string },
): Promise<Refusal | null> {
  return withLockedClient(ports, caller, clientId, async (tx, client) => {
    const key = client.keys.find(({ id }) => id === keyId)
    if (!key) return refuse('not_found')
    if (client.keys.length === 1) return refuse('conflict', { error: LAST_KEY })
    await deleteKeys(tx, [keyId])
    const details = { keyPrefix: key.prefix }
    await recordKeyChange(tx, { ports, caller, client, action: 'client.key_revoked', details })
    return null
  })
}

/** The new key replaces all old keys in the same commit (§5.1 rule 5). */
export function rotateApiKey(
  ports: Ports,
  caller: Caller,
  clientId: string,
): Promise<{ client: Client; apiKey: string } | Refusal> {
  return withLockedClient(ports, caller, clientId, async (tx, before) => {
    const oldIds = before.keys.map(({ id }) => id)
    await deleteKeys(tx, oldIds)
    const { apiKey, prefix } = await storeNewKey(tx, ports, { clientId, slot: 1 })
    const details = { from: before.keys.map((key) => key.prefix).join(', '), to: prefix }
    await recordKeyChange(tx, { ports, caller, client: before, action: 'client.key_rotated', details })
    const client = await findClient(tx, { id: clientId, within: null })
    return client ? { client, apiKey } : refuse('not_found')
  })
}

export async function storeNewKey(
  tx: Tx,
  { ids, clock, random, vendor }: Ports,
  { clientId, slot }: { clientId: string; slot: KeySlot },
): Promise<CreatedKey> {
  const apiKey = formatApiKey(vendor, random.bytes(KEY_BYTES))
  const key = { id: ids.next(), prefix: shownKeyPrefix(apiKey), createdAt: clock.now() }
  await insertKey(tx, { ...key, clientId, slot, hash: hashSecret(apiKey) })
  return { ...key, apiKey }
}

/** Changes of one client take turns. */
export function withLockedClient<Result>(
  ports: Ports,
  caller: Caller,
  id: string,
  work: (tx: Tx, client: Client) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const client = await lockClient(tx, { id, within: onlyWorkspace(caller.actor) })
    return client ? work(tx, client) : refuse('not_found')
  })
}

interface KeyChange {
  ports: Ports
  caller: Caller
  client: Client
  action: string
  details: Record<string, string>
}

async function recordKeyChange(tx: Tx, { client: { id, workspaceId }, ...change }: KeyChange): Promise<void> {
  await touchClient(tx, { id, now: change.ports.clock.now() })
  await recordChange(tx, { ...change, workspaceId, subject: id })
}
