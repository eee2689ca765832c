// The webhooks (§6) as OpenAPI 3.1 describes them: requests that the service makes, and what it expects as an answer.
import { z } from 'zod'
import { MESSAGE_TYPES } from '../../domain/message-type.ts'
import { SIGNATURE_TOLERANCE_SECONDS } from '../../domain/webhooks/signature-tolerance.ts'
import {
  ANSWER_WITHIN_SECONDS,
  MAX_POSTINGS,
  MAX_POSTINGS_WHEN_REFUSED_FOR_GOOD,
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
      .describe('`queued` only when a message goes back to the queue: deferred, or tried again.'),
    to: z.string().describe('The number, in E.164.'),
    at: z.iso.datetime().describe('When it happened. Compare it before you overwrite a later status.'),
    messageType: z.enum(MESSAGE_TYPES),
    segments: z.int(),
    error: z.string().optional().describe('Why, for `failed`, `undelivered` and `queued`, where a reason is known.'),
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
    id: z.uuid().describe('The id of the reply.'),
    from: z.string().describe('Who wrote, in E.164.'),
    text: z.string(),
    at: z.iso.datetime(),
    inReplyTo: z.uuid().optional().describe('The message it answers, where that is known.'),
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
      summary: 'A message changed',
      description:
        'Sent when a message reaches sent, delivered, undelivered or failed, or goes back to the queue; each status of a message is told once. Nothing is sent when it is accepted.',
    }),
    'message.inbound': post(inboundEvent, {
      operationId: 'onMessageInbound',
      summary: 'Somebody replied',
      description: 'Sent when a reply arrives that belongs to this API client.',
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
      `A time and an HMAC-SHA-256 of \`<t>.<raw body>\` with the webhook secret, in hex. While a secret is being rotated there are two \`v1\`; one of them must be right, and \`t\` within ${SIGNATURE_TOLERANCE_SECONDS} seconds of your clock.`,
      { examples: ['t=1767323046,v1=169ac508b2189c948fbf66ca7af00e2cfe049d0896ad66e9e48c67b6b1483520'] },
    ),
    header(`x-${vendor}-event`, 'The type of the event.', { enum: ['message.status', 'message.inbound'] }),
    header(`x-${vendor}-delivery`, 'The same on every retry of an event: deduplicate by it.', { format: 'uuid' }),
    header('user-agent', 'Who calls.', { const: `${vendor}-sms-webhooks/1` }),
  ]
}

/** Such as 10 s, 2 min, 3 h. */
function waitText(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** §6.4 */
const RECEIVER_ANSWERS = {
  '2XX': { description: `Received. Answer within ${ANSWER_WITHIN_SECONDS} seconds, and do the slow work afterwards.` },
  '4XX': {
    description: `Refused. After attempt ${MAX_POSTINGS_WHEN_REFUSED_FOR_GOOD} the event is given up, except for 408 and 429.`,
  },
  default: {
    description: `Tried again: up to ${MAX_POSTINGS} attempts, after ${WAITS_IN_SECONDS.map(waitText).join(', ')}, each signed afresh.`,
  },
}
