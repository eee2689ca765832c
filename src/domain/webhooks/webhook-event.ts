// Webhook events and their bytes: the events, their bodies, and the fields of each (§6.2).
import type { FailureCode } from '../message-status.ts'
import type { MessageType } from '../message-type.ts'
import { fromE4 } from '../money.ts'
import { NIL_UUID } from '../uuid.ts'

export const WEBHOOK_STATUSES = ['queued', 'sent', 'delivered', 'undelivered', 'failed'] as const
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number]

export const EVENT_NAMES = ['message.status', 'message.inbound', 'workspace.low_credit'] as const

/** An event as it is stored and posted. The bytes are created once, because no retry may change them (§6.3 rule 3). */
export interface WebhookEvent {
  name: (typeof EVENT_NAMES)[number]
  body: Uint8Array
}

export interface StatusChange {
  messageId: string
  status: WebhookStatus
  to: string
  at: Date
  messageType: MessageType
  segments: number
  /** The failure code of §2.1; empty if no reason is known. */
  error: FailureCode | ''
}

interface InboundReply {
  inboundId: string
  from: string
  text: string
  at: Date
  inReplyTo?: string | undefined
}

export interface LowCredit {
  id: string
  workspaceId: string
  workspaceName: string
  balanceE4: number
  currency: string
  /** The lowest alert that the balance has crossed. */
  belowE4: number
  at: Date
}

export function statusEvent(change: StatusChange): WebhookEvent {
  const mayGiveReason = change.status === 'failed' || change.status === 'undelivered' || change.status === 'queued'
  return eventOf('message.status', {
    id: change.messageId,
    status: change.status,
    to: change.to,
    at: change.at.toISOString(),
    messageType: change.messageType,
    segments: change.segments,
    ...(mayGiveReason && change.error !== '' && { error: change.error }),
  })
}

/** The test event: complete and well-formed, about a message that cannot exist. */
export function sampleEvent(at: Date): WebhookEvent {
  return statusEvent({
    messageId: NIL_UUID,
    status: 'delivered',
    to: '+9779800000000',
    at,
    messageType: 'transactional',
    segments: 1,
    error: '',
  })
}

export function inboundEvent(reply: InboundReply): WebhookEvent {
  return eventOf('message.inbound', {
    id: reply.inboundId,
    from: reply.from,
    text: reply.text,
    at: reply.at.toISOString(),
    ...(reply.inReplyTo !== undefined && { inReplyTo: reply.inReplyTo }),
  })
}

/** D85 */
export function lowCreditEvent({ balanceE4, belowE4, at, ...alert }: LowCredit): WebhookEvent {
  const { id, workspaceId, workspaceName, currency } = alert
  const amounts = { balance: fromE4(balanceE4), currency, threshold: fromE4(belowE4) }
  return eventOf('workspace.low_credit', { id, workspaceId, workspaceName, ...amounts, at: at.toISOString() })
}

function eventOf(name: WebhookEvent['name'], fields: Record<string, string | number>): WebhookEvent {
  return { name, body: new TextEncoder().encode(JSON.stringify({ type: name, ...fields })) }
}
