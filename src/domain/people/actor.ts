// The caller of the management API: an operator, a member of a workspace with a role, or the service itself. A caller is a person who signed in
// or a program with a token.
import type { Role, WorkspaceRole } from './permission.ts'

/** The identity of a caller. The operator token from the settings has neither a person nor a token id. */
interface CallerIdentity {
  tokenId?: string
  /** The person who owns the token (D67). */
  tokenOwnerId?: string
  personId?: string
}

export type Actor =
  | ({ kind: 'operator' } & CallerIdentity)
  | ({ kind: WorkspaceRole; workspaceId: string } & CallerIdentity)
  | { kind: 'service' }

/** A caller of the management API; its kind is its role. */
export type Manager = Exclude<Actor, { kind: 'service' }>

/** The only workspace that an actor may access, or null for any. Every query about workspaces is limited by it. */
export function onlyWorkspace(actor: Actor): string | null {
  return 'workspaceId' in actor ? actor.workspaceId : null
}

/** The person who acts, directly or through a token; null for the operator token from the settings and for the service. */
export function personBehind(actor: Actor): string | null {
  return actor.kind === 'service' ? null : (actor.personId ?? actor.tokenOwnerId ?? null)
}

/** The actor in the audit log: the role, and the id of the person or token. */
export function actorName(actor: Actor): string {
  if (actor.kind === 'service') return actor.kind
  const id = actor.personId ?? actor.tokenId
  return id === undefined ? actor.kind : namedActor(actor.kind, id)
}

export function namedActor(role: Role, id: string): string {
  return `${role}:${id}`
}

interface SignedIn {
  personId: string
  isOperator: boolean
  /** The membership in the requested workspace, and in any other one. */
  requested: Place | null
  home: Place | null
}
interface Place {
  workspaceId: string
  role: WorkspaceRole
}

/** An operator stays operator in every workspace. A person without a role is no actor. */
export function actorOf({ personId, isOperator, requested, home }: SignedIn): Manager | null {
  if (isOperator) return { kind: 'operator', personId }
  const place = requested ?? home
  return place && { kind: place.role, workspaceId: place.workspaceId, personId }
}
