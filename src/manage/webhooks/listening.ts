// Webhook forwarding (D45): one call starts or renews a session, acknowledges events, and returns the next events.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { endListening, listenForEvents } from '../../actions/webhooks/listen.ts'
import {
  LISTENING_MODES,
  LISTENING_SECONDS,
  MAX_EVENTS_AT_ONCE,
  MAX_WAITING_EVENTS,
} from '../../domain/webhooks/listening.ts'
import { EVENT_NAMES } from '../../domain/webhooks/webhook-event.ts'
import { respond, respondEmpty } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { callerOf } from '../authenticate.ts'
import { DEVELOPERS, endpointsOf } from '../endpoint.ts'
import { byId, line, noContent, uuid } from '../fields.ts'

const position = z.number().int().min(1)

const requested = z
  .strictObject({
    listener: line(200).describe('Name of the listener. After a restart the same listener continues.'),
    session: uuid.describe('Id of one run of the listener.'),
    as: z
      .enum(LISTENING_MODES)
      .describe('`begin` starts a session, `renew` continues it, `takeOver` ends the session of another listener.'),
    forwarded: z.array(position).max(MAX_EVENTS_AT_ONCE).default([]).describe('Positions of the events that are done.'),
  })
  .meta({ title: 'ListeningRequest' })

const listeningAnswer = z
  .object({
    until: time.describe('How long events are kept without another call.'),
    isFull: z.boolean().describe('Too many events wait, so the session is not extended.'),
    missedSince: time.nullable().describe('Events since this time are lost, because there was no listener.'),
    vendor: z.string().describe('Word in the header names.'),
    items: z
      .array(
        z.object({
          position: z.int(),
          id: z.uuid().describe('Value of the delivery header.'),
          event: z.enum(EVENT_NAMES),
          body: z.string().describe('The body as signed.'),
          createdAt: time,
        }),
      )
      .describe('The next events, in order.'),
  })
  .meta({ title: 'Listening' })

const endpoint = endpointsOf('Webhook deliveries')
const calls = {
  listen: endpoint(DEVELOPERS, {
    operationId: 'listen',
    summary: 'Listen to webhook events',
    description: `For programs with a token. Events are kept for the listener until ${LISTENING_SECONDS} seconds after its last call, even if the client has no webhook URL. With more than ${MAX_WAITING_EVENTS} events waiting, the session is not extended.`,
    params: byId,
    body: requested,
    response: { 200: listeningAnswer },
    refusals: ['conflict', 'forbidden'],
  }),
  end: endpoint(DEVELOPERS, {
    operationId: 'endListening',
    summary: 'Stop listening',
    description: 'Drops the waiting events. Other sessions are not affected.',
    params: byId.extend({ session: uuid }),
    response: { 204: noContent },
    refusals: ['forbidden'],
  }),
}

export function mountListening(app: TypedServer, ports: Ports): void {
  app.post('/clients/:id/listening', calls.listen, async (request, reply) => {
    const result = await listenForEvents(ports, callerOf(request), { clientId: request.params.id, ...request.body })
    return respond(reply, result, {
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
    return respondEmpty(reply, ended)
  })
}
