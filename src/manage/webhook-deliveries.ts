// Webhook deliveries over HTTP: their history with every posting, and sending again (§6.4 rule 4).

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { replayDead, resendDelivery, sendTestEvent } from '../actions/manage-webhook-deliveries.ts'
import type { Ports } from '../actions/ports.ts'
import { onlyWorkspace } from '../domain/actor.ts'
import { refuse } from '../domain/refusals.ts'
import { respond, sendRefusal } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { findClient } from '../store/clients.ts'
import {
  DELIVERY_STATES,
  findDelivery,
  listDeliveries,
  listPostings,
  type StoredPosting,
  type WebhookDelivery,
} from '../store/webhook-deliveries.ts'
import { callerOf, dbOf } from './authenticate.ts'
import { byId, instant, judgePeriod, pageFrom, pageOf, paging } from './fields.ts'

const filters = paging.extend({
  state: z.enum(DELIVERY_STATES).optional(),
  event: z.enum(['message.status', 'message.inbound']).optional(),
  message: z.uuid().optional(),
  since: instant.optional(),
  until: instant.optional(),
})
const replay = z.strictObject({ since: instant })

export function mountWebhookDeliveries(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const forOwners = { config: { owner: true } }

  app.get(
    '/clients/:id/webhook-deliveries',
    { ...forOwners, schema: { params: byId, querystring: filters } },
    async (request, reply) => {
      const within = onlyWorkspace(callerOf(request).actor)
      const client = await findClient(dbOf(ports, request), { id: request.params.id, within })
      if (!client) return sendRefusal(reply, refuse('not_found'))
      const { state = null, event = null, message: messageId = null, since = null, until = null } = request.query
      const backwards = judgePeriod('until', { since, until })
      if (backwards) return sendRefusal(reply, backwards)
      const filter = { clientId: client.id, state, event, messageId, since, until }
      const { rows, lookedTo } = await listDeliveries(dbOf(ports, request), { ...filter, ...pageFrom(request.query) })
      return pageOf(rows, request.query.limit, viewOf, lookedTo)
    },
  )

  app.get('/webhook-deliveries/:id', { ...forOwners, schema: { params: byId } }, async (request, reply) => {
    const within = onlyWorkspace(callerOf(request).actor)
    const delivery = await findDelivery(dbOf(ports, request), { id: request.params.id, within })
    if (!delivery) return sendRefusal(reply, refuse('not_found'))
    const postings = await listPostings(dbOf(ports, request), delivery.id)
    return { ...viewOf(delivery), body: delivery.body.toString(), postings: postings.map(postingView) }
  })

  app.post('/webhook-deliveries/:id/resend', { ...forOwners, schema: { params: byId } }, async (request, reply) => {
    const result = await resendDelivery(ports, callerOf(request), request.params.id)
    return respond(reply, result, { status: 202, view: viewOf })
  })

  app.post(
    '/clients/:id/webhook-deliveries/replay',
    { ...forOwners, schema: { params: byId, body: replay } },
    async (request, reply) => {
      const { since } = request.body
      const result = await replayDead(ports, callerOf(request), { clientId: request.params.id, since })
      return respond(reply, result, { status: 202, view: (it) => it })
    },
  )

  app.post('/clients/:id/test-event', { ...forOwners, schema: { params: byId } }, async (request, reply) => {
    const result = await sendTestEvent(ports, callerOf(request), request.params.id)
    return respond(reply, result, { status: 202, view: viewOf })
  })
}

/** `id` is the value of the x-svc-delivery header. */
function viewOf(delivery: WebhookDelivery) {
  const { id, clientId, event, messageId, status, state, deadBecause, nextPostingAt, createdAt, endedAt } = delivery
  return { id, clientId, event, messageId, status, state, deadBecause, nextPostingAt, createdAt, endedAt }
}

function postingView({ answerHead, failure, ...posting }: StoredPosting) {
  return { ...posting, answer: answerHead?.toString() ?? null, error: failure }
}
