// Single-use links: their purpose, their lifetime, and what is required to use them.
import { HOUR_MS } from '../durations.ts'
import { type Refusal, refuse, refuseField } from '../refusals.ts'
import type { WorkspaceRole } from './permission.ts'

export const LINK_HOURS = { operator: 1, member: 7 * 24, recovery: 1 } as const
type LinkKind = keyof typeof LINK_HOURS

/** The creator of a link that a person requested without being signed in. */
const SELF_SERVICE = 'service'

/** Per workspace, for the service, and per person. */
export const MAX_INVITATIONS = 50
export const MAX_OPERATOR_INVITATIONS = 20
export const MAX_RECOVERIES = 5

export type Purpose =
  | { kind: 'operator'; email: string | null }
  | { kind: 'member'; email: string; workspaceId: string; role: WorkspaceRole }
  | { kind: 'recovery'; email: string; personId: string }

export function linkEnd(kind: LinkKind, now: Date): Date {
  return new Date(now.getTime() + LINK_HOURS[kind] * HOUR_MS)
}

/** A used, revoked or expired link gets the same response as one that never existed. */
export const LINK_EXPIRED = refuse('not_found', {
  error: 'This link was already used or has expired; request a new one',
})

/** The person with the address that a link is for. */
interface KnownPerson {
  id: string
  /** An operator, or a member of a workspace. */
  hasAccess: boolean
}

/** Who the person is after using a link, and the required proof. */
export type LinkEntry =
  | { as: 'new'; id: string | null; email: string; name: string; password: string | null }
  | { as: 'known'; id: string; proof: 'none' | { password: string } }
  | { as: 'recovered'; id: string; password: string }

export interface LinkInput {
  email: string | null
  name: string | null
  password: string | null
  /** The person who is signed in where the link is opened. */
  signedIn: string | null
}

/** The first operator need not enter anything, so that a new user sees the console within seconds. */
export const FIRST_OPERATOR = { email: 'operator@localhost', name: 'Operator' }

export function requirementOf(purpose: Purpose, known: KnownPerson | null, signedIn: string | null) {
  if (purpose.kind === 'operator' && purpose.email === null) return 'nothing'
  if (purpose.kind === 'recovery') return 'new_password'
  // The page does not reveal whether the address has an account, because the creator of the link may open it.
  return known?.hasAccess && known.id === signedIn ? 'nothing' : 'password'
}

const NO_PASSWORD = refuseField('password', 'Enter your password, or choose one if you have no account here')

/**
 * If the address belongs to a known person, the link alone does not sign in as that person: the creator of the link may have kept it, and could
 * then see everything that this person may see elsewhere.
 */
export function checkLinkEntry(purpose: Purpose, known: KnownPerson | null, brought: LinkInput): LinkEntry | Refusal {
  const { password } = brought
  if (purpose.kind === 'recovery') {
    if (password === null) return refuseField('password', 'Choose a new password')
    return { as: 'recovered', id: purpose.personId, password }
  }
  if (known?.hasAccess) {
    if (purpose.email === null) return refuse('conflict', { error: 'This e-mail address already has an account' })
    if (brought.signedIn === known.id) return { as: 'known', id: known.id, proof: 'none' }
    if (password === null) return NO_PASSWORD
    return { as: 'known', id: known.id, proof: { password } }
  }
  const isOpen = purpose.kind === 'operator' && purpose.email === null
  if (password === null && !isOpen) return NO_PASSWORD
  const email = purpose.email ?? brought.email ?? FIRST_OPERATOR.email
  const name = brought.name ?? (isOpen ? FIRST_OPERATOR.name : (email.split('@')[0] ?? email))
  return { as: 'new', id: known?.id ?? null, email, name, password }
}

/**
 * The creator of a password link could use it. An owner may therefore create one only for a person who belongs to that workspace alone, or if
 * the link is mailed and not shown.
 */
export function canRecover(
  by: { isOperator: boolean; workspaceId: string | null },
  person: { isOperator: boolean; workspaceIds: readonly string[] },
  isMailed: boolean,
): boolean {
  if (by.isOperator || isMailed) return true
  return !person.isOperator && person.workspaceIds.every((id) => id === by.workspaceId)
}

/** Whether a password link also removes second factors: only if its creator could have seen it, mailed or not. */
export function removesSecondFactors(
  madeBy: string,
  person: { isOperator: boolean; workspaceIds: readonly string[] },
): boolean {
  const [role] = madeBy.split(':')
  if (role === 'operator') return true
  return role !== SELF_SERVICE && !person.isOperator && person.workspaceIds.length === 1
}
