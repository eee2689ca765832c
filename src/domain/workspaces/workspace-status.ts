// The status of a workspace (§3.3), and what it means for whoever wants to send.
import { type Refusal, refuse } from '../refusals.ts'

export const WORKSPACE_STATUSES = ['pending', 'active', 'suspended'] as const
export type WorkspaceStatus = (typeof WORKSPACE_STATUSES)[number]

/** §5.3: nothing is sent or verified before the workspace is activated, nor while it is suspended. Null while it is active. */
export function refuseInactive(status: WorkspaceStatus): Refusal | null {
  if (status === 'active') return null
  return refuse(status === 'pending' ? 'workspace_pending' : 'workspace_suspended')
}
