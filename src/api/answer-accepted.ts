// What the endpoints that take an Idempotency-Key share: the outcome of their lane as an answer.
import type { FastifyReply } from 'fastify'
import type { Accepted } from '../actions/idempotency.ts'
import { Refusal } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'

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
