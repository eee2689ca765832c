// Owners take turns: of each workspace a few calls are served at a time, a few more wait, and the rest are told to come again.
// So no owner, however many calls it makes at once, holds up another (D43).
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { refuse } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'
import { callerOf } from './authenticate.ts'

const MOST_AT_ONCE = 2
const MOST_WAITING = 20
const REFUSED_AFTER_MS = 1_000
const TOO_MANY = refuse('rate_limited', {
  error: `Of one workspace ${MOST_AT_ONCE} calls are served at a time, and ${MOST_WAITING} wait`,
  retryAfterSeconds: 1,
})

interface Line {
  served: number
  waiting: (() => void)[]
}

class Turns {
  // Only workspaces with a call under way.
  readonly #lines = new Map<string, Line>()

  /** Resolves when it is this call's turn; null where too many wait already. */
  take(workspaceId: string): Promise<void> | null {
    const line = this.#lines.getOrInsertComputed(workspaceId, () => ({ served: 0, waiting: [] }))
    if (line.served < MOST_AT_ONCE) {
      line.served += 1
      return Promise.resolve()
    }
    if (line.waiting.length >= MOST_WAITING) return null
    return new Promise((resolve) => line.waiting.push(resolve))
  }

  /** The turn passes on to whoever has waited longest. */
  end(workspaceId: string): void {
    const line = this.#lines.get(workspaceId)
    if (!line) throw new Error('a turn ended that nobody took')
    const next = line.waiting.shift()
    if (next) next()
    else if (line.served > 1) line.served -= 1
    else this.#lines.delete(workspaceId)
  }
}

/** For every route mounted from here on. A turn lasts until the work is done, also when nobody waits for the answer any more. */
export function takeTurns(app: FastifyInstance): void {
  const turns = new Turns()
  const known = new WeakSet<RouteHandlerMethod>()
  app.addHook('onRoute', (route) => {
    const { handler } = route
    // Fastify mounts what answers GET a second time for HEAD.
    if (route.config?.owner !== true || known.has(handler)) return
    route.handler = async function inTurn(request, reply) {
      const { actor } = callerOf(request)
      if (actor.kind !== 'owner') return handler.call(this, request, reply)
      const turn = turns.take(actor.workspaceId)
      if (turn === null) {
        // Told at once, whoever asks without end would be refused without end, and that takes time from others.
        await sleep(REFUSED_AFTER_MS)
        return sendRefusal(reply, TOO_MANY)
      }
      await turn
      try {
        return await handler.call(this, request, reply)
      } finally {
        turns.end(actor.workspaceId)
      }
    }
    known.add(route.handler)
  })
}
