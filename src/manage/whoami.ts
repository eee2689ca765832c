// Whose token it is, and what is called by a name: what the command line has to know before it can ask for anything.

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { onlyWorkspace } from '../domain/actor.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { findNamed, NAMED_KINDS } from '../store/names.ts'
import { findOwnerToken } from '../store/owner-tokens.ts'
import { callerOf, dbOf } from './authenticate.ts'
import { endpointsOf } from './endpoint.ts'
import { line, wholeListOf } from './fields.ts'

const called = z.object({
  kind: z.enum(NAMED_KINDS),
  name: line(100).describe('The whole name, letter by letter.'),
  workspace: z.uuid().optional().describe('Only what belongs to it.'),
})
const MOST_NAMED = 20

const named = z.object({ id: z.uuid(), name: z.string() })
const caller = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('operator') }),
    z.object({ kind: z.literal('owner'), token: named.nullable(), workspace: named.nullable() }),
  ])
  .meta({ title: 'Caller' })
const thing = named.extend({ workspaceId: z.uuid().nullable() }).meta({ title: 'Named' })

const endpoint = endpointsOf('Caller')
const calls = {
  whoami: endpoint(
    { roles: ['operator', 'owner'], scope: 'caller' },
    { operationId: 'whoami', summary: 'Say whose token it is', response: { 200: caller } },
  ),
  names: endpoint(
    { roles: ['operator', 'owner'], scope: 'caller' },
    {
      operationId: 'findNamed',
      summary: 'Find what is called by a name',
      description: `Up to ${MOST_NAMED}, newest first.`,
      querystring: called,
      response: { 200: wholeListOf(thing) },
    },
  ),
}

export function mountWhoami(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/whoami', calls.whoami, async (request) => {
    const { actor } = callerOf(request)
    if (actor.kind !== 'owner') return { kind: actor.kind }
    const token = await findOwnerToken(dbOf(ports, request), actor.tokenId)
    return { kind: actor.kind, token: token && { id: token.id, name: token.name }, workspace: token?.workspace ?? null }
  })

  app.get('/names', calls.names, async (request) => {
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
