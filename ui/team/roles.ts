// What somebody may be in a workspace, from the one that may do most.
export const ROLES = ['owner', 'developer', 'viewer'] as const
export type Role = (typeof ROLES)[number]
