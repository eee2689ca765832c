// A change of status (§3.1) as one value, with everything that follows from it: refund, event, counters. No other code decides these.
import assert from 'node:assert/strict'
import { type FailureCode, isFinal, type MessageStatus } from '../message-status.ts'
import type { MessageType } from '../message-type.ts'
import { statusEvent, type WebhookStatus } from '../webhooks/webhook-event.ts'

/** The delivery state of a message. */
export interface MessageState {
  id: string
  workspaceId: string
  clientId: string
  to: string
  country: string
  type: MessageType
  segments: number
  costE4: number
  status: MessageStatus
  createdAt: Date
  /** The latest time of the message; every later change gets a later time (D13). */
  updatedAt: Date
  /** Whether its client has an endpoint or a listener (D45); without one, no event is created. */
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
 * D13: the times of a message increase strictly, because receivers order events by time (§6.2 rule 4). If the clock stands still or is behind
 * another process, the time advances by one millisecond.
 */
export function timeAfter(last: Date, now: Date): Date {
  return new Date(Math.max(now.getTime(), last.getTime() + 1))
}

/** A report proves that the message was sent, even if the answer is still missing. */
export function transitionsOfReport(
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
 * The status in the webhook event of a change; undefined without an event. A message announces a status once (§6.2 rule 3, D30): the unique
 * index on message and status catches repetitions.
 */
export function announcedStatus(from: MessageStatus | undefined, to: MessageStatus): WebhookStatus | undefined {
  if (from === undefined) return undefined // §6.2 rule 1: the API response has it already.
  if (to === 'submitting' || to === 'test') return undefined // §6.2 rule 2: not a return to the queue.
  if (from === 'submitted' && to === 'sent') return undefined // D12: announced with `submitted`.
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

/** The webhook events of changes, for clients with an endpoint or a listener. */
export function eventsOfTransitions(transitions: readonly Transition[]) {
  return transitions.flatMap(({ message, announces: status, at, error }) => {
    if (status === undefined || !message.hasListener) return []
    const { id: messageId, clientId, to, type: messageType, segments } = message
    const event = statusEvent({ messageId, status, to, at, messageType, segments, error })
    return [{ clientId, about: { messageId, status }, event }]
  })
}
