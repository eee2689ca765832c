// The webhooks (§6) of the OpenAPI document: requests of the service, and the responses that it expects.
import { z } from 'zod'
import { MESSAGE_TYPES } from '../../domain/message-type.ts'
import { SIGNATURE_TOLERANCE_SECONDS } from '../../domain/webhooks/signature-tolerance.ts'
import { EVENT_NAMES } from '../../domain/webhooks/webhook-event.ts'
import {
  ANSWER_WITHIN_SECONDS,
  MAX_ATTEMPTS,
  MAX_ATTEMPTS_WHEN_REJECTED,
  WAITS_IN_SECONDS,
} from '../../domain/webhooks/webhook-schedule.ts'
import type { Components } from '../../http/openapi/components.ts'
import type { Tag } from './headers.ts'

const statusEvent = z
  .object({
    type: z.literal('message.status'),
    id: z.uuid().describe('The `messageId`.'),
    status: z
      .enum(['queued', 'sent', 'delivered', 'undelivered', 'failed'])
      .describe('`queued` only if the message returns to the queue: deferred, or retried.'),
    to: z.string().describe('Number in E.164.'),
    at: z.iso.datetime().describe('Time of the event. Compare it before you overwrite a later status.'),
    messageType: z.enum(MESSAGE_TYPES),
    segments: z.int(),
    error: z.string().optional().describe('Reason of `failed`, `undelivered` and `queued`, if known.'),
  })
  .meta({
    title: 'StatusEvent',
    samples: {
      Delivered: {
        type: 'message.status',
        id: '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20',
        status: 'delivered',
        to: '+9779800000001',
        at: '2026-01-02T03:04:05.678Z',
        messageType: 'transactional',
        segments: 1,
      },
    },
  })

const inboundEvent = z
  .object({
    type: z.literal('message.inbound'),
    id: z.uuid().describe('Id of the reply.'),
    from: z.string().describe('Number of the sender in E.164.'),
    text: z.string(),
    at: z.iso.datetime(),
    inReplyTo: z.uuid().optional().describe('The message that the reply answers, if known.'),
  })
  .meta({
    title: 'InboundEvent',
    samples: {
      Reply: {
        type: 'message.inbound',
        id: '0198f0a5-02b1-7d10-9c3e-6f2a8b4d7e55',
        from: '+9779800000001',
        text: 'YES',
        at: '2026-01-02T03:05:00.000Z',
        inReplyTo: '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20',
      },
    },
  })

const lowCreditEvent = z
  .object({
    type: z.literal('workspace.low_credit'),
    id: z.uuid().describe('Id of the event.'),
    workspaceId: z.uuid(),
    workspaceName: z.string(),
    balance: z.number(),
    currency: z.string(),
    threshold: z.number().describe('The lowest alert that the balance has fallen below.'),
    at: z.iso.datetime(),
  })
  .meta({
    title: 'LowCreditEvent',
    samples: {
      'Low credit': {
        type: 'workspace.low_credit',
        id: '0198f0a6-3c55-7e90-a1b2-4d5e6f708192',
        workspaceId: '0198f0a0-11aa-7b3c-9d4e-5f60718293a4',
        workspaceName: 'Himal Bank',
        balance: 98.5,
        currency: 'NPR',
        threshold: 100,
        at: '2026-01-02T03:06:00.000Z',
      },
    },
  })

export function describeWebhooks(components: Components, vendor: string) {
  const post = (event: z.ZodType, about: { operationId: string; summary: string; description: string }) => ({
    post: {
      ...about,
      tags: ['Webhooks' satisfies Tag],
      security: [],
      parameters: headersOf(vendor),
      requestBody: { required: true, content: components.media(event, 'output') },
      responses: RECEIVER_ANSWERS,
    },
  })
  return {
    'message.status': post(statusEvent, {
      operationId: 'onMessageStatus',
      summary: 'Message status changed',
      description:
        'Sent when a message becomes sent, delivered, undelivered or failed, or returns to the queue. Each status of a message is sent once. Acceptance sends no event.',
    }),
    'message.inbound': post(inboundEvent, {
      operationId: 'onMessageInbound',
      summary: 'Reply received',
      description: 'Sent when a reply to this API client arrives.',
    }),
    'workspace.low_credit': post(lowCreditEvent, {
      operationId: 'onLowCredit',
      summary: 'Balance fell below an alert',
      description:
        'Sent to the client that the owner chose for low-balance alerts, once per crossing, and at most once per hour and alert.',
    }),
  }
}

/** §6.1 */
function headersOf(vendor: string) {
  const header = (name: string, description: string, schema: Record<string, unknown> = {}) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string', ...schema },
  })
  return [
    header(
      `x-${vendor}-signature`,
      `A time \`t\`, and the HMAC-SHA-256 of \`<t>.<raw body>\` with the webhook secret, in hex. During a rotation there are two \`v1\`. Accept the request if one \`v1\` is correct and \`t\` is within ${SIGNATURE_TOLERANCE_SECONDS} seconds of your clock.`,
      { examples: ['t=1767323046,v1=169ac508b2189c948fbf66ca7af00e2cfe049d0896ad66e9e48c67b6b1483520'] },
    ),
    header(`x-${vendor}-event`, 'Type of the event.', { enum: EVENT_NAMES }),
    header(`x-${vendor}-delivery`, 'Id of the delivery, equal on every retry: use it to detect duplicates.', {
      format: 'uuid',
    }),
    header('user-agent', 'User agent of the service.', { const: `${vendor}-sms-webhooks/1` }),
  ]
}

/** For example 10 s, 2 min or 3 h. */
function waitText(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** §6.4 */
const RECEIVER_ANSWERS = {
  '2XX': { description: `Received. Respond within ${ANSWER_WITHIN_SECONDS} seconds, before slow work.` },
  '4XX': {
    description: `Refused. Retries end after attempt ${MAX_ATTEMPTS_WHEN_REJECTED}, except for 408 and 429.`,
  },
  default: {
    description: `Retried: up to ${MAX_ATTEMPTS} attempts, after ${WAITS_IN_SECONDS.map(waitText).join(', ')}, each with a new signature.`,
  },
}
