// POST /sms/send (§4.1): queues one SMS to one mobile number.
import { z } from 'zod'
import type { AcceptMessage } from '../actions/messages/accept-messages.ts'
import type { Ports } from '../actions/ports.ts'
import { MESSAGE_TYPES } from '../domain/message-type.ts'
import type { AcceptedMessage } from '../domain/messages/acceptance.ts'
import type { TextRequest } from '../domain/messages/send-request.ts'
import { fromE4 } from '../domain/money.ts'
import { MAX_SEGMENTS, MAX_TEXT_LENGTH } from '../domain/text-encoding.ts'
import { idempotencyHeaders } from '../http/idempotency-key.ts'
import type { TypedServer } from '../http/validation.ts'
import { POST_ADMISSION_REFUSALS } from './authenticate.ts'
import { cost, encoding, from, lineText, messageId, optional, segments, senderId, success, text, to } from './fields.ts'
import type { ApiEndpointSchema } from './openapi/headers.ts'
import { answerAccepted, readSending } from './sending.ts'

/** The template checks whether a number is exact (D37). zod's number would reject infinity, which JSON writes as 1e400. */
const variable = z
  .unknown()
  .refine((value) => typeof value === 'string' || typeof value === 'number', 'Must be a string or a number')
  .meta({ type: ['string', 'number'] })
  .transform((value) => value as string | number)

const body = z
  .object({
    to,
    text: optional(text).describe(
      `Free text of at most ${MAX_SEGMENTS} segments (${MAX_TEXT_LENGTH.GSM7} GSM-7 characters or ${MAX_TEXT_LENGTH.UCS2} UCS-2 code units). It must match an approved template of its type, unless the workspace requires no templates.`,
    ),
    templateId: optional(lineText).describe('Id of an approved template of the workspace, rendered with `variables`.'),
    variables: optional(z.record(z.string(), variable)).describe(
      'One value for each `{{variable}}` of the template: 1 to 100 characters without a line break. A number that JSON cannot represent exactly (beyond 2^53, or more than 15 digits with a decimal point) must be a string.',
    ),
    type: optional(z.enum(MESSAGE_TYPES)).describe(
      'Message type, one of the `allowedTypes` of the workspace. Default: the type of the template, or `transactional`.',
    ),
    senderId,
  })
  .superRefine(
    ({ text: free, templateId, variables = {} }, context) => {
      if ((free === undefined) === (templateId === undefined)) {
        context.addIssue({ code: 'custom', path: ['text'], message: 'Send exactly one of text and templateId' })
      }
      if (templateId === undefined && Object.keys(variables).length > 0) {
        context.addIssue({ code: 'custom', path: ['variables'], message: 'Send variables only with a templateId' })
      }
    },
    // D38: all errors are reported together, so this check also runs if a field is invalid.
    { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
  )
  .meta({
    title: 'Sending',
    oneOf: [
      {
        required: ['text'],
        properties: { text: { type: 'string' }, templateId: { type: 'null' }, variables: { maxProperties: 0 } },
      },
      { required: ['templateId'], properties: { templateId: { type: 'string' }, text: { type: 'null' } } },
    ],
    samples: {
      'Free text': { to: '+9779800000001', text: 'Your order 4711 is on its way.' },
      'From a template': {
        to: '9800000001',
        templateId: '0198f0a4-7c1e-7b52-9d0a-5b8e4a6f2c31',
        variables: { order: 4711 },
      },
    },
  })

const answer = z
  .object({
    success,
    messageId,
    status: z.literal('queued').describe('Accepted and queued.'),
    segments,
    cost: cost.describe('Amount reserved from the balance: price per segment of the type, times the segments.'),
    encoding,
    from,
  })
  .meta({
    title: 'SendingAccepted',
    description: 'The message is stored and its cost reserved.',
    samples: {
      Accepted: {
        success: true,
        messageId: '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20',
        status: 'queued',
        segments: 1,
        cost: 1.5,
        encoding: 'GSM7',
        from: 'HULAKI',
      },
    },
  })

const schema = {
  operationId: 'sendMessage',
  tag: 'Messages',
  summary: 'Send a message',
  description: `Queues one SMS to one mobile number and reserves its cost. Track the delivery with webhooks, or poll the message.

Send exactly one of \`text\` and \`templateId\`.`,
  body,
  headers: idempotencyHeaders,
  response: { 200: answer },
  refusals: [
    ...POST_ADMISSION_REFUSALS,
    'invalid_request',
    'invalid_number',
    'invalid_variables',
    'insufficient_balance',
    'forbidden',
    'template_required',
    'type_not_allowed',
    'prefix_not_allowed',
    'idempotency_conflict',
    'destination_not_supported',
    'daily_cap',
    'number_cap',
    'sms_disabled',
  ],
} as const satisfies ApiEndpointSchema

export function mountSendMessage(app: TypedServer, ports: Ports, acceptMessage: AcceptMessage): void {
  app.post('/sms/send', { schema }, (request, reply) => {
    const { client, common } = readSending(ports, request, request.body)
    const { type = null } = request.body
    const sending: TextRequest = { kind: 'text', ...common, type, content: contentOf(request.body) }
    answerAccepted(reply, acceptMessage({ client, request: sending, answerOf }))
  })
}

/** Test mode has the same response (D19). */
function answerOf({ request, segments, costE4, encoding, sender }: AcceptedMessage): string {
  return JSON.stringify({
    success: true,
    messageId: request.messageId,
    status: 'queued',
    segments,
    cost: fromE4(costE4),
    encoding,
    from: sender,
  } satisfies z.infer<typeof answer>)
}

function contentOf({ text: free, templateId, variables = {} }: z.infer<typeof body>): TextRequest['content'] {
  return free === undefined ? { templateId: templateId?.toLowerCase() ?? '', variables } : { text: free }
}
