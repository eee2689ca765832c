// Passwordless sign-in: with a passkey, or with a provider that verifies the e-mail address.
import { Refusal, refuse } from '../../domain/refusals.ts'
import type { Tx } from '../../store/database/db.ts'
import { closeEmailLinks } from '../../store/people/email-links.ts'
import { type Invitation, lockInvitationsTo } from '../../store/people/invitations.ts'
import {
  findPerson,
  findPersonByEmail,
  insertPerson,
  listMemberships,
  lockPerson,
  type Person,
  setEmailVerified,
  setPassword,
} from '../../store/people/people.ts'
import { deleteSecondFactors, type Passkey, touchPasskey } from '../../store/people/second-factors.ts'
import { deleteSessions, type PersonSession } from '../../store/people/sessions.ts'
import { findWorkspace } from '../../store/workspaces/workspaces.ts'
import { type Caller, type Ports, THE_SERVICE } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import { acceptInvitation, recordJoin } from './accept-invitation.ts'
import { joinWorkspace } from './access.ts'
import { checkSeatLimit, inOrderOfLocks, SEATS_TAKEN } from './seat-limit.ts'
import { callerAs, type From, freshen, startSession, type Tickets } from './sessions.ts'

export const NOT_KNOWN = refuse('unauthorized', { error: 'This passkey is not known here' })

interface Used {
  passkey: Passkey
  /** As it says itself. */
  counter: number
}

export function signInByPasskey(
  ports: Ports,
  { passkey, counter, from }: Used & { from: From },
): Promise<Tickets | Refusal> {
  return ports.db.transaction(async (tx) => {
    const person = await lockPerson(tx, passkey.personId)
    if (!person?.belongs) return NOT_KNOWN
    await touchPasskey(tx, { id: passkey.id, counter, now: ports.clock.now() })
    return startSession(tx, { ports, person, from, how: 'passkey' })
  })
}

export async function signInAgainByPasskey(
  ports: Ports,
  caller: Caller,
  { passkey, counter, session }: Used & { session: PersonSession },
): Promise<Date | Refusal> {
  if (passkey.personId !== session.personId) return NOT_KNOWN
  await ports
    .managementDb(caller.actor)
    .transaction((tx) => touchPasskey(tx, { id: passkey.id, counter, now: ports.clock.now() }))
  return freshen(ports, caller, session)
}

const NOT_INVITED = refuse('forbidden', { error: 'Nobody has invited this e-mail address' })

interface VerifiedIdentity {
  email: string
  name: string
  from: From
  /** Where who was not invited comes in as a viewer; null: nowhere. */
  newcomersTo: string | null
}

/** Who was invited need not open the link: that the address is theirs is vouched for. */
export function signInByProvider(ports: Ports, identity: VerifiedIdentity): Promise<Tickets | Refusal> {
  const { from } = identity
  return ports.db.transaction(async (tx) => {
    const invitations = await lockInvitationsTo(tx, { email: identity.email, now: ports.clock.now() })
    const person = await letIn(tx, { ports, vouched: identity, invitations })
    if (person instanceof Refusal) return person
    return startSession(tx, { ports, person, from, how: 'provider' })
  })
}

interface LettingIn {
  ports: Ports
  vouched: VerifiedIdentity
  invitations: Invitation[]
}

async function letIn(tx: Tx, { ports, vouched, invitations }: LettingIn): Promise<Person | Refusal> {
  const { email, from, newcomersTo } = vouched
  const now = ports.clock.now()
  const known = await findPersonByEmail(tx, email)
  const home = newcomersTo === null ? null : await findWorkspace(tx, { id: newcomersTo, within: null })
  const isNewcomer = !known?.belongs && invitations.length === 0
  if (isNewcomer && !home) return NOT_INVITED
  if (isNewcomer && home && (await checkSeatLimit(tx, { kind: 'member', workspaceId: home.id }))) return SEATS_TAKEN
  // One for which there is no room stays until there is.
  const open: Invitation[] = []
  for (const it of inOrderOfLocks(invitations)) if (!(await checkSeatLimit(tx, it.purpose))) open.push(it)
  if (!known?.belongs && !isNewcomer && open.length === 0) return SEATS_TAKEN
  const id = known?.id ?? ports.ids.next()
  if (known) await trustAnew(tx, { ports, person: known })
  else {
    const name = vouched.name.slice(0, 100) || (email.split('@')[0] ?? email)
    if (!(await insertPerson(tx, { id, email, name, passwordHash: null, verifiedAt: now, now })))
      return refuse('conflict')
  }
  await setEmailVerified(tx, { id, at: now })
  for (const invitation of open) await acceptInvitation(tx, { ports, invitation, personId: id })
  if (home && isNewcomer)
    await joinWorkspace(tx, { ports, caller: THE_SERVICE, personId: id, workspaceId: home.id, role: 'viewer' })
  const person = await findPerson(tx, id)
  if (!person) throw new Error('somebody who was just stored is not there')
  if (!known?.belongs) await tellOf(tx, { ports, person, from })
  return person
}

/**
 * Whoever made the account may have been somebody else, who had a link to that address and chose a password. From now on it is
 * theirs for whom the provider vouches, and what was chosen before lets nobody in.
 */
async function trustAnew(tx: Tx, { ports, person }: { ports: Ports; person: Person }): Promise<void> {
  const { id } = person
  await lockPerson(tx, id)
  if (person.emailVerifiedAt) return
  await setPassword(tx, { id, hash: null })
  await deleteSecondFactors(tx, id)
  await deleteSessions(tx, { personId: id, except: null })
  await closeEmailLinks(tx, id)
  await recordChange(tx, { ports, caller: THE_SERVICE, workspaceId: null, action: 'person.vouched_for', subject: id })
}

async function tellOf(tx: Tx, { ports, person, from }: { ports: Ports; person: Person; from: From }): Promise<void> {
  const caller = await callerAs(tx, person, from)
  if (!caller) return
  const joined = { ports, caller, person }
  if (person.isOperator) await recordJoin(tx, joined, null)
  for (const membership of await listMemberships(tx, person.id)) await recordJoin(tx, joined, membership)
}
