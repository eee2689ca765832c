// Hands what became of a request to the log, once it is answered.
import type { FastifyInstance } from 'fastify'
import type { RequestLog } from '../actions/workspaces/log-requests.ts'

/** Of requests whose key is nobody's nothing is kept: they are no workspace's. */
export function logRequests(app: FastifyInstance, log: RequestLog): void {
  app.addHook('onResponse', ({ id, method, keyOf, route }, reply, done) => {
    if (keyOf) {
      log.note({
        id,
        workspaceId: keyOf.workspaceId,
        clientId: keyOf.id,
        method,
        route,
        status: reply.statusCode,
        code: reply.refusalCode ?? '',
        milliseconds: Math.round(reply.elapsedTime),
      })
    }
    done()
  })
  app.addHook('onClose', () => log.close())
}
