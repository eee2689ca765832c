// GET /sms/messages/{id} (§4.4): one message of the API client, without carrier details.
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { FAILURE_CODES, MESSAGE_STATUSES } from '../domain/message-status.ts'
import { MESSAGE_TYPES } from '../domain/message-type.ts'
import { fromE4 } from '../domain/money.ts'
import { refuse } from '../domain/refusals.ts'
import { respond } from '../http/reply.ts'
import { time } from '../http/time.ts'
import type { TypedServer } from '../http/validation.ts'
import { findMessage, type StoredMessage } from '../store/messages/messages.ts'
import { ADMISSION_REFUSALS, clientOf } from './authenticate.ts'
import { cost, encoding, from, MESSAGE_NOT_FOUND, segments } from './fields.ts'
import type { ApiEndpointSchema } from './openapi/headers.ts'

const answer = z
  .object({
    _id: z.uuid().describe('The `messageId` of the send response.'),
    to: z.string().describe('Number in E.164.'),
    from,
    text: z.string().describe('Text of the message; `(OTP hidden)` for an OTP.'),
    type: z.enum(MESSAGE_TYPES),
    encoding,
    segments,
    cost,
    status: z
      .enum(MESSAGE_STATUSES)
      .describe(
        'Final statuses: `delivered`, `undelivered`, `failed` (refunded), `rejected`, and `test` for keys in test mode, whose messages are recorded but not sent or charged.',
      ),
    error: z.enum(['', ...FAILURE_CODES]).describe('Reason of the failure, if known; otherwise empty.'),
    attempts: z.int().describe('Number of delivery attempts.'),
    dlr: z
      .object({ status: z.string(), code: z.string(), raw: z.string(), at: z.iso.datetime() })
      .optional()
      .describe('Delivery receipt, if one has arrived.'),
    submittedAt: time.nullable(),
    sentAt: time.nullable(),
    deliveredAt: time.nullable(),
    failedAt: time.nullable(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({
    title: 'Message',
    description: 'The current state of the message.',
    samples: {
      Delivered: {
        _id: '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20',
        to: '+9779800000001',
        from: 'HULAKI',
        text: 'Your order 4711 is on its way.',
        type: 'transactional',
        encoding: 'GSM7',
        segments: 1,
        cost: 1.5,
        status: 'delivered',
        error: '',
        attempts: 1,
        dlr: { status: 'DELIVRD', code: '000', raw: 'id:7f3a stat:DELIVRD err:000', at: '2026-01-02T03:04:05.678Z' },
        submittedAt: '2026-01-02T03:04:01.012Z',
        sentAt: '2026-01-02T03:04:01.012Z',
        deliveredAt: '2026-01-02T03:04:05.678Z',
        failedAt: null,
        createdAt: '2026-01-02T03:04:00.950Z',
        updatedAt: '2026-01-02T03:04:05.678Z',
      },
    },
  })

const schema = {
  operationId: 'getMessage',
  tag: 'Messages',
  summary: 'Get a message',
  description: `A message that this API client sent. Messages of other clients are \`not_found\`.

Poll with growing delays (2 s, 5 s, 15 s, 60 s) and stop at a final status. Webhooks are faster.`,
  params: z.object({ id: z.string().describe('The `messageId`.').meta({ format: 'uuid' }) }),
  response: { 200: answer },
  refusals: [...ADMISSION_REFUSALS, 'not_found'],
} as const satisfies ApiEndpointSchema

export function mountGetMessage(app: TypedServer, ports: Ports): void {
  app.get('/sms/messages/:id', { schema }, async (request, reply) => {
    // An invalid id gets the same answer as an unknown id.
    const id = z.uuid().safeParse(request.params.id)
    const clientId = clientOf(request).id
    const message = id.success ? await findMessage(ports.db, { id: id.data, clientId }) : null
    return respond(reply, message ?? refuse('not_found', MESSAGE_NOT_FOUND), { view: statusView })
  })
}

function statusView(message: StoredMessage) {
  const { id, sender, text, costE4, submissions, dlr, ...rest } = message
  return {
    _id: id,
    ...rest,
    from: sender,
    text: text ?? '(OTP hidden)',
    cost: fromE4(costE4),
    attempts: submissions,
    ...(dlr ? { dlr } : {}),
  }
}
