// Who may do what over the management API. A route says for which roles it is and what it works on; who is none of them
// cannot even learn that it is there.

/** Every role there is, and how far it sees: all of the service, or a single workspace. */
const ROLES = {
  operator: 'service',
  owner: 'workspace',
  developer: 'workspace',
  viewer: 'workspace',
} as const satisfies Record<string, 'service' | 'workspace'>

export type Role = keyof typeof ROLES

type RoleOf<Reach> = { [Name in Role]: (typeof ROLES)[Name] extends Reach ? Name : never }[Role]

export type WorkspaceRole = RoleOf<'workspace'>

/** From the one that may do most. */
export const WORKSPACE_ROLES = ['owner', 'developer', 'viewer'] as const satisfies WorkspaceRole[]

export const EVERY_ROLE = ['operator', ...WORKSPACE_ROLES] as const satisfies Role[]

/** Who has no role, as somebody who is about to sign in. */
type Anybody = 'anybody'

/**
 * What a route works on: all of the service, or what belongs to one workspace, or only whoever asks, or what only people have, such
 * as passwords. What is of all of the service is for nobody who sees a single workspace: a route that says so does not compile.
 * With `fresh`, people must have signed in lately: for secrets, money, and who may enter.
 */
export type Permission = { readonly fresh?: true } & (
  | { readonly scope: 'service'; readonly roles: readonly RoleOf<'service'>[] }
  | { readonly scope: 'workspace' | 'caller'; readonly roles: readonly Role[] }
  | { readonly scope: 'person'; readonly roles: readonly Role[] | readonly [Anybody] }
)

/** A route that names no role is for nobody. */
export function mayUse(role: Role | Anybody, { roles }: Permission): boolean {
  return roles.some((it) => it === role || it === 'anybody')
}

/** Whether anybody may use it who sees a single workspace: such callers take turns (D43). */
export function isForWorkspaces({ roles }: Permission): boolean {
  return roles.some((role) => role !== 'anybody' && ROLES[role] === 'workspace')
}

interface Access {
  /** An operator may do everything in every workspace. */
  isOperator: boolean
  memberships: readonly { workspaceId: string; role: WorkspaceRole }[]
}

/** A role in one workspace, or with null in the whole service. */
export interface PlacedRole {
  workspaceId: string | null
  role: Role
}

export function includesRole({ isOperator, memberships }: Access, { workspaceId, role }: PlacedRole): boolean {
  if (isOperator) return true
  const own = memberships.find((it) => it.workspaceId === workspaceId)?.role
  return own !== undefined && EVERY_ROLE.indexOf(own) <= EVERY_ROLE.indexOf(role)
}
