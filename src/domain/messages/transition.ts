// The one value that is a change of status (§3.1), and all that follows from it: refund, event, counters. Nothing else
// in the code decides these, and only the store of transitions writes them.
import assert from 'node:assert/strict'
import { type FailureCode, isFinal, type MessageStatus } from '../message-status.ts'
import type { MessageType } from '../message-type.ts'
import { statusEvent, type WebhookStatus } from '../webhooks/webhook-event.ts'

/** A message as far as its delivery is concerned. */
export interface MessageState {
  id: string
  workspaceId: string
  clientId: string
  to: string
  type: MessageType
  segments: number
  costE4: number
  status: MessageStatus
  createdAt: Date
  /** The latest of the times that it bears: whatever follows is later (D13). */
  updatedAt: Date
  /** Whether its client has a receiver at all, or somebody listens (D45): if not, no event is made. */
  hasListener: boolean
}

export interface Transition {
  message: MessageState
  from: MessageStatus
  to: MessageStatus
  at: Date
  error: FailureCode | ''
  /** D11: only `failed` refunds. */
  refund: boolean
  announces: WebhookStatus | undefined
  counts: 'sent' | 'delivered' | 'failed' | null
}

export function transition(
  message: MessageState,
  to: MessageStatus,
  { at: now, error = '' }: { at: Date; error?: FailureCode | '' },
): Transition {
  const from = message.status
  assert(!isFinal(from), 'a final status never changes')
  const at = timeAfter(message.updatedAt, now)
  const refund = to === 'failed'
  return { message, from, to, at, error, refund, announces: announcedStatus(from, to), counts: countOf(from, to) }
}

/**
 * D13: the times of a message rise strictly, or §6.2 rule 4 could not tell which of two events is the later. Where the clock stands,
 * or is behind that of the process before, a millisecond is the difference.
 */
export function timeAfter(last: Date, now: Date): Date {
  return new Date(Math.max(now.getTime(), last.getTime() + 1))
}

/** A report also proves what its answer had yet to say: on the way to its verdict the message was sent. */
export function reported(
  message: MessageState,
  verdict: { status: 'delivered' | 'undelivered' | 'rejected'; error: FailureCode | ''; at: Date },
): Transition[] {
  const { status, at, error } = verdict
  if (message.status === 'sent') return [transition(message, status, { at, error })]
  const sent = transition(message, 'sent', { at })
  return [sent, transition({ ...message, status: 'sent', updatedAt: sent.at }, status, { at, error })]
}

/** D17: `sent` counts messages that reached submitted. */
function countOf(from: MessageStatus, to: MessageStatus): Transition['counts'] {
  switch (to) {
    case 'submitted':
    case 'sent':
      return from === 'submitted' ? null : 'sent'
    case 'delivered':
      return 'delivered'
    case 'undelivered':
    case 'failed':
    case 'rejected':
      return 'failed'
    case 'queued':
    case 'submitting':
    case 'test':
      return null
    default:
      throw to satisfies never
  }
}

/**
 * The status that a change announces, or undefined when it announces none. Never twice for one message and status
 * (§6.2 rule 3, D30): a message deferred again or reported late is caught by the unique index on that pair.
 */
export function announcedStatus(from: MessageStatus | undefined, to: MessageStatus): WebhookStatus | undefined {
  if (from === undefined) return undefined // §6.2 rule 1: the API's reply told it already.
  if (to === 'submitting' || to === 'test') return undefined // §6.2 rule 2: not a return to the queue.
  if (from === 'submitted' && to === 'sent') return undefined // D12: told at the first of the two.
  return webhookStatusOf(to)
}

export function webhookStatusOf(status: MessageStatus): WebhookStatus {
  switch (status) {
    case 'submitted':
    case 'sent':
      return 'sent'
    case 'delivered':
    case 'undelivered':
      return status
    case 'failed':
    case 'rejected':
      return 'failed'
    case 'queued':
    case 'submitting':
    case 'test':
      return 'queued'
    default:
      throw status satisfies never
  }
}

/** What is told of changes of status, to those who have a receiver or listen. */
export function announcementsOf(transitions: readonly Transition[]) {
  return transitions.flatMap(({ message, announces: status, at, error }) => {
    if (status === undefined || !message.hasListener) return []
    const { id: messageId, clientId, to, type: messageType, segments } = message
    const event = statusEvent({ messageId, status, to, at, messageType, segments, error })
    return [{ clientId, about: { messageId, status }, event }]
  })
}
