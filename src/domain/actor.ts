// Who manages: the operator may do all, an owner what concerns its own workspace, the service what falls due.

export type Actor = { kind: 'operator' } | { kind: 'owner'; tokenId: string; workspaceId: string } | { kind: 'service' }

/** Somebody who asks over the management API; what it is called is its role. */
export type Manager = Exclude<Actor, { kind: 'service' }>

/** The only workspace an actor may name, or null when any. Every query about workspaces is narrowed by it. */
export function onlyWorkspace(actor: Actor): string | null {
  return 'workspaceId' in actor ? actor.workspaceId : null
}

export function actorName(actor: Actor): string {
  return actor.kind === 'owner' ? `owner:${actor.tokenId}` : actor.kind
}
