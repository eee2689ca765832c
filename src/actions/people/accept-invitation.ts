// Accepts an invitation for a person, by its link or after a sign-in with a provider.
import type { WorkspaceRole } from '../../domain/people/permission.ts'
import { MAX_MEMBERSHIPS } from '../../domain/people/person.ts'
import type { Tx } from '../../store/database/db.ts'
import { deleteInvitation, deleteRecoveryLinks, type Invitation } from '../../store/people/invitations.ts'
import { listMemberships, type Person, setOperator } from '../../store/people/people.ts'
import { type Caller, type Ports, THE_SERVICE } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import { joinWorkspace } from './access.ts'

/** Gives the person the role of the invitation, and deletes the invitation. A person with too many memberships keeps the invitation. */
export async function acceptInvitation(
  tx: Tx,
  { ports, invitation, personId }: { ports: Ports; invitation: Invitation; personId: string },
): Promise<void> {
  const { id, purpose } = invitation
  if (purpose.kind === 'operator') await setOperator(tx, { id: personId, isOperator: true })
  if (purpose.kind === 'member') {
    if ((await listMemberships(tx, personId)).length >= MAX_MEMBERSHIPS) return
    await joinWorkspace(tx, { ports, caller: THE_SERVICE, personId, ...purpose })
  }
  await deleteInvitation(tx, { id })
  // A recovery link that an earlier workspace created must not give access to the new role.
  await deleteRecoveryLinks(tx, personId)
}

/** Audits that a person joined a workspace, or the operators without a membership. */
export async function recordJoin(
  tx: Tx,
  { ports, caller, person }: { ports: Ports; caller: Caller; person: Person },
  membership: { workspaceId: string; role: WorkspaceRole } | null,
): Promise<void> {
  const { id: subject, email, name } = person
  const change = membership
    ? { workspaceId: membership.workspaceId, action: 'member.joined', details: { email, name, role: membership.role } }
    : { workspaceId: null, action: 'operator.joined', details: { email, name } }
  await recordChange(tx, { ports, caller, subject, ...change })
}
