// D67: what a person may do where. A token may never do more than the person it belongs to.
import { EVERY_ROLE, type Role, type WorkspaceRole } from './permission.ts'

export interface Access {
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
