// Whose token it is, and what is called by a name: what the command line has to know before it can ask for anything.

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { onlyWorkspace } from '../domain/actor.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { findNamed, NAMED_KINDS } from '../store/names.ts'
import { findOwnerToken } from '../store/owner-tokens.ts'
import { callerOf, dbOf } from './authenticate.ts'
import { line } from './fields.ts'

const called = z.object({ kind: z.enum(NAMED_KINDS), name: line(100), workspace: z.uuid().optional() })
const MOST_NAMED = 20

export function mountWhoami(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const forOwners = { config: { owner: true } }

  app.get('/whoami', forOwners, async (request) => {
    const { actor } = callerOf(request)
    if (actor.kind !== 'owner') return { kind: actor.kind }
    const token = await findOwnerToken(dbOf(ports, request), actor.tokenId)
    return { kind: actor.kind, token: token && { id: token.id, name: token.name }, workspace: token?.workspace ?? null }
  })

  app.get('/names', { ...forOwners, schema: { querystring: called } }, async (request) => {
    const { kind, name, workspace = null } = request.query
    const own = onlyWorkspace(callerOf(request).actor)
    // Another's workspace holds nothing for an owner, as one that does not exist.
    if (own !== null && workspace !== null && workspace !== own) return { items: [], next: null }
    return {
      items: await findNamed(dbOf(ports, request), { kind, name, within: own ?? workspace, limit: MOST_NAMED }),
      next: null,
    }
  })
}
