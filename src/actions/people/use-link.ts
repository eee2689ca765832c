// Shows and uses single-use links. Using a link signs the person in.
import { throttleScope } from '../../domain/network.ts'
import {
  checkLinkEntry,
  FIRST_OPERATOR,
  LINK_EXPIRED,
  type LinkEntry,
  type LinkInput,
  type Purpose,
  removesSecondFactors,
  requirementOf,
} from '../../domain/people/invitation.ts'
import { checkPassword, MAX_MEMBERSHIPS } from '../../domain/people/person.ts'
import { OVERLOADED, Refusal, refuse } from '../../domain/refusals.ts'
import { hashSecret } from '../../domain/workspaces/api-key.ts'
import type { Queries, Tx } from '../../store/database/db.ts'
import { closeEmailLinks } from '../../store/people/email-links.ts'
import {
  deleteInvitation,
  findInvitationByHash,
  type Invitation,
  lockInvitation,
} from '../../store/people/invitations.ts'
import {
  findPerson,
  findPersonByEmail,
  insertPerson,
  listMemberships,
  lockPerson,
  type Person,
  setEmailVerified,
  setPassword,
  updatePerson,
} from '../../store/people/people.ts'
import { deletePasskeys, deleteSecondFactors, findTotp } from '../../store/people/second-factors.ts'
import { deleteSessions } from '../../store/people/sessions.ts'
import { findWorkspace } from '../../store/workspaces/workspaces.ts'
import type { Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import { acceptInvitation, recordJoin } from './accept-invitation.ts'
import { checkSeatLimit, SEATS_TAKEN } from './seat-limit.ts'
import { isCodeRight } from './second-factors.ts'
import { callerAs, type IssuedSession, type SignInOrigin, startSession } from './sessions.ts'
import { hasPassword, verifyProof } from './sign-in.ts'

export interface LinkDetails {
  invitation: Invitation
  workspaceName: string | null
  needs: ReturnType<typeof requirementOf>
}

export async function getLink(
  ports: Ports,
  { secret, signedIn }: Pick<LinkInput, 'signedIn'> & { secret: string },
): Promise<LinkDetails | Refusal> {
  const invitation = await findLink(ports, secret)
  if (!invitation) return LINK_EXPIRED
  const { purpose } = invitation
  const known = await personFor(ports.db, purpose, null)
  const id = purpose.kind === 'member' ? purpose.workspaceId : null
  const workspace = id === null ? null : await findWorkspace(ports.db, { id, within: null })
  return { invitation, workspaceName: workspace?.name ?? null, needs: requirementOf(purpose, known, signedIn) }
}

export async function useLink(
  ports: Ports,
  { secret, from, ...brought }: LinkInput & { secret: string; from: SignInOrigin },
): Promise<IssuedSession | 'sign_in' | Refusal> {
  const invitation = await findLink(ports, secret)
  if (!invitation) return LINK_EXPIRED
  const { purpose } = invitation
  // Checked for existing accounts, too; otherwise a weak password would reveal whether the account exists.
  if (purpose.kind !== 'recovery' && purpose.email !== null && brought.password !== null) {
    const refusal = checkPassword(brought.password, { email: purpose.email, name: '' })
    if (refusal) return refusal
  }
  const known = await personFor(ports.db, purpose, brought.email)
  const entry = checkLinkEntry(purpose, known, brought)
  if (entry instanceof Refusal) return entry
  const passwordHash = await prove(ports, { entry, known, from })
  if (passwordHash instanceof Refusal) return passwordHash
  return ports.db.transaction((tx) => enter(tx, { ports, invitation, entry, passwordHash, from }))
}

function findLink({ db, clock }: Ports, secret: string): Promise<Invitation | null> {
  return findInvitationByHash(db, { hash: hashSecret(secret), now: clock.now() })
}

function personFor(db: Queries, purpose: Purpose, brought: string | null): Promise<Person | null> {
  if (purpose.kind === 'recovery') return findPerson(db, purpose.personId)
  return findPersonByEmail(db, purpose.email ?? brought ?? FIRST_OPERATOR.email)
}

/** Verifies the person, and returns the hash of a new password or null. */
async function prove(
  ports: Ports,
  { entry, known, from }: { entry: LinkEntry; known: Person | null; from: SignInOrigin },
): Promise<string | null | Refusal> {
  if (entry.as === 'known') {
    const { proof } = entry
    if (proof === 'none' || !known) return null
    const result = await verifyProof(ports, { email: known.email, person: known, from }, async () =>
      (await hasPassword(ports, known, proof.password)) ? 'right' : 'wrong',
    )
    if (result instanceof Refusal) return result
    return (await isCodeRight(ports, known.id, null)) === false ? SIGN_IN_FIRST : null
  }
  const { password } = entry
  if (password === null) return null
  const refusal = checkPassword(
    password,
    entry.as === 'new' ? entry : { email: known?.email ?? '', name: known?.name ?? '' },
  )
  if (refusal) return refusal
  const hash = await ports.passwords.inTurn(throttleScope(from.address), () => ports.passwords.hash(password))
  return hash ?? OVERLOADED
}

const SIGN_IN_FIRST = refuse('conflict', { error: 'Sign in with your code first, then open the link again' })

interface EntryInput {
  ports: Ports
  invitation: Invitation
  entry: LinkEntry
  passwordHash: string | null
  from: SignInOrigin
}

/** All refusals come before the first write. */
async function enter(
  tx: Tx,
  { ports, invitation, entry, passwordHash, from }: EntryInput,
): Promise<IssuedSession | 'sign_in' | Refusal> {
  const { purpose } = invitation
  const full = await checkSeatLimit(tx, purpose)
  if (full) return full
  if (!(await lockInvitation(tx, invitation.id))) return LINK_EXPIRED
  const now = ports.clock.now()
  const verifiedAt = invitation.isMailed ? now : null
  const id = await upsertPerson(tx, { ports, entry, passwordHash, verifiedAt })
  if (id instanceof Refusal) return id
  const before = await personOf(tx, id)
  // A password chosen by a link that was not mailed does not verify the address, and ends an earlier verification.
  if (verifiedAt || entry.as !== 'known') await setEmailVerified(tx, { id, at: verifiedAt })
  if (purpose.kind !== 'recovery') await acceptInvitation(tx, { ports, invitation, personId: id })
  else {
    await deleteInvitation(tx, { id: invitation.id })
    await deleteSessions(tx, { personId: id, except: null })
    await closeEmailLinks(tx, id)
    // Only a link by a person with the right to do so removes second factors; a mailed link alone does not.
    const workspaceIds = (await listMemberships(tx, id)).map((it) => it.workspaceId)
    if (removesSecondFactors(invitation.madeBy, { isOperator: before.isOperator, workspaceIds }))
      await deleteSecondFactors(tx, id)
    // The earlier user of the account had not verified the address.
    else if (!before.emailVerifiedAt) await deletePasskeys(tx, id)
  }
  const person = await personOf(tx, id)
  await recordUse(tx, { ports, purpose, person, from })
  if ((await findTotp(tx, id))?.confirmedAt && entry.as === 'recovered') return 'sign_in'
  return startSession(tx, { ports, person, from, how: 'link' })
}

async function personOf(tx: Tx, id: string): Promise<Person> {
  const person = await findPerson(tx, id)
  if (!person) throw new Error('stored person not found')
  return person
}

const TAKEN = refuse('conflict', { error: 'This e-mail address already has an account' })

/** Creates or updates the person and returns the id. A refusal writes nothing. */
async function upsertPerson(
  tx: Tx,
  {
    ports,
    entry,
    passwordHash,
    verifiedAt,
  }: Pick<EntryInput, 'ports' | 'entry' | 'passwordHash'> & { verifiedAt: Date | null },
): Promise<string | Refusal> {
  if (entry.as === 'new' && entry.id === null) {
    const id = ports.ids.next()
    const { email, name } = entry
    return (await insertPerson(tx, { id, email, name, passwordHash, verifiedAt, now: ports.clock.now() })) ? id : TAKEN
  }
  const id = entry.id as string
  const person = await lockPerson(tx, id)
  // The person may have joined otherwise or been removed meanwhile.
  if (person?.hasAccess !== (entry.as !== 'new')) return LINK_EXPIRED
  if (entry.as === 'known') return (await listMemberships(tx, id)).length < MAX_MEMBERSHIPS ? id : SEATS_TAKEN
  if (entry.as === 'new') await updatePerson(tx, { ...person, name: entry.name })
  await setPassword(tx, { id, hash: passwordHash })
  return id
}

async function recordUse(
  tx: Tx,
  { ports, purpose, person, from }: Pick<EntryInput, 'ports' | 'from'> & { purpose: Purpose; person: Person },
): Promise<void> {
  const caller = await callerAs(tx, person, from)
  if (!caller) return
  if (purpose.kind === 'recovery')
    await recordChange(tx, { ports, caller, subject: person.id, workspaceId: null, action: 'person.recovered' })
  else await recordJoin(tx, { ports, caller, person }, purpose.kind === 'member' ? purpose : null)
}
