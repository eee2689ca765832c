// POST /sms/send (§4.1): queues one SMS to one mobile number.
import { z } from 'zod'
import type { AcceptMessage } from '../actions/messages/accept-messages.ts'
import type { Ports } from '../actions/ports.ts'
import type { AcceptedMessage } from '../domain/messages/acceptance.ts'
import type { TextRequest } from '../domain/messages/send-request.ts'
import { fromE4 } from '../domain/money.ts'
import { idempotencyHeaders } from '../http/idempotency-key.ts'
import { messageBody as body, contentOf } from '../http/message-body.ts'
import { TEXT_REFUSALS } from '../http/sending-refusals.ts'
import type { TypedServer } from '../http/validation.ts'
import { POST_ADMISSION_REFUSALS } from './authenticate.ts'
import { cost, encoding, from, messageId, segments, success } from './fields.ts'
import type { ApiEndpointSchema } from './openapi/headers.ts'
import { answerAccepted, readSending } from './sending.ts'

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
  refusals: [...POST_ADMISSION_REFUSALS, 'invalid_request', ...TEXT_REFUSALS],
} as const satisfies ApiEndpointSchema

export function mountSendMessage(app: TypedServer, ports: Ports, acceptMessage: AcceptMessage): void {
  app.post('/sms/send', { schema }, (request, reply) => {
    const { client, common } = readSending(ports, request, request.body)
    const { type = null } = request.body
    const sending: TextRequest = { kind: 'text', ...common, type, content: contentOf(request.body) }
    answerAccepted(reply, acceptMessage({ client, request: sending, answerOf }), common.messageId)
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
