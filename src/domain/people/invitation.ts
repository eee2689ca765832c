// Links that work once: what each is for, for how long, and what whoever has it must bring along.

import { type Refusal, refuse, refuseField } from '../refusals.ts'
import type { WorkspaceRole } from './permission.ts'

export const LINK_HOURS = { operator: 1, member: 7 * 24, recovery: 1 } as const
type LinkKind = keyof typeof LINK_HOURS

/** As who made it is written where somebody asked for a new password without being signed in. */
const SELF_SERVICE = 'service'

/** Of a workspace, of the service, of one person. */
export const MOST_INVITATIONS = 50
export const MOST_OPERATOR_INVITATIONS = 20
export const MOST_RECOVERIES = 5

export type Purpose =
  | { kind: 'operator'; email: string | null }
  | { kind: 'member'; email: string; workspaceId: string; role: WorkspaceRole }
  | { kind: 'recovery'; email: string; personId: string }

export function linkEnd(kind: LinkKind, now: Date): Date {
  return new Date(now.getTime() + LINK_HOURS[kind] * 3_600_000)
}

/** One that was used, taken back or is too old is as one that never was. */
export const SPENT = refuse('not_found', { error: 'This link was used before, or its time is over; ask for another' })

/** Who is there under the address that a link is for. */
interface KnownPerson {
  id: string
  /** An operator, or member of some workspace. */
  hasAccess: boolean
}

/** What whoever uses a link has to bring: as whom they are known from then on, or a proof that they are that person. */
export type JudgedEntry =
  | { as: 'new'; id: string | null; email: string; name: string; password: string | null }
  | { as: 'known'; id: string; proof: 'none' | { password: string } }
  | { as: 'recovered'; id: string; password: string }

export interface Brought {
  email: string | null
  name: string | null
  password: string | null
  /** Who is signed in already where the link is opened. */
  signedIn: string | null
}

/** The first operator need not say anything: a stranger sees the console within seconds, and says it later. */
export const NOBODY_YET = { email: 'operator@localhost', name: 'Operator' }

export function needsOf(purpose: Purpose, known: KnownPerson | null, signedIn: string | null) {
  if (purpose.kind === 'operator' && purpose.email === null) return 'nothing'
  if (purpose.kind === 'recovery') return 'new_password'
  // Whether the address has an account is not told: who made the link may look at it.
  return known?.hasAccess && known.id === signedIn ? 'nothing' : 'password'
}

const NO_PASSWORD = refuseField('password', 'Enter your password, or choose one if you have no account here')

/**
 * Where somebody with that address belongs to the service already, a link alone makes nobody that person: whoever made it may have
 * kept it, and would otherwise see all that this person may see elsewhere.
 */
export function judgeEntry(purpose: Purpose, known: KnownPerson | null, brought: Brought): JudgedEntry | Refusal {
  const { password } = brought
  if (purpose.kind === 'recovery') {
    if (password === null) return refuseField('password', 'Choose a new password')
    return { as: 'recovered', id: purpose.personId, password }
  }
  if (known?.hasAccess) {
    if (purpose.email === null)
      return refuse('conflict', { error: 'Somebody with this e-mail address is here already' })
    if (brought.signedIn === known.id) return { as: 'known', id: known.id, proof: 'none' }
    if (password === null) return NO_PASSWORD
    return { as: 'known', id: known.id, proof: { password } }
  }
  const isOpen = purpose.kind === 'operator' && purpose.email === null
  if (password === null && !isOpen) return NO_PASSWORD
  const email = purpose.email ?? brought.email ?? NOBODY_YET.email
  const name = brought.name ?? (isOpen ? NOBODY_YET.name : (email.split('@')[0] ?? email))
  return { as: 'new', id: known?.id ?? null, email, name, password }
}

/**
 * Who makes a link to a new password could use it. So an owner makes one only for who belongs to that workspace alone, or where it is
 * mailed and not shown.
 */
export function mayRecover(
  by: { isOperator: boolean; workspaceId: string | null },
  person: { isOperator: boolean; workspaceIds: readonly string[] },
  isMailed: boolean,
): boolean {
  if (by.isOperator || isMailed) return true
  return !person.isOperator && person.workspaceIds.every((id) => id === by.workspaceId)
}

/** Whether a link to a new password takes a second factor away: where who made it could have been shown it, mailed or not. */
export function endsSecondFactors(
  madeBy: string,
  person: { isOperator: boolean; workspaceIds: readonly string[] },
): boolean {
  const [role] = madeBy.split(':')
  if (role === 'operator') return true
  return role !== SELF_SERVICE && !person.isOperator && person.workspaceIds.length === 1
}
