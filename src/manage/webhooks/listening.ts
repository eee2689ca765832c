// Listening to a client's events over HTTP (D45): one call takes or renews it, says what was told, and answers with what follows.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { endListening, listenForEvents } from '../../actions/webhooks/listen.ts'
import {
  LISTENING_SECONDS,
  LISTENING_WAYS,
  MOST_EVENTS_AT_ONCE,
  MOST_WAITING_EVENTS,
} from '../../domain/webhooks/listening.ts'
import { EVENT_NAMES } from '../../domain/webhooks/webhook-event.ts'
import { respond } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { ZodTypeProvider } from '../../http/validation.ts'
import { callerOf } from '../authenticate.ts'
import { DEVELOPERS, endpointsOf } from '../endpoint.ts'
import { byId, line, nothing } from '../fields.ts'

const position = z.number().int().min(1)

const asked = z
  .strictObject({
    listener: line(200).describe('Who listens, in words; after a restart the same one goes on.'),
    session: z.uuid().describe('Of one run.'),
    as: z.enum(LISTENING_WAYS).describe('`renew` goes on with this session; `takeOver` from another listener.'),
    told: z.array(position).max(MOST_EVENTS_AT_ONCE).default([]).describe('Which events need not be handed out again.'),
  })
  .meta({ title: 'ListeningAsked' })

const heardAnswer = z
  .object({
    until: time.describe('So long events are kept without another call.'),
    isFull: z.boolean().describe('So many events wait that it is not prolonged.'),
    missedSince: time.nullable().describe('From then until now nobody listened, and nothing was kept.'),
    vendor: z.string().describe('The word in the headers.'),
    items: z
      .array(
        z.object({
          position: z.int(),
          id: z.uuid().describe('The value of the delivery header.'),
          event: z.enum(EVENT_NAMES),
          body: z.string().describe('To the byte, as it is signed.'),
          createdAt: time,
        }),
      )
      .describe('The next ones, in their order.'),
  })
  .meta({ title: 'Listening' })

const endpoint = endpointsOf('Webhook deliveries')
const calls = {
  listen: endpoint(DEVELOPERS, {
    operationId: 'listen',
    summary: "Listen to a client's events",
    description: `For programs with a token. From the first call on, events are kept for the listener, also of a client without a webhook URL, until ${LISTENING_SECONDS} seconds after the last call; with more than ${MOST_WAITING_EVENTS} waiting it is not prolonged.`,
    params: byId,
    body: asked,
    response: { 200: heardAnswer },
    refusals: ['conflict', 'forbidden'],
  }),
  end: endpoint(DEVELOPERS, {
    operationId: 'endListening',
    summary: 'Listen no more',
    description: 'What was not told yet is dropped. A listening of another session stays.',
    params: byId.extend({ session: z.uuid() }),
    response: { 204: nothing },
    refusals: ['forbidden'],
  }),
}

export function mountListening(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.post('/clients/:id/listening', calls.listen, async (request, reply) => {
    const heard = await listenForEvents(ports, callerOf(request), { clientId: request.params.id, ...request.body })
    return respond(reply, heard, {
      view: ({ until, isFull, missedSince, events }) => ({
        ...{ until, isFull, missedSince, vendor: ports.vendor },
        items: events.map(({ position, deliveryId, name, body, createdAt }) => ({
          ...{ position, id: deliveryId, event: name, body: body.toString(), createdAt },
        })),
      }),
    })
  })

  app.delete('/clients/:id/listening/:session', calls.end, async (request, reply) => {
    const { id: clientId, session } = request.params
    const ended = await endListening(ports, callerOf(request), { clientId, session })
    return respond(reply, ended, { status: 204, view: () => null })
  })
}
