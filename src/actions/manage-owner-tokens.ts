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
import type { Caller, House } from './house.ts'
import { recordChange } from './record-change.ts'

const MOST_TOKENS = 100
const TOO_MANY = { error: `The workspace has ${MOST_TOKENS} owner tokens; revoke one first` }

export function createOwnerToken(
  house: House,
  caller: Caller,
  { workspaceId, name }: { workspaceId: string; name: string },
): Promise<{ id: string; token: string } | Refusal> {
  const id = house.ids.next()
  const token = formatOwnerToken(house.chance.bytes(KEY_BYTES))
  return house.db.transaction(async (tx) => {
    if (!(await lockWorkspace(tx, { id: workspaceId, within: onlyWorkspace(caller.actor) }))) return refuse('not_found')
    if ((await countOwnerTokens(tx, workspaceId)) >= MOST_TOKENS) return refuse('conflict', TOO_MANY)
    await insertOwnerToken(tx, { id, workspaceId, name, hash: hashApiKey(token), now: house.clock.now() })
    await recordChange(tx, {
      house,
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
  house: House,
  caller: Caller,
  { id, workspaceId }: { id: string; workspaceId: string },
): Promise<Refusal | null> {
  return house.db.transaction(async (tx) => {
    const token = await lockOwnerToken(tx, { id, workspaceId })
    if (!token) return refuse('not_found')
    if (token.revokedAt) return null
    await revokeOwnerToken(tx, { id, now: house.clock.now() })
    await recordChange(tx, { house, caller, workspaceId, action: 'owner_token.revoked', subject: id })
    return null
  })
}

/** The token as it is now: one that was revoked is not found, on any process, from the next request on. */
export function recogniseOwner(house: House, tokenHash: string): Promise<OwnerToken | null> {
  return findOwnerTokenByHash(house.db, tokenHash)
}
