// How messages fared, as a chart counts them: four words for nine statuses (§3.1). A test was never on its way.
import type { MessageStatus } from '../message-status.ts'

export const OUTCOMES = ['delivered', 'underWay', 'undelivered', 'failed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export function outcomeOf(status: MessageStatus): Outcome | null {
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
