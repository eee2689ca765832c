// Who manages: the operator may do all, who belongs to a workspace what its role there allows, the service what falls due.
// Each comes as a person who signed in, or as a program with a token.
import type { Role, WorkspaceRole } from './permission.ts'

/** By which somebody is known. The operator's first token, which stands in the settings, is neither. */
interface Known {
  tokenId?: string
  /** The person to whom the token belongs (D67). */
  tokenOwnerId?: string
  personId?: string
}

export type Actor =
  | ({ kind: 'operator' } & Known)
  | ({ kind: WorkspaceRole; workspaceId: string } & Known)
  | { kind: 'service' }

/** Somebody who asks over the management API; what it is called is its role. */
export type Manager = Exclude<Actor, { kind: 'service' }>

/** The only workspace an actor may name, or null when any. Every query about workspaces is narrowed by it. */
export function onlyWorkspace(actor: Actor): string | null {
  return 'workspaceId' in actor ? actor.workspaceId : null
}

/** The person who acts, directly or through a token; null for the operator token of the settings and for the service. */
export function personBehind(actor: Actor): string | null {
  return actor.kind === 'service' ? null : (actor.personId ?? actor.tokenOwnerId ?? null)
}

/** As the audit log writes it: the role, and the id of the person or token. */
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
  /** Where the person belongs of what was asked for, and otherwise. */
  asked: Place | null
  home: Place | null
}
interface Place {
  workspaceId: string
  role: WorkspaceRole
}

/** As whom a person acts: who operates the service stays operator in every workspace, who belongs nowhere is nobody. */
export function actorOf({ personId, isOperator, asked, home }: SignedIn): Manager | null {
  if (isOperator) return { kind: 'operator', personId }
  const place = asked ?? home
  return place && { kind: place.role, workspaceId: place.workspaceId, personId }
}
