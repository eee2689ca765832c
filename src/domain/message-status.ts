// What a message can be (§3.1), and the neutral reasons why it got no further (§2.1).

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

/** What few messages come to, compared with all that are delivered: kept so that these are found without walking past the others. */
export const RARE_STATUSES: readonly MessageStatus[] = ['undelivered', 'failed', 'rejected', 'test']

/** What is kept of a status for that; null for a common one. */
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

/** What was really paid of the cost: nothing for a test (D19), nothing for what failed and so was refunded (D11). */
export function chargedE4({ status, costE4 }: { status: MessageStatus; costE4: number }): number {
  return status === 'test' || status === 'failed' ? 0 : costE4
}

/** D13: these never change again. A test message never begins to. */
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
