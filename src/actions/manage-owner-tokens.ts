// Owner tokens are made, shown once, and revoked.
import { onlyWorkspace } from '../domain/actor.ts'
import { formatOwnerToken, hashApiKey, KEY_BYTES } from '../domain/api-key.ts'
import { type Refusal, refuse } from '../domain/refusals.ts'
import {
  countOwnerTokens,
  findOwnerTokenByHash,
  insertOwnerToken,
  lockOwnerToken,
  type OwnerToken,
  revokeOwnerToken,
} from '../store/owner-tokens.ts'
import { lockWorkspace } from '../store/workspaces.ts'
import type { Caller, Ports } from './ports.ts'
import { recordChange } from './record-change.ts'

export const MOST_TOKENS = 100
const TOO_MANY = { error: `The workspace has ${MOST_TOKENS} owner tokens; revoke one first` }

export function createOwnerToken(
  ports: Ports,
  caller: Caller,
  { workspaceId, name }: { workspaceId: string; name: string },
): Promise<{ id: string; token: string } | Refusal> {
  const id = ports.ids.next()
  const token = formatOwnerToken(ports.chance.bytes(KEY_BYTES))
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    if (!(await lockWorkspace(tx, { id: workspaceId, within: onlyWorkspace(caller.actor) }))) return refuse('not_found')
    if ((await countOwnerTokens(tx, workspaceId)) >= MOST_TOKENS) return refuse('conflict', TOO_MANY)
    await insertOwnerToken(tx, { id, workspaceId, name, hash: hashApiKey(token), now: ports.clock.now() })
    await recordChange(tx, {
      ports,
      caller,
      workspaceId,
      action: 'owner_token.created',
      subject: id,
      details: { name },
    })
    return { id, token }
  })
}

export function cancelOwnerToken(
  ports: Ports,
  caller: Caller,
  { id, workspaceId }: { id: string; workspaceId: string },
): Promise<Refusal | null> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const token = await lockOwnerToken(tx, { id, workspaceId })
    if (!token) return refuse('not_found')
    if (token.revokedAt) return null
    await revokeOwnerToken(tx, { id, now: ports.clock.now() })
    await recordChange(tx, { ports, caller, workspaceId, action: 'owner_token.revoked', subject: id })
    return null
  })
}

/** The token as it is now: one that was revoked is not found, on any process, from the next request on. */
export function recogniseOwner(ports: Ports, tokenHash: string): Promise<OwnerToken | null> {
  return findOwnerTokenByHash(ports.db, tokenHash)
}
