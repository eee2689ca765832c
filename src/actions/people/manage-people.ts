// Changes and removes members and operators, and changes passwords.
import { throttleScope } from '../../domain/network.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import type { WorkspaceRole } from '../../domain/people/permission.ts'
import { checkPassword, LAST_OPERATOR, LAST_OWNER } from '../../domain/people/person.ts'
import { isRecentlyAuthenticated } from '../../domain/people/session.ts'
import { OVERLOADED, type Refusal, refuse } from '../../domain/refusals.ts'
import type { Tx } from '../../store/database/db.ts'
import { closeEmailLinks } from '../../store/people/email-links.ts'
import {
  deleteMembership,
  findPerson,
  listRoles,
  lockOperators,
  lockPerson,
  type Person,
  setOperator,
  setPassword,
  storeMembership,
} from '../../store/people/people.ts'
import { deleteSecondFactors, listPasskeys } from '../../store/people/second-factors.ts'
import { deleteSessions, type PersonSession } from '../../store/people/sessions.ts'
import { lockWorkspace } from '../../store/workspaces/workspaces.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import { endExcessAccess, isStillAuthorized } from './access.ts'

interface Seat {
  workspaceId: string
  personId: string
}

/** `role` null removes the member. */
export function changeMember(
  ports: Ports,
  caller: Caller,
  { workspaceId, personId, role }: Seat & { role: WorkspaceRole | null },
): Promise<Refusal | null> {
  const within = onlyWorkspace(caller.actor)
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    if (!(await lockWorkspace(tx, { id: workspaceId, within }))) return refuse('not_found')
    if (!(await isStillAuthorized(tx, caller.actor))) return refuse('not_found')
    const members = await listRoles(tx, workspaceId)
    const before = members.find((it) => it.personId === personId)?.role
    if (before === undefined) return refuse('not_found')
    if (before === role) return null
    const isLast = before === 'owner' && members.filter((it) => it.role === 'owner').length === 1
    if (isLast && within !== null) return LAST_OWNER
    if (role === null) await leave(tx, { personId, workspaceId })
    else await storeMembership(tx, { personId, workspaceId, role, now: ports.clock.now() })
    await endExcessAccess(tx, { ports, caller, personId, lost: { workspaceId, role: before } })
    const change =
      role === null
        ? { action: 'member.removed', details: { role: before } }
        : { action: 'member.changed', details: { role: { from: before, to: role } } }
    await recordChange(tx, { ports, caller, workspaceId, subject: personId, ...change })
    return null
  })
}

async function leave(tx: Tx, seat: Seat): Promise<void> {
  await deleteMembership(tx, seat)
  await revokeSignInWithoutRole(tx, seat.personId)
}

/** A person without any role keeps the name for the audit log, and loses all sign-in methods. */
async function revokeSignInWithoutRole(tx: Tx, id: string): Promise<void> {
  const person = await lockPerson(tx, id)
  if (!person || person.hasAccess) return
  await setPassword(tx, { id, hash: null })
  await deleteSecondFactors(tx, id)
  await deleteSessions(tx, { personId: id, except: null })
  await closeEmailLinks(tx, id)
}

export function removeOperator(ports: Ports, caller: Caller, personId: string): Promise<Refusal | null> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const operators = await lockOperators(tx)
    if (!operators.includes(personId)) return refuse('not_found')
    if (operators.length === 1) return LAST_OPERATOR
    await setOperator(tx, { id: personId, isOperator: false })
    await endExcessAccess(tx, { ports, caller, personId, lost: { workspaceId: null, role: 'operator' } })
    await revokeSignInWithoutRole(tx, personId)
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'operator.removed', subject: personId })
    return null
  })
}

/** Ends all other sessions. Requires a recent sign-in, except for a person without any sign-in method. */
export async function changePassword(
  ports: Ports,
  caller: Caller,
  { session, password }: { session: PersonSession; password: string },
): Promise<Refusal | null> {
  const person = await findPerson(ports.db, session.personId)
  if (!person) return refuse('not_found')
  if (!isRecentlyAuthenticated(session, ports.clock.now()) && (await canSignInAgain(ports, person)))
    return refuse('sign_in_again')
  const refusal = checkPassword(password, person)
  if (refusal) return refusal
  const place = throttleScope(caller.address ?? '')
  const hash = await ports.passwords.inTurn(place, () => ports.passwords.hash(password))
  if (hash === null) return OVERLOADED
  const { id } = person
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const now = await lockPerson(tx, id)
    // The password was changed concurrently.
    if (now?.passwordHash !== person.passwordHash) return refuse('conflict')
    await setPassword(tx, { id, hash })
    await deleteSessions(tx, { personId: id, except: session.id })
    // A person with the old password may have requested them (D70).
    await closeEmailLinks(tx, id)
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'person.password_changed', subject: id })
    return null
  })
}

/** With a password, a passkey, or a provider that verified the address. */
async function canSignInAgain({ db }: Ports, { id, passwordHash, emailVerifiedAt }: Person): Promise<boolean> {
  return passwordHash !== null || emailVerifiedAt !== null || (await listPasskeys(db, id)).length > 0
}
