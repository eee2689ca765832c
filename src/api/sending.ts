// Shared by the two sending endpoints: builds the request for the accept lane, and sends its response.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accepted } from '../actions/idempotency.ts'
import type { Ports } from '../actions/ports.ts'
import { readPhoneNumber } from '../domain/phone-number.ts'
import { Refusal } from '../domain/refusals.ts'
import { idempotencyOf } from '../http/idempotency-key.ts'
import { sendRefusal } from '../http/reply.ts'
import { clientOf } from './authenticate.ts'

interface Body {
  to: string
  senderId?: string | undefined
}

export function readSending(ports: Ports, request: FastifyRequest, { to, senderId }: Body) {
  const client = clientOf(request)
  const common = {
    client,
    messageId: ports.ids.next(),
    number: readPhoneNumber(to, client.country),
    senderId: senderId ?? null,
    idempotency: idempotencyOf(request, { ownerId: client.id, keyring: ports.keyring }),
  }
  return { client, common }
}

/** §8.3: a replay is the original response with a header. `createdMessageId` is only for requests that send. */
export function answerAccepted(reply: FastifyReply, outcome: Promise<Accepted | Refusal>, createdMessageId = ''): void {
  const answer = (result: Accepted | Refusal) => {
    if (result instanceof Refusal) return sendRefusal(reply, result)
    if (result.replayed) reply.header('idempotent-replayed', 'true')
    else reply.request.createdMessageId = createdMessageId
    return reply.type('application/json; charset=utf-8').send(result.answer)
  }
  // The promise is not returned to Fastify, which saves two promises and a turn of the event loop per request.
  outcome.then(answer).catch((error) => reply.send(error))
}
