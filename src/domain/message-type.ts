// The three types of message (§2.1) and the plans that may send them (§2.3).

export const MESSAGE_TYPES = ['transactional', 'otp', 'promotional'] as const
export type MessageType = (typeof MESSAGE_TYPES)[number]

export const PLANS = ['standard', 'enterprise'] as const
export type Plan = (typeof PLANS)[number]

/** `promotional` is enabled only on the Enterprise plan. */
export function typesOfPlan(plan: Plan): MessageType[] {
  return MESSAGE_TYPES.filter((type) => type !== 'promotional' || plan === 'enterprise')
}
