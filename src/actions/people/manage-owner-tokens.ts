// Creates, revokes and authenticates API tokens of workspaces and operators.
import { type Manager, onlyWorkspace, personBehind } from '../../domain/people/actor.ts'
import type { Role } from '../../domain/people/permission.ts'
import { isActivityDue } from '../../domain/people/session.ts'
import { type Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { formatToken, hashSecret, KEY_BYTES } from '../../domain/workspaces/api-key.ts'
import {
  countOwnerTokens,
  findOwnerTokenByHash,
  insertOwnerToken,
  lockOwnerToken,
  revokeOwnerTokens,
  touchOwnerToken,
} from '../../store/people/owner-tokens.ts'
import { lockService } from '../../store/service/service.ts'
import { lockWorkspace } from '../../store/workspaces/workspaces.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import { isStillAuthorized, recheckStreams } from './access.ts'

export const MAX_TOKENS = 100
const TOO_MANY = { error: `There are already ${MAX_TOKENS} active tokens; revoke one first` }

interface NewToken {
  /** Null: a token of an operator. */
  workspaceId: string | null
  name: string
  role: Role
  expiresAt: Date | null
}

export function createOwnerToken(
  ports: Ports,
  caller: Caller,
  { workspaceId, name, role, expiresAt }: NewToken,
): Promise<{ id: string; token: string } | Refusal> {
  const id = ports.ids.next()
  const token = formatToken(role, ports.random.bytes(KEY_BYTES))
  const now = ports.clock.now()
  const personId = personBehind(caller.actor)
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    if (workspaceId === null) await lockService(tx)
    else if (!(await lockWorkspace(tx, { id: workspaceId, within: onlyWorkspace(caller.actor) })))
      return refuse('not_found')
    if (!(await isStillAuthorized(tx, caller.actor))) return refuse('not_found')
    if (expiresAt && expiresAt <= now) return refuseField('expiresAt', 'Must be in the future')
    if ((await countOwnerTokens(tx, { workspaceId, now })) >= MAX_TOKENS) return refuse('conflict', TOO_MANY)
    await insertOwnerToken(tx, { id, workspaceId, personId, name, role, expiresAt, hash: hashSecret(token), now })
    const details = { name, role, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) }
    await recordChange(tx, { ports, caller, workspaceId, action: 'owner_token.created', subject: id, details })
    return { id, token }
  })
}

export function cancelOwnerToken(
  ports: Ports,
  caller: Caller,
  { id, workspaceId }: { id: string; workspaceId: string | null },
): Promise<Refusal | null> {
  const own = onlyWorkspace(caller.actor)
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    if (own !== null && own !== workspaceId) return refuse('not_found')
    const token = await lockOwnerToken(tx, { id, workspaceId })
    if (!token) return refuse('not_found')
    if (token.revokedAt) return null
    await revokeOwnerTokens(tx, { ids: [id], now: ports.clock.now() })
    recheckStreams(tx, ports)
    await recordChange(tx, { ports, caller, workspaceId, action: 'owner_token.revoked', subject: id })
    return null
  })
}

/** Reads the database on every request, so a revoked token stops working at once in every process. */
export async function authenticateToken(ports: Ports, hash: string): Promise<Manager | null> {
  const now = ports.clock.now()
  const token = await findOwnerTokenByHash(ports.db, { hash, now })
  if (!token) return null
  const { id: tokenId, role, workspaceId, personId } = token
  const known = { tokenId, ...(personId && { tokenOwnerId: personId }) }
  if (isActivityDue(token.lastUsedAt, now)) await touchOwnerToken(ports.db, { id: tokenId, now })
  if (role === 'operator') return { kind: role, ...known }
  if (workspaceId === null) throw new Error('a workspace token has no workspace')
  return { kind: role, ...known, workspaceId }
}
