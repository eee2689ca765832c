// Server-sent events: message updates of a workspace, and the traffic of the service for the operator.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { refuse } from '../../domain/refusals.ts'
import { sendRefusal } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { callerOf, type IsStillAllowed, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, OPERATORS, VIEWERS } from '../endpoint.ts'
import { byId } from '../fields.ts'
import { beginStream } from '../stream.ts'
import { LiveFeed, MAX_PER_WORKSPACE } from './live-feed.ts'

const events = (title: string, description: string) =>
  z.string().describe(description).meta({ title, mediaType: 'text/event-stream' })

const endpoint = endpointsOf('Live')
const calls = {
  ofWorkspace: endpoint(VIEWERS, {
    operationId: 'watchMessages',
    summary: 'Stream message updates',
    description: `Server-sent events. Each process serves up to ${MAX_PER_WORKSPACE} streams per workspace. A stream ends with its token or session.`,
    params: byId,
    response: {
      200: events(
        'MessageEvents',
        '`messages`: `{"items": [Message…], "more": n}`, new and changed messages, and the number of further ones. `open`: the stream has started.',
      ),
    },
  }),
  ofService: endpoint(OPERATORS, {
    operationId: 'watchTraffic',
    summary: 'Stream traffic of the service',
    response: {
      200: events(
        'TrafficEvents',
        '`traffic`, every second: `{"accepted": …, "delivered": …, "undelivered": …, "failed": …}` per second.',
      ),
    },
  }),
}

const TOO_MANY = refuse('rate_limited', {
  error: `The workspace has ${MAX_PER_WORKSPACE} streams already; close one and retry`,
  retryAfterSeconds: 10,
})
const FULL = refuse('unavailable', { error: 'Too many streams; retry later', retryAfterSeconds: 10 })

export function mountLive(
  app: TypedServer,
  ports: Ports,
  surroundings: { leaving: AbortSignal; isStillAllowed: IsStillAllowed },
): void {
  const feed = new LiveFeed(ports, { log: app.log, ...surroundings })

  const watch = (request: FastifyRequest, reply: FastifyReply, workspaceId: string | null) => {
    const full = feed.fullBecause(workspaceId)
    if (full) return sendRefusal(reply, full === 'workspace' ? TOO_MANY : FULL)
    // Disables buffering in proxies.
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
    const stream = beginStream(reply, headers)
    feed.add({ request, stream, actor: callerOf(request).actor, workspaceId }, lastEventAt(request))
  }

  app.get('/workspaces/:id/events', { ...calls.ofWorkspace, exposeHeadRoute: false }, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    return watch(request, reply, workspace.id)
  })

  app.get('/events', { ...calls.ofService, exposeHeadRoute: false }, async (request, reply) =>
    watch(request, reply, null),
  )
}

/** The id of an event is its time, and a browser sends the last id when it reconnects. */
function lastEventAt({ headers }: FastifyRequest): Date | null {
  const written = headers['last-event-id']
  return typeof written === 'string' && /^\d{1,15}$/.test(written) ? new Date(Number(written)) : null
}
