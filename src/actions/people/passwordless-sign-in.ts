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
import { callerAs, type IssuedSession, refreshSignIn, type SignInOrigin, startSession } from './sessions.ts'

export const UNKNOWN_PASSKEY = refuse('unauthorized', { error: 'Unknown passkey' })

interface PasskeyUse {
  passkey: Passkey
  /** The signature counter of the authenticator. */
  counter: number
}

export function signInByPasskey(
  ports: Ports,
  { passkey, counter, from }: PasskeyUse & { from: SignInOrigin },
): Promise<IssuedSession | Refusal> {
  return ports.db.transaction(async (tx) => {
    const person = await lockPerson(tx, passkey.personId)
    if (!person?.hasAccess) return UNKNOWN_PASSKEY
    await touchPasskey(tx, { id: passkey.id, counter, now: ports.clock.now() })
    return startSession(tx, { ports, person, from, how: 'passkey' })
  })
}

export async function signInAgainByPasskey(
  ports: Ports,
  caller: Caller,
  { passkey, counter, session }: PasskeyUse & { session: PersonSession },
): Promise<Date | Refusal> {
  if (passkey.personId !== session.personId) return UNKNOWN_PASSKEY
  await ports
    .managementDb(caller.actor)
    .transaction((tx) => touchPasskey(tx, { id: passkey.id, counter, now: ports.clock.now() }))
  return refreshSignIn(ports, caller, session)
}

const NOT_INVITED = refuse('forbidden', { error: 'This e-mail address has no invitation' })

interface VerifiedIdentity {
  email: string
  name: string
  from: SignInOrigin
  /** The workspace that people without an invitation join as viewers; null: none. */
  newcomersTo: string | null
}

/** Accepts open invitations without their link, because the provider verified the address. */
export function signInByProvider(ports: Ports, identity: VerifiedIdentity): Promise<IssuedSession | Refusal> {
  const { from } = identity
  return ports.db.transaction(async (tx) => {
    const invitations = await lockInvitationsTo(tx, { email: identity.email, now: ports.clock.now() })
    const person = await admitIdentity(tx, { ports, identity, invitations })
    if (person instanceof Refusal) return person
    return startSession(tx, { ports, person, from, how: 'provider' })
  })
}

interface AdmissionInput {
  ports: Ports
  identity: VerifiedIdentity
  invitations: Invitation[]
}

async function admitIdentity(tx: Tx, { ports, identity, invitations }: AdmissionInput): Promise<Person | Refusal> {
  const { email, from, newcomersTo } = identity
  const now = ports.clock.now()
  const known = await findPersonByEmail(tx, email)
  const home = newcomersTo === null ? null : await findWorkspace(tx, { id: newcomersTo, within: null })
  const isNewcomer = !known?.hasAccess && invitations.length === 0
  if (isNewcomer && !home) return NOT_INVITED
  if (isNewcomer && home && (await checkSeatLimit(tx, { kind: 'member', workspaceId: home.id }))) return SEATS_TAKEN
  // An invitation without a free seat stays open.
  const open: Invitation[] = []
  for (const it of inOrderOfLocks(invitations)) if (!(await checkSeatLimit(tx, it.purpose))) open.push(it)
  if (!known?.hasAccess && !isNewcomer && open.length === 0) return SEATS_TAKEN
  const id = known?.id ?? ports.ids.next()
  if (known) await resetUnverified(tx, { ports, person: known })
  else {
    const name = identity.name.slice(0, 100) || (email.split('@')[0] ?? email)
    if (!(await insertPerson(tx, { id, email, name, passwordHash: null, verifiedAt: now, now })))
      return refuse('conflict')
  }
  await setEmailVerified(tx, { id, at: now })
  for (const invitation of open) await acceptInvitation(tx, { ports, invitation, personId: id })
  if (home && isNewcomer)
    await joinWorkspace(tx, { ports, caller: THE_SERVICE, personId: id, workspaceId: home.id, role: 'viewer' })
  const person = await findPerson(tx, id)
  if (!person) throw new Error('stored person not found')
  if (!known?.hasAccess) await recordJoins(tx, { ports, person, from })
  return person
}

/**
 * The account may have been created by another person with a link to that address. If the address was never verified, all earlier
 * sign-in methods are removed.
 */
async function resetUnverified(tx: Tx, { ports, person }: { ports: Ports; person: Person }): Promise<void> {
  const { id } = person
  await lockPerson(tx, id)
  if (person.emailVerifiedAt) return
  await setPassword(tx, { id, hash: null })
  await deleteSecondFactors(tx, id)
  await deleteSessions(tx, { personId: id, except: null })
  await closeEmailLinks(tx, id)
  await recordChange(tx, {
    ports,
    caller: THE_SERVICE,
    workspaceId: null,
    action: 'person.provider_linked',
    subject: id,
  })
}

async function recordJoins(
  tx: Tx,
  { ports, person, from }: { ports: Ports; person: Person; from: SignInOrigin },
): Promise<void> {
  const caller = await callerAs(tx, person, from)
  if (!caller) return
  const joined = { ports, caller, person }
  if (person.isOperator) await recordJoin(tx, joined, null)
  for (const membership of await listMemberships(tx, person.id)) await recordJoin(tx, joined, membership)
}
