// Changes the name, language and e-mail address of a person. A mailed link verifies a new address (D70).
import type { Language } from '../../domain/language.ts'
import {
  checkEmailLinkLimit,
  checkEmailLinkUse,
  EMAIL_LINK_SECONDS,
  emailLinkEnd,
  getEmailChangePolicy,
  OPERATOR_REQUIRED,
} from '../../domain/people/email-link.ts'
import { LINK_EXPIRED } from '../../domain/people/invitation.ts'
import { isRecentlyAuthenticated } from '../../domain/people/session.ts'
import { Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { formatLinkSecret, hashSecret, SIGN_IN_BYTES } from '../../domain/workspaces/api-key.ts'
import { brokenConstraint, type Tx } from '../../store/database/db.ts'
import {
  closeEmailLink,
  closeEmailLinks,
  type EmailLink,
  findEmailLinkByHash,
  findOpenEmailLink,
  insertEmailLink,
  loadRecentEmailLinks,
  lockEmailLinksTo,
} from '../../store/people/email-links.ts'
import { deleteRecoveryLinks } from '../../store/people/invitations.ts'
import {
  findPersonByEmail,
  lockPerson,
  type Person,
  setEmailVerified,
  updatePerson,
} from '../../store/people/people.ts'
import type { PersonSession } from '../../store/people/sessions.ts'
import type { Caller, Ports } from '../ports.ts'
import { differences, recordChange } from '../record-change.ts'
import { isStillAuthorized } from './access.ts'

export interface AccountChange {
  email?: string | undefined
  name?: string | undefined
  language?: Language | null | undefined
}

export interface EmailLinkWithSecret extends EmailLink {
  secret: string
  /** Another person has the address: the mail then contains no link. */
  isTaken: boolean
}

export interface ChangedAccount {
  person: Person
  pendingEmail: string | null
  /** The link to mail to the new address. */
  link: EmailLinkWithSecret | null
}

interface ChangeContext {
  ports: Ports
  caller: Caller
}

export function changeAccount(
  ports: Ports,
  caller: Caller,
  { session, change, hasMail }: { session: PersonSession; change: AccountChange; hasMail: boolean },
): Promise<ChangedAccount | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const before = await lockPerson(tx, session.personId)
    if (!before) return refuse('not_found')
    const { email = before.email, name = before.name, language = before.language } = change
    let link: EmailLinkWithSecret | null = null
    const policy = getEmailChangePolicy(before, hasMail)
    if (email !== before.email) {
      // A new address allows account takeover, so a recent sign-in is required.
      if (!isRecentlyAuthenticated(session, ports.clock.now())) return refuse('sign_in_again')
      if (policy === 'by_operator') return OPERATOR_REQUIRED
      if (policy === 'by_link') {
        const made = await makeEmailLink(tx, { ports, caller, person: before, email })
        if (made instanceof Refusal) return made
        link = made
      }
    }
    const after = { ...before, name, language, email: policy === 'at_once' ? email : before.email }
    const person = await storePerson(tx, { ports, caller, before, after })
    if (person instanceof Refusal) return person
    const pending = await findOpenEmailLink(tx, { personId: person.id, now: ports.clock.now() })
    return { person, pendingEmail: pending?.email ?? null, link }
  })
}

async function storePerson(
  tx: Tx,
  { ports, caller, before, after }: ChangeContext & { before: Person; after: Person },
): Promise<Person | Refusal> {
  const details = differences(before, after)
  if (Object.keys(details).length === 0) return before
  if (!(await updatePerson(tx, after))) return refuseField('email', 'This e-mail address is already in use')
  if (after.email !== before.email) {
    // Revokes links mailed to the old address or to another pending address.
    await deleteRecoveryLinks(tx, before.id)
    await closeEmailLinks(tx, before.id)
  }
  await recordChange(tx, { ports, caller, workspaceId: null, action: 'person.changed', subject: before.id, details })
  return after
}

