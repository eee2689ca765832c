// The four onboarding steps of a workspace, and when each was first completed.

export const FIRST_STEPS = ['key', 'message', 'code', 'webhook'] as const

interface FirstStepTimes {
  keyUsedAt: Date | null
  messageAt: Date | null
  codeVerifiedAt: Date | null
  webhookAt: Date | null
}

/** Stored times take precedence. A workspace that sent a message has used a key. */
export function mergeFirstSteps(kept: FirstStepTimes, seen: FirstStepTimes): FirstStepTimes {
  const messageAt = kept.messageAt ?? seen.messageAt
  return {
    keyUsedAt: kept.keyUsedAt ?? earlier(seen.keyUsedAt, messageAt),
    messageAt,
    codeVerifiedAt: kept.codeVerifiedAt ?? seen.codeVerifiedAt,
    webhookAt: kept.webhookAt ?? seen.webhookAt,
  }
}

export function isAllDone(seen: FirstStepTimes): boolean {
  return Object.values(seen).every((at) => at !== null)
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
