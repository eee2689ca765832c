// What the endpoints that take an Idempotency-Key share: the outcome of their lane as an answer.
import type { FastifyReply } from 'fastify'
import type { Accepted } from '../actions/accept-messages.ts'
import { Refusal } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'

/** §8.3: a replay is the original answer, marked as one. */
export function answerAccepted(reply: FastifyReply, outcome: Accepted | Refusal): FastifyReply {
  if (outcome instanceof Refusal) return sendRefusal(reply, outcome)
  if (outcome.replayed) reply.header('idempotent-replayed', 'true')
  return reply.type('application/json; charset=utf-8').send(outcome.answer)
}
