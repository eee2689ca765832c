// Ends the tokens, invitations and live streams of a person who loses a role (D67).
import { type Actor, namedActor, onlyWorkspace, personBehind } from '../../domain/people/actor.ts'
import { EVERY_ROLE, includesRole, type PlacedRole, type WorkspaceRole } from '../../domain/people/permission.ts'
import type { Tx } from '../../store/database/db.ts'
import { deleteInvitationsBy } from '../../store/people/invitations.ts'
import { listTokensOfPerson, revokeOwnerTokens } from '../../store/people/owner-tokens.ts'
import { listMemberships, lockPerson, storeMembership } from '../../store/people/people.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

/** Broadcast: every process checks the access of its live streams again. */
export const ACCESS_SUBJECT = 'access'

/** Locks the person, so that no token is created meanwhile. */
async function lockAccess(tx: Tx, personId: string) {
  const person = await lockPerson(tx, personId)
  return { isOperator: person?.isOperator ?? false, memberships: await listMemberships(tx, personId) }
}

/** A request is authenticated before its transaction; the person may have been removed since. */
export async function isStillAuthorized(tx: Tx, actor: Actor): Promise<boolean> {
  const personId = personBehind(actor)
  if (personId === null || actor.kind === 'service') return true
  return includesRole(await lockAccess(tx, personId), { workspaceId: onlyWorkspace(actor), role: actor.kind })
}

/** An invitation to a lower role than the person has in the workspace is a demotion. */
export async function joinWorkspace(
  tx: Tx,
  { ports, caller, personId, workspaceId, role }: NewMembership & { ports: Ports; caller: Caller },
): Promise<void> {
  const before = (await listMemberships(tx, personId)).find((it) => it.workspaceId === workspaceId)
  await storeMembership(tx, { personId, workspaceId, role, now: ports.clock.now() })
  if (before) await endExcessAccess(tx, { ports, caller, personId, lost: before })
}

interface NewMembership {
  personId: string
  workspaceId: string
  role: WorkspaceRole
}

/** `lost` is the role before the change. */
export async function endExcessAccess(
  tx: Tx,
  { ports, caller, personId, lost }: { ports: Ports; caller: Caller; personId: string; lost: PlacedRole },
): Promise<void> {
  const access = await lockAccess(tx, personId)
  const excess = (await listTokensOfPerson(tx, personId)).filter((token) => !includesRole(access, token))
  const revoked = excess.filter((token) => token.revokedAt === null)
  await revokeOwnerTokens(tx, { ids: revoked.map((it) => it.id), now: ports.clock.now() })
  for (const { id, workspaceId } of revoked)
    await recordChange(tx, { ports, caller, workspaceId, action: 'owner_token.revoked', subject: id })
  // Otherwise the person could return by an earlier invitation of their own or of their tokens, under any role.
  if (!includesRole(access, lost)) {
    const asPerson = EVERY_ROLE.map((role) => namedActor(role, personId))
    const madeBy = [...asPerson, ...excess.map(({ role, id }) => namedActor(role, id))]
    const kept = access.memberships.flatMap(({ workspaceId }) =>
      EVERY_ROLE.filter((role) => role !== 'operator' && includesRole(access, { workspaceId, role })).map((role) => ({
        workspaceId,
        madeBy: namedActor(role, personId),
      })),
    )
    await deleteInvitationsBy(tx, { madeBy, workspaceId: lost.workspaceId, kept })
  }
  recheckStreams(tx, ports)
}

export function recheckStreams(tx: Tx, ports: Ports): void {
  tx.afterCommit(() => ports.notifications.broadcast(ACCESS_SUBJECT, ''))
}
