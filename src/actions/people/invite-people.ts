// Creates and revokes single-use links: for operators, members and password recovery.
import { actorName, onlyWorkspace } from '../../domain/people/actor.ts'
import {
  canRecover,
  linkEnd,
  MAX_INVITATIONS,
  MAX_OPERATOR_INVITATIONS,
  MAX_RECOVERIES,
  type Purpose,
} from '../../domain/people/invitation.ts'
import type { WorkspaceRole } from '../../domain/people/permission.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import { formatLinkSecret, hashSecret, SIGN_IN_BYTES } from '../../domain/workspaces/api-key.ts'
import type { Tx } from '../../store/database/db.ts'
import {
  countInvitations,
  countRecoveries,
  deleteInvitation,
  deleteInvitationsTo,
  type Invitation,
  insertInvitation,
  trimOperatorInvitations,
  trimRecoveryLinks,
} from '../../store/people/invitations.ts'
import { findPersonByEmail, hasOperators, listMemberships, lockPerson } from '../../store/people/people.ts'
import { lockService } from '../../store/service/service.ts'
import { lockWorkspace } from '../../store/workspaces/workspaces.ts'
import { type Caller, type Ports, THE_SERVICE } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import { isStillAuthorized } from './access.ts'

export interface IssuedLink extends Invitation {
  /** Not stored; shown or mailed once. */
  secret: string
}

interface LinkContext {
  ports: Ports
  caller: Caller
  isMailed: boolean
}

async function makeLink(tx: Tx, { ports, caller, isMailed }: LinkContext, purpose: Purpose): Promise<IssuedLink> {
  const now = ports.clock.now()
  const secret = formatLinkSecret(ports.random.bytes(SIGN_IN_BYTES))
  const invitation: Invitation = {
    id: ports.ids.next(),
    purpose,
    isMailed,
    madeBy: actorName(caller.actor),
    createdAt: now,
    expiresAt: linkEnd(purpose.kind, now),
  }
  await insertInvitation(tx, { ...invitation, hash: hashSecret(secret) })
  return { ...invitation, secret }
}

export function inviteMember(
  ports: Ports,
  caller: Caller,
  {
    workspaceId,
    email,
    role,
    isMailed,
  }: { workspaceId: string; email: string; role: WorkspaceRole; isMailed: boolean },
): Promise<IssuedLink | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    if (!(await lockWorkspace(tx, { id: workspaceId, within: onlyWorkspace(caller.actor) }))) return refuse('not_found')
    if (!(await isStillAuthorized(tx, caller.actor))) return refuse('not_found')
    // The new link replaces earlier ones to this address.
    await deleteInvitationsTo(tx, { workspaceId, email })
    const waiting = await countInvitations(tx, { workspaceId, now: ports.clock.now() })
    if (waiting >= MAX_INVITATIONS)
      return refuse('conflict', {
        error: `There are already ${MAX_INVITATIONS} pending invitations; revoke one first`,
      })
    const link = await makeLink(tx, { ports, caller, isMailed }, { kind: 'member', email, workspaceId, role })
    const details = { email, role }
    await recordChange(tx, { ports, caller, workspaceId, action: 'invitation.created', subject: link.id, details })
    return link
  })
}

export function inviteOperator(
  ports: Ports,
  caller: Caller,
  { email, isMailed }: { email: string | null; isMailed: boolean },
): Promise<IssuedLink | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    await lockService(tx)
    if (!(await isStillAuthorized(tx, caller.actor))) return refuse('not_found')
    const waiting = await countInvitations(tx, { workspaceId: null, now: ports.clock.now() })
    if (waiting >= MAX_OPERATOR_INVITATIONS)
      return refuse('conflict', {
        error: `There are already ${MAX_OPERATOR_INVITATIONS} pending invitations; revoke one first`,
      })
    const link = await makeLink(tx, { ports, caller, isMailed }, { kind: 'operator', email })
    const change = { action: 'operator.invited', subject: link.id, details: { email } }
    await recordChange(tx, { ports, caller, workspaceId: null, ...change })
    return link
  })
}

/** Created at start until there is an operator. */
export function inviteFirstOperator(ports: Ports): Promise<IssuedLink | null> {
  return ports.db.transaction(async (tx) => {
    await lockService(tx)
    if (await hasOperators(tx)) return null
    // Every start creates one.
    await trimOperatorInvitations(tx, MAX_OPERATOR_INVITATIONS / 2)
    return makeLink(tx, { ports, caller: THE_SERVICE, isMailed: false }, { kind: 'operator', email: null })
  })
}

/** `workspaceId` null: an invitation of an operator. */
export function revokeInvitation(
  ports: Ports,
  caller: Caller,
  { id, workspaceId }: { id: string; workspaceId: string | null },
): Promise<Refusal | null> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const own = onlyWorkspace(caller.actor)
    if (own !== null && own !== workspaceId) return refuse('not_found')
    if (!(await deleteInvitation(tx, { id, workspaceId }))) return refuse('not_found')
    await recordChange(tx, { ports, caller, workspaceId, action: 'invitation.revoked', subject: id })
    return null
  })
}

/** Null if the person does not exist; the caller must not reveal it. */
export function recoverByMail(ports: Ports, email: string): Promise<IssuedLink | null> {
  return ports.db.transaction(async (tx) => {
    const found = await findPersonByEmail(tx, email)
    const person = found && (await lockPerson(tx, found.id))
    if (!person?.hasAccess) return null
    // Limits the mails that strangers can cause.
    if ((await countRecoveries(tx, { personId: person.id, now: ports.clock.now() })) >= MAX_RECOVERIES) return null
    const purpose: Purpose = { kind: 'recovery', email: person.email, personId: person.id }
    const link = await makeLink(tx, { ports, caller: THE_SERVICE, isMailed: true }, purpose)
    const change = { action: 'person.recovery_started', subject: person.id }
    await recordChange(tx, { ports, caller: THE_SERVICE, workspaceId: null, ...change })
    return link
  })
}

/** `workspaceId`: the person is recovered as a member of this workspace. */
export function recoverPerson(
  ports: Ports,
  caller: Caller,
  { personId, workspaceId, isMailed }: { personId: string; workspaceId: string | null; isMailed: boolean },
): Promise<IssuedLink | Refusal> {
  const within = onlyWorkspace(caller.actor)
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    if (!(await isStillAuthorized(tx, caller.actor))) return refuse('not_found')
    const person = await lockPerson(tx, personId)
    const workspaceIds = (await listMemberships(tx, personId)).map((it) => it.workspaceId)
    const isThere = workspaceId === null || workspaceIds.includes(workspaceId)
    if (!person?.hasAccess || !isThere || (within !== null && within !== workspaceId)) return refuse('not_found')
    const by = { isOperator: within === null, workspaceId: within }
    if (!canRecover(by, { isOperator: person.isOperator, workspaceIds }, isMailed))
      return refuse('conflict', { error: 'This person has other roles, too; only the operator can create this link' })
    const purpose: Purpose = { kind: 'recovery', email: person.email, personId }
    const link = await makeLink(tx, { ports, caller, isMailed }, purpose)
    await trimRecoveryLinks(tx, { personId, most: MAX_RECOVERIES })
    await recordChange(tx, { ports, caller, workspaceId, action: 'person.recovery_started', subject: personId })
    return link
  })
}
