// GET /sms/messages/{id} (§4.4): one message of this API key, and nothing about how it travels.
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { House } from '../actions/house.ts'
import { MESSAGE_TYPES } from '../domain/message-type.ts'
import { fromE4 } from '../domain/money.ts'
import { refuse } from '../domain/refusals.ts'
import { respond } from '../http/reply.ts'
import { findMessage, type StoredMessage } from '../store/messages.ts'
import { clientOf } from './authenticate.ts'

const time = z.iso.datetime()

const answer = z.object({
  _id: z.uuid(),
  to: z.string(),
  from: z.string(),
  text: z.string(),
  type: z.enum(MESSAGE_TYPES),
  encoding: z.enum(['GSM7', 'UCS2']),
  segments: z.int(),
  cost: z.number(),
  status: z.enum([
    'queued',
    'submitting',
    'submitted',
    'sent',
    'delivered',
    'undelivered',
    'failed',
    'rejected',
    'test',
  ]),
  error: z.enum([
    '',
    'network_unavailable',
    'delivery_timeout',
    'carrier_rejected',
    'invalid_number',
    'delivery_failed',
  ]),
  attempts: z.int(),
  dlr: z.object({ status: z.string(), code: z.string(), raw: z.string(), at: time }).optional(),
  submittedAt: time.nullable(),
  sentAt: time.nullable(),
  deliveredAt: time.nullable(),
  failedAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
})

export function mountGetMessage(server: FastifyInstance, house: House): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const schema = { params: z.object({ id: z.string().meta({ format: 'uuid' }) }), response: { 200: answer } }

  app.get('/sms/messages/:id', { schema }, async (request, reply) => {
    // What is no id at all is an unknown id like any other.
    const id = z.uuid().safeParse(request.params.id)
    const clientId = clientOf(request).id
    const message = id.success ? await findMessage(house.db, { id: id.data, clientId }) : null
    return respond(reply, message ?? refuse('not_found', { error: 'There is no such message' }), { view: viewOf })
  })
}

function viewOf(message: StoredMessage) {
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
