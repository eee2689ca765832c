// Serves one call per workspace at a time, so that no workspace delays another (D43). Some calls wait, and the rest are refused.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { onlyWorkspace } from '../domain/people/actor.ts'
import { refuse } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'
import { Turns } from '../runtime/turns.ts'
import type { IsStillAllowed } from './authenticate.ts'

export const MAX_WAITING_CALLS = 20
const REFUSED_AFTER_MS = 1_000
const TOO_MANY = refuse('rate_limited', {
  error: `Too many calls of this workspace: one is in progress and ${MAX_WAITING_CALLS} wait; retry later`,
  retryAfterSeconds: 1,
})

/**
 * Applies to every route that is mounted afterwards. A turn lasts until the handler ends, even if the caller disconnects. A call that
 * waited is authorized again: its person, token or session may have lost access (D26, D67).
 */
export function takeTurns(app: FastifyInstance, isStillAllowed: IsStillAllowed): void {
  const turns = new Turns({ maxWaiting: MAX_WAITING_CALLS })
  const known = new WeakSet<RouteHandlerMethod>()
  app.addHook('onRoute', (route) => {
    const { handler } = route
    // Fastify mounts each GET route a second time for HEAD.
    if (known.has(handler)) return
    route.handler = async function inTurn(request, reply) {
      // Operators, and people who sign in, have no workspace.
      const workspaceId = request.actor && onlyWorkspace(request.actor)
      if (workspaceId === null) return handler.call(this, request, reply)
      const turn = turns.take(workspaceId)
      if (turn === null) {
        // The delay slows down callers that retry in a loop.
        await sleep(REFUSED_AFTER_MS)
        return sendRefusal(reply, TOO_MANY)
      }
      if (turn !== 'now') await turn
      try {
        if (turn !== 'now' && !(await isStillAllowed(request))) return sendRefusal(reply, refuse('unauthorized'))
        return await handler.call(this, request, reply)
      } finally {
        turns.end(workspaceId)
      }
    }
    known.add(route.handler)
  })
}
