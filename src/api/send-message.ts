// POST /sms/send (§4.1): queues one SMS to one mobile number.
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { AcceptMessage } from '../actions/accept-messages.ts'
import type { House } from '../actions/house.ts'
import type { TextRequest } from '../domain/acceptance.ts'
import { MESSAGE_TYPES } from '../domain/message-type.ts'
import { readPhoneNumber } from '../domain/phone-number.ts'
import { scopeOf } from '../store/acceptance.ts'
import { answerAccepted } from './answer-accepted.ts'
import { clientOf } from './authenticate.ts'
import { senderId, success, text, to } from './fields.ts'
import { idempotencyHeaders, idempotencyOf } from './idempotency-key.ts'

const body = z
  .object({
    to,
    text: text.optional().describe('Free text; at most 6 segments. It must match an approved template of its type.'),
    templateId: z.string().optional().describe('An approved template of the workspace, rendered with `variables`.'),
    variables: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    type: z.enum(MESSAGE_TYPES).optional().describe("Default: the template's type, else `transactional`."),
    senderId,
  })
  .superRefine((value, context) => {
    if ((value.text === undefined) === (value.templateId === undefined)) {
      context.addIssue({ code: 'custom', path: ['text'], message: 'Send exactly one of text and templateId' })
    }
    if (value.variables !== undefined && value.templateId === undefined) {
      context.addIssue({ code: 'custom', path: ['variables'], message: 'Variables belong to a templateId' })
    }
  })

const answer = z.object({
  success,
  messageId: z.uuid(),
  status: z.literal('queued'),
  segments: z.int(),
  cost: z.number(),
  encoding: z.enum(['GSM7', 'UCS2']),
  from: z.string(),
})

export function mountSendMessage(server: FastifyInstance, house: House, acceptMessage: AcceptMessage): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const schema = { body, headers: idempotencyHeaders, response: { 200: answer } }

  app.post('/sms/send', { schema }, async (request, reply) => {
    const client = clientOf(request)
    const idempotency = idempotencyOf(request, house)
    const sending: TextRequest = {
      kind: 'text',
      client,
      messageId: house.ids.next(),
      number: readPhoneNumber(request.body.to, client.country),
      senderId: request.body.senderId ?? null,
      idempotencyScope: idempotency && scopeOf(idempotency),
      type: request.body.type ?? null,
      content: contentOf(request.body),
    }
    return answerAccepted(reply, await acceptMessage({ client, request: sending, idempotency, code: null }))
  })
}

function contentOf({ text: free, templateId, variables = {} }: z.infer<typeof body>): TextRequest['content'] {
  return free === undefined ? { templateId: templateId ?? '', variables } : { text: free }
}
