// What a receiver is told and in which bytes: the two events, their bodies, and which changes of status announce one (§6.2).
import type { FailureCode, MessageStatus } from '../message-status.ts'
import type { MessageType } from '../message-type.ts'
import type { Transition } from '../messages/transition.ts'

export const WEBHOOK_STATUSES = ['queued', 'sent', 'delivered', 'undelivered', 'failed'] as const
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number]

export const EVENT_NAMES = ['message.status', 'message.inbound'] as const

/** An event as it is stored and posted. The bytes are made once: no retry may change them (§6.3 rule 3). */
export interface WebhookEvent {
  name: (typeof EVENT_NAMES)[number]
  body: Uint8Array
}

export interface StatusNews {
  messageId: string
  status: WebhookStatus
  to: string
  at: Date
  messageType: MessageType
  segments: number
  /** The neutral code of §2.1, or an empty string when no reason is known. */
  error: FailureCode | ''
}

export interface InboundNews {
  inboundId: string
  from: string
  text: string
  at: Date
  inReplyTo?: string | undefined
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
    if (status === undefined || !message.isTold) return []
    const { id: messageId, clientId, to, type: messageType, segments } = message
    const event = statusEvent({ messageId, status, to, at, messageType, segments, error })
    return [{ clientId, about: { messageId, status }, event }]
  })
}

export function statusEvent(news: StatusNews): WebhookEvent {
  const mayGiveReason = news.status === 'failed' || news.status === 'undelivered' || news.status === 'queued'
  return eventOf('message.status', {
    id: news.messageId,
    status: news.status,
    to: news.to,
    at: news.at.toISOString(),
    messageType: news.messageType,
    segments: news.segments,
    ...(mayGiveReason && news.error !== '' && { error: news.error }),
  })
}

/** What a test of a receiver sends: whole and well-formed, about a message that cannot exist. */
export function sampleEvent(at: Date): WebhookEvent {
  return statusEvent({
    messageId: '00000000-0000-0000-0000-000000000000',
    status: 'delivered',
    to: '+9779800000000',
    at,
    messageType: 'transactional',
    segments: 1,
    error: '',
  })
}

export function inboundEvent(news: InboundNews): WebhookEvent {
  return eventOf('message.inbound', {
    id: news.inboundId,
    from: news.from,
    text: news.text,
    at: news.at.toISOString(),
    ...(news.inReplyTo !== undefined && { inReplyTo: news.inReplyTo }),
  })
}

function eventOf(name: WebhookEvent['name'], fields: Record<string, string | number>): WebhookEvent {
  return { name, body: new TextEncoder().encode(JSON.stringify({ type: name, ...fields })) }
}
