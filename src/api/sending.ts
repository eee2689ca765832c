// What the two sending endpoints share: how a request becomes one for the accept lane.
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

/** Who sends, whether it did before, and what every message is made of. */
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

/** §8.3: a replay is the original answer, marked as one. */
export function answerAccepted(reply: FastifyReply, outcome: Promise<Accepted | Refusal>): void {
  const answer = (known: Accepted | Refusal) => {
    if (known instanceof Refusal) return sendRefusal(reply, known)
    if (known.replayed) reply.header('idempotent-replayed', 'true')
    return reply.type('application/json; charset=utf-8').send(known.answer)
  }
  // Not handed to Fastify: a handler that gives it a promise costs every request two more, and a turn through the queue.
  outcome.then(answer).catch((fault) => reply.send(fault))
}
