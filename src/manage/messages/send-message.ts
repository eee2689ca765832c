// Sends a text message for a client without its API key, and previews it.
import { z } from 'zod'
import { previewMessage } from '../../actions/messages/preview-message.ts'
import type { Ports } from '../../actions/ports.ts'
import type { TryOut } from '../../actions/service/try-out.ts'
import type { TemplateCache } from '../../actions/templates/template-cache.ts'
import type { AcceptedMessage } from '../../domain/messages/acceptance.ts'
import type { MessagePreview } from '../../domain/messages/preview.ts'
import { fromE4 } from '../../domain/money.ts'
import { Refusal } from '../../domain/refusals.ts'
import { idempotencyHeaders, idempotencyOf } from '../../http/idempotency-key.ts'
import { ALSO_IF_INVALID, contentOf, messageFields, optional, requireOneContent } from '../../http/message-body.ts'
import { errorBodyOf, respond, sendRefusal } from '../../http/reply.ts'
import { CLIENT_REFUSALS, TEXT_REFUSALS } from '../../http/sending-refusals.ts'
import type { TypedServer } from '../../http/validation.ts'
import { callerOf } from '../authenticate.ts'
import { DEVELOPERS, endpointsOf } from '../endpoint.ts'
import { byId, messageType } from '../fields.ts'

const body = z.strictObject(messageFields).superRefine(requireOneContent, ALSO_IF_INVALID).meta({ title: 'NewMessage' })

/** Longer than any number, with its spaces. */
const MAX_NUMBER_LENGTH = 40

const unfinished = z
  .strictObject({ ...messageFields, to: optional(z.string().max(MAX_NUMBER_LENGTH)).describe('The number so far.') })
  .meta({ title: 'UnfinishedMessage' })

const encoding = z.enum(['GSM7', 'UCS2'])

const sentAnswer = z
  .object({
    messageId: z.uuid(),
    segments: z.int(),
    cost: z.number().describe('Amount reserved from the balance. A client in test mode is not charged.'),
    encoding,
    from: z.string().describe('Sender.'),
  })
  .meta({ title: 'MessageSent' })

const previewAnswer = z
  .object({
    to: z
      .object({ number: z.string().describe('In E.164.'), country: z.string() })
      .nullable()
      .describe('null while the number is incomplete or cannot receive SMS.'),
    type: messageType,
    from: z.string().describe('Sender.'),
    text: z.string().nullable().describe('Text as sent; null while a variable is missing or invalid.'),
    encoding: encoding.nullable(),
    segments: z.int().nullable(),
    cost: z.number().nullable(),
    balance: z.number(),
    refusals: z
      .array(
        z.object({
          code: z.string(),
          error: z.string(),
          details: z.array(z.object({ path: z.array(z.string()), message: z.string(), code: z.string() })),
        }),
      )
      .describe('Why the message would be refused now. Caps, rates and routes are checked only when it is sent.'),
  })
  .meta({ title: 'MessagePreview' })

const endpoint = endpointsOf('Messages')
const calls = {
  send: endpoint(DEVELOPERS, {
    operationId: 'sendMessage',
    summary: 'Send a message',
    description:
      'Works like `POST /sms/send` of the client from the address of the caller: same price, same limits, same errors. An OTP is refused.',
    params: byId,
    headers: idempotencyHeaders,
    body,
    response: { 200: sentAnswer },
    refusals: [...CLIENT_REFUSALS, ...TEXT_REFUSALS],
  }),
  preview: endpoint(DEVELOPERS, {
    operationId: 'previewMessage',
    summary: 'Preview a message',
    description:
      'Returns the number, the text, the segments and the cost of a message that may be incomplete. Nothing is sent, counted or stored.',
    params: byId,
    body: unfinished,
    response: { 200: previewAnswer },
  }),
}

interface Options {
  tryOut: TryOut
  templates: TemplateCache
}

export function mountSendMessage(app: TypedServer, ports: Ports, { tryOut, templates }: Options): void {
  app.post('/clients/:id/messages', calls.send, async (request, reply) => {
    const { id: clientId } = request.params
    const { to, type = null, senderId = null } = request.body
    const sent = await tryOut.sendMessage(callerOf(request), {
      clientId,
      to,
      type,
      senderId,
      content: contentOf(request.body),
      idempotency: idempotencyOf(request, { ownerId: clientId, keyring: ports.keyring }),
      answerOf,
    })
    if (sent instanceof Refusal) return sendRefusal(reply, sent)
    if (sent.replayed) reply.header('idempotent-replayed', 'true')
    return reply.send(JSON.parse(sent.answer))
  })

  app.post('/clients/:id/messages/preview', calls.preview, async (request, reply) => {
    const { to = '', text, templateId, type = null, senderId = null } = request.body
    const isEmpty = text === undefined && templateId === undefined
    const content = isEmpty ? null : contentOf(request.body)
    const message = { clientId: request.params.id, to, type, senderId, content, templates }
    return respond(reply, await previewMessage(ports, callerOf(request), message), { view: previewView })
  })
}

function answerOf({ request, segments, costE4, encoding: alphabet, sender: from }: AcceptedMessage): string {
  const { messageId } = request
  return JSON.stringify({
    messageId,
    segments,
    cost: fromE4(costE4),
    encoding: alphabet,
    from,
  } satisfies z.input<typeof sentAnswer>)
}

function previewView({
  number,
  type,
  sender,
  text,
  balanceE4,
  refusals,
}: MessagePreview): z.input<typeof previewAnswer> {
  return {
    to: number && { number: number.e164, country: number.country },
    type,
    from: sender,
    text: text?.text ?? null,
    encoding: text?.encoding ?? null,
    segments: text?.segments ?? null,
    cost: text && fromE4(text.costE4),
    balance: fromE4(balanceE4),
    refusals: refusals.map(refusalView),
  }
}

function refusalView(refusal: Refusal) {
  const { code, error, details } = errorBodyOf(refusal)
  const fields = Array.isArray(details) ? details : []
  return { code, error, details: fields.map((it) => ({ ...it, path: it.path.map(String) })) }
}
