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

/**
 * What a route works on: all of the service, or what belongs to one workspace, or only whoever asks. What is of all of the
 * service is for nobody who sees a single workspace: a route that says so does not compile.
 */
export type Permission =
  | { readonly scope: 'service'; readonly roles: readonly RoleOf<'service'>[] }
  | { readonly scope: 'workspace' | 'caller'; readonly roles: readonly Role[] }

/** A route that names no role is for nobody. */
export function mayUse(role: Role, { roles }: Permission): boolean {
  return roles.some((it) => it === role)
}

/** Whether anybody may use it who sees a single workspace: such callers take turns (D43). */
export function isForWorkspaces({ roles }: Permission): boolean {
  return roles.some((role) => ROLES[role] === 'workspace')
}
