// Workspaces take turns: of each one call is served at a time, whoever of it asks, some wait, and the rest are told to come again.
// So nobody, however many calls they make at once, holds up another workspace (D43).
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { onlyWorkspace } from '../domain/people/actor.ts'
import { refuse } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'
import { Turns } from '../runtime/turns.ts'
import type { IsStillAllowed } from './authenticate.ts'

export const MOST_WAITING_CALLS = 20
const REFUSED_AFTER_MS = 1_000
const TOO_MANY = refuse('rate_limited', {
  error: `Of one workspace one call is served at a time, and ${MOST_WAITING_CALLS} wait`,
  retryAfterSeconds: 1,
})

/**
 * For every route mounted from here on. A turn lasts until the work is done, also when nobody waits for the answer any more. A call that
 * had to wait is authenticated again: the person may have been removed, the token revoked, the session ended meanwhile (D26, D67).
 */
export function takeTurns(app: FastifyInstance, isStillAllowed: IsStillAllowed): void {
  const turns = new Turns({ mostWaiting: MOST_WAITING_CALLS })
  const known = new WeakSet<RouteHandlerMethod>()
  app.addHook('onRoute', (route) => {
    const { handler } = route
    // Fastify mounts what answers GET a second time for HEAD.
    if (known.has(handler)) return
    route.handler = async function inTurn(request, reply) {
      // Who is about to sign in has no workspace yet.
      const workspaceId = request.actor && onlyWorkspace(request.actor)
      if (workspaceId === null) return handler.call(this, request, reply)
      const turn = turns.take(workspaceId)
      if (turn === null) {
        // Told at once, whoever asks without end would be refused without end, and that takes time from others.
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
