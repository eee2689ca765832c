// The status of a workspace (§3.3), and whether it may send.

import { MESSAGE_TYPES, type MessageType } from '../message-type.ts'
import { type Refusal, refuse } from '../refusals.ts'

export const WORKSPACE_STATUSES = ['pending', 'active', 'suspended'] as const

export type WorkspaceStatus = (typeof WORKSPACE_STATUSES)[number]

/** §5.3: nothing is sent or verified before activation or during suspension. null while active. */
export function refuseInactive(status: WorkspaceStatus): Refusal | null {
  if (status === 'active') return null
  return refuse(status === 'pending' ? 'workspace_pending' : 'workspace_suspended')
}

export const PLANS = ['standard', 'enterprise'] as const

export type Plan = (typeof PLANS)[number]

/** `promotional` is enabled only on the Enterprise plan. */
export function typesOfPlan(plan: Plan): MessageType[] {
  return MESSAGE_TYPES.filter((type) => type !== 'promotional' || plan === 'enterprise')
}
