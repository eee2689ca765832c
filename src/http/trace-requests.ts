// One span per request of the APIs. A caller's `traceparent` (W3C Trace Context) continues its trace; otherwise the trace has the request id.
import type { FastifyInstance } from 'fastify'
import { messageTrace, traceIdOf } from '../domain/messages/message-trace.ts'
import type { Tracer } from '../runtime/tracer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The message that this request created; empty for every other request. */
    createdMessageId: string
  }
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/
const SAMPLED_FLAG = 1

export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, route, headers, createdMessageId } = request
    if (!route.startsWith('/api/')) return done()
    const { statusCode, elapsedTime, refusalCode } = reply
    const [, traceId = traceIdOf(id), spanId, flags = ''] = TRACEPARENT.exec(String(headers.traceparent ?? '')) ?? []
    tracer.record({
      traceId,
      ...(spanId && { parent: { spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED_FLAG) !== 0 } }),
      name: `${method} ${route}`,
      kind: 'server',
      milliseconds: elapsedTime,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': statusCode,
        'hulaki.request_id': id,
        'hulaki.error_code': refusalCode ?? null,
        'hulaki.message_id': createdMessageId || null,
      },
      error: statusCode >= 500 ? (refusalCode ?? 'server_error') : null,
      links: createdMessageId ? [messageTrace(createdMessageId)] : [],
    })
    done()
  })
}
