// Owner tokens over HTTP: made by the operator, shown once, revocable.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { cancelOwnerToken, createOwnerToken } from '../actions/manage-owner-tokens.ts'
import type { Ports } from '../actions/ports.ts'
import { refuse } from '../domain/refusals.ts'
import { respond, sendRefusal } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { listOwnerTokens } from '../store/owner-tokens.ts'
import { callerOf, dbOf, findAskedWorkspace } from './authenticate.ts'
import { byId, line, pageFrom, pageOf, paging } from './fields.ts'

const newToken = z.strictObject({ name: line(100) })
const byBoth = byId.extend({ tokenId: z.uuid() })

export function mountOwnerTokens(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.post('/workspaces/:id/owner-tokens', { schema: { params: byId, body: newToken } }, async (request, reply) => {
    const result = await createOwnerToken(ports, callerOf(request), {
      workspaceId: request.params.id,
      name: request.body.name,
    })
    return respond(reply, result, { status: 201, view: (token) => token })
  })

  app.get('/workspaces/:id/owner-tokens', { schema: { params: byId, querystring: paging } }, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const tokens = await listOwnerTokens(dbOf(ports, request), {
      workspaceId: workspace.id,
      ...pageFrom(request.query),
    })
    return pageOf(tokens, request.query.limit, (token) => token)
  })

  app.delete('/workspaces/:id/owner-tokens/:tokenId', { schema: { params: byBoth } }, async (request, reply) => {
    const { id: workspaceId, tokenId: id } = request.params
    const refusal = await cancelOwnerToken(ports, callerOf(request), { id, workspaceId })
    return refusal ? sendRefusal(reply, refusal) : reply.code(204).send()
  })
}
