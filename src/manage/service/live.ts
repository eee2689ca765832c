// Server-sent events: which topics changed in a workspace, or for the operator in the whole service, with message updates and traffic on request.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { refuse } from '../../domain/refusals.ts'
import { TOPICS, WORKSPACE_TOPICS } from '../../domain/topics.ts'
import { sendRefusal } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { EVERY_WORKSPACE } from '../../store/change-feed.ts'
import { callerOf, type IsStillAllowed, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, OPERATORS, VIEWERS } from '../endpoint.ts'
import { anyOf, byId, uuid } from '../fields.ts'
import { beginStream } from '../stream.ts'
import { MAX_PER_PERSON, MAX_PER_WORKSPACE, type WatchRequest } from './live-connections.ts'
import { LiveFeed } from './live-feed.ts'

const named = (topics: readonly string[]) => topics.map((it) => `\`${it}\``).join(', ')
const LIMITS = `Each process serves up to ${MAX_PER_PERSON} streams per person or token, and ${MAX_PER_WORKSPACE}`
const MESSAGES =
  '`messages`, on request: `{"items": [Message…], "more": n}`, new and changed messages, and the number of further ones.'
const OTHERS = '`open`: the stream has started. `beat`, every 15 seconds: the connection works.'

const events = (title: string, description: string) =>
  z.string().describe(description).meta({ title, mediaType: 'text/event-stream' })

const included = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  anyOf(z.enum(names)).default([]).describe('Events to send in addition.')

const endpoint = endpointsOf('Live')
const calls = {
  ofWorkspace: endpoint(VIEWERS, {
    operationId: 'watchWorkspace',
    summary: 'Stream changes of a workspace',
    description: `Server-sent events. ${LIMITS} per workspace. A stream ends with its token or session.`,
    params: byId,
    querystring: z.object({ include: included(['messages']) }),
    response: {
      200: events(
        'WorkspaceEvents',
        `\`changed\`: \`{"topics": [...]}\`, what has changed: ${named(WORKSPACE_TOPICS)}. ${MESSAGES} ${OTHERS}`,
      ),
    },
  }),
  ofService: endpoint(OPERATORS, {
    operationId: 'watchService',
    summary: 'Stream changes of the service',
    description: `Server-sent events of all workspaces and of the service. ${LIMITS} of these streams.`,
    querystring: z.object({
      include: included(['messages', 'traffic']),
      workspace: uuid.optional().describe('Only messages of this workspace.'),
    }),
    response: {
      200: events(
        'ServiceEvents',
        `\`changed\`: \`{"topics": [...]}\`, what has changed: ${named(TOPICS)}. ${MESSAGES} \`traffic\`, on request, every second: \`{"accepted": …, "delivered": …, "undelivered": …, "failed": …}\` per second. ${OTHERS}`,
      ),
    },
  }),
}

const LIMIT_REFUSALS = {
  person: tooMany(`You have ${MAX_PER_PERSON} streams open; close one and retry`),
  workspace: tooMany(`${MAX_PER_WORKSPACE} such streams are open already; close one and retry`),
  process: refuse('unavailable', { error: 'Too many streams; retry later', retryAfterSeconds: 10 }),
}

function tooMany(error: string) {
  return refuse('rate_limited', { error, retryAfterSeconds: 10 })
}

export function mountLive(
  app: TypedServer,
  ports: Ports,
  options: { leaving: AbortSignal; isStillAllowed: IsStillAllowed },
): void {
  const feed = new LiveFeed(ports, { log: app.log, ...options })

  const watch = (
    request: FastifyRequest,
    reply: FastifyReply,
    wanted: Pick<WatchRequest, 'workspaceId' | 'messagesOf' | 'hasTraffic'>,
  ) => {
    const { actor } = callerOf(request)
    const limit = feed.findLimit({ actor, ...wanted })
    if (limit) return sendRefusal(reply, LIMIT_REFUSALS[limit])
    // Disables buffering in proxies.
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
    const stream = beginStream(reply, headers)
    feed.add({ request, stream, actor, ...wanted }, lastEventAt(request))
  }

  app.get('/workspaces/:id/events', { ...calls.ofWorkspace, exposeHeadRoute: false }, async (request, reply) => {
    const { id: workspaceId } = await loadWorkspace(ports, request)
    const messagesOf = request.query.include.includes('messages') ? workspaceId : null
    return watch(request, reply, { workspaceId, messagesOf, hasTraffic: false })
  })

  app.get('/events', { ...calls.ofService, exposeHeadRoute: false }, async (request, reply) => {
    const { include, workspace } = request.query
    const messagesOf = include.includes('messages') ? (workspace ?? EVERY_WORKSPACE) : null
    return watch(request, reply, { workspaceId: EVERY_WORKSPACE, messagesOf, hasTraffic: include.includes('traffic') })
  })
}

/** The id of an event is its time, and a browser sends the last id when it reconnects. */
function lastEventAt({ headers }: FastifyRequest): Date | null {
  const written = headers['last-event-id']
  return typeof written === 'string' && /^\d{1,15}$/.test(written) ? new Date(Number(written)) : null
}