/** Runs the same queries whether or not the address is in use, so the response does not reveal accounts (D70). */
async function makeEmailLink(
  tx: Tx,
  { ports, caller, person, email }: ChangeContext & { person: Person; email: string },
): Promise<EmailLinkWithSecret | Refusal> {
  const now = ports.clock.now()
  await lockEmailLinksTo(tx, email)
  const since = new Date(now.getTime() - EMAIL_LINK_SECONDS * 1000)
  const refusal = checkEmailLinkLimit(await loadRecentEmailLinks(tx, { personId: person.id, email, since }), now)
  if (refusal) return refusal
  const isTaken = (await findPersonByEmail(tx, email)) !== null
  const secret = formatLinkSecret(ports.random.bytes(SIGN_IN_BYTES))
  const link = { id: ports.ids.next(), personId: person.id, email, createdAt: now, expiresAt: emailLinkEnd(now) }
  await closeEmailLinks(tx, person.id)
  await insertEmailLink(tx, { ...link, hash: hashSecret(secret) })
  const change = { action: 'person.email_change_started', subject: person.id, details: { email } }
  await recordChange(tx, { ports, caller, workspaceId: null, ...change })
  return { ...link, secret, isTaken }
}

/** Closes a link whose mail could not be sent. The link still counts towards the limit. */
export function dropEmailLink(ports: Ports, { id }: EmailLink): Promise<void> {
  return ports.db.transaction((tx) => closeEmailLink(tx, id))
}

export interface ChangedEmail {
  /** A mail about the change goes to the old address. */
  oldEmail: string
  person: Person
}

const TAKEN = refuse('conflict', { error: 'This e-mail address is already in use' })

export function findEmailLink({ db, clock }: Ports, secret: string): Promise<EmailLink | null> {
  return findEmailLinkByHash(db, { hash: hashSecret(secret), now: clock.now() })
}

/** The response reveals whether the address is in use, only to its owner. */
export async function useEmailLink(
  ports: Ports,
  caller: Caller | null,
  { link, secret, session }: { link: EmailLink; secret: string; session: PersonSession | null },
): Promise<ChangedEmail | Refusal> {
  const now = ports.clock.now()
  const refusal = checkEmailLinkUse(
    link,
    session && { ...session, isRecentlyAuthenticated: isRecentlyAuthenticated(session, now) },
  )
  if (refusal) return refusal
  if (!caller) return refuse('unauthorized')
  return refuseDuplicateEmail(() =>
    ports.managementDb(caller.actor).transaction(async (tx) => {
      const before = await lockPerson(tx, link.personId)
      // The link may have been used or replaced before the lock.
      const isOpen = (await findEmailLinkByHash(tx, { hash: hashSecret(secret), now })) !== null
      if (!before?.hasAccess || !isOpen) return LINK_EXPIRED
      const person = await storePerson(tx, { ports, caller, before, after: { ...before, email: link.email } })
      if (person instanceof Refusal) return TAKEN
      await setEmailVerified(tx, { id: person.id, at: now })
      return { oldEmail: before.email, person }
    }),
  )
}

/** Operators change the address if the person cannot use the old address or the service sends no mail. */
export function changeEmailAsOperator(
  ports: Ports,
  caller: Caller,
  { personId, email }: { personId: string; email: string },
): Promise<ChangedEmail | Refusal> {
  return refuseDuplicateEmail(() =>
    ports.managementDb(caller.actor).transaction(async (tx) => {
      if (!(await isStillAuthorized(tx, caller.actor))) return refuse('not_found')
      const before = await lockPerson(tx, personId)
      if (!before?.hasAccess) return refuse('not_found')
      const person = await storePerson(tx, { ports, caller, before, after: { ...before, email } })
      return person instanceof Refusal ? person : { oldEmail: before.email, person }
    }),
  )
}

/** Another person may take the address concurrently. */
async function refuseDuplicateEmail<Result>(change: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await change()
  } catch (error) {
    if (brokenConstraint(error) === 'person_email_key') return TAKEN
    throw error
  }
}
