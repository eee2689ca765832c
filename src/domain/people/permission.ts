// Permissions of the management API. A route names its roles and its scope; a caller without a role gets the same response as for an unknown
// route.

/** Every role, and its reach: the whole service, or one workspace. */
const ROLES = {
  operator: 'service',
  owner: 'workspace',
  developer: 'workspace',
  viewer: 'workspace',
} as const satisfies Record<string, 'service' | 'workspace'>

export type Role = keyof typeof ROLES

type RoleOf<Reach> = { [Name in Role]: (typeof ROLES)[Name] extends Reach ? Name : never }[Role]

export type WorkspaceRole = RoleOf<'workspace'>

/** From most to least powerful. */
export const WORKSPACE_ROLES = ['owner', 'developer', 'viewer'] as const satisfies WorkspaceRole[]

export const EVERY_ROLE = ['operator', ...WORKSPACE_ROLES] as const satisfies Role[]

/** A caller without a role, for example during sign-in. */
type Anybody = 'anybody'

/**
 * The scope of a route: the whole service, one workspace, only the caller, or things that only people have, for example passwords. A route with
 * the scope `service` cannot name a workspace role: it does not compile. With `fresh`, people must have signed in recently: for secrets, money
 * and access.
 */
export type Permission = { readonly fresh?: true } & (
  | { readonly scope: 'service'; readonly roles: readonly RoleOf<'service'>[] }
  | { readonly scope: 'workspace' | 'caller'; readonly roles: readonly Role[] }
  | { readonly scope: 'person'; readonly roles: readonly Role[] | readonly [Anybody] }
)

export function canUse(role: Role | Anybody, { roles }: Permission): boolean {
  return roles.some((it) => it === role || it === 'anybody')
}

/** Whether workspace roles may use the route: their calls take turns (D43). */
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
