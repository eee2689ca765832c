// The statuses of a message (§3.1), and its failure codes (§2.1).

export const MESSAGE_STATUSES = [
  'queued',
  'submitting',
  'submitted',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'rejected',
  'test',
] as const

export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

/** Rare compared with delivered messages; indexed separately, so that they are found quickly. */
export const RARE_STATUSES: readonly MessageStatus[] = ['undelivered', 'failed', 'rejected', 'test']

/** The indexed status; null for a common one. */
export function rareStatus(status: MessageStatus): MessageStatus | null {
  return RARE_STATUSES.includes(status) ? status : null
}

export const FAILURE_CODES = [
  'network_unavailable',
  'delivery_timeout',
  'carrier_rejected',
  'invalid_number',
  'delivery_failed',
] as const

export type FailureCode = (typeof FAILURE_CODES)[number]

/** The amount really paid: nothing for a test (D19) or a failed message, which is refunded (D11). */
export function chargedE4({ status, costE4 }: { status: MessageStatus; costE4: number }): number {
  return status === 'test' || status === 'failed' ? 0 : costE4
}

/** D13: a final status never changes. A test message is final from the start. */
export function isFinal(status: MessageStatus): boolean {
  return FINAL_STATUSES.includes(status)
}

const FINAL_STATUSES: readonly MessageStatus[] = ['delivered', 'undelivered', 'failed', 'rejected', 'test']

export const UNFINISHED_STATUSES = MESSAGE_STATUSES.filter((status) => !isFinal(status))

const MESSAGE_OUTCOMES = ['delivered', 'underWay', 'undelivered', 'failed'] as const

type MessageOutcome = (typeof MESSAGE_OUTCOMES)[number]

export function messageOutcomeOf(status: MessageStatus): MessageOutcome | null {
  switch (status) {
    case 'delivered':
    case 'undelivered':
      return status
    case 'failed':
    case 'rejected':
      return 'failed'
    case 'test':
      return null
    default:
      return 'underWay'
  }
}
