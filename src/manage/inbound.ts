// Replies over HTTP (D18): a workspace's own for its owner, all of them, and those that are nobody's, for the operator.

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { attributeReply } from '../actions/attribute-reply.ts'
import type { Ports } from '../actions/ports.ts'
import { refuse } from '../domain/refusals.ts'
import { respond, sendRefusal } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { findClient } from '../store/clients.ts'
import { type InboundMessage, listInbound } from '../store/inbound.ts'
import { callerOf, dbOf, findAskedWorkspace } from './authenticate.ts'
import { byId, pageFrom, pageOf, paging } from './fields.ts'

const filters = paging.extend({ client: z.uuid().optional() })
const operatorFilters = filters.extend({
  workspace: z.uuid().optional(),
  unattributed: z.stringbool({ truthy: ['true'], falsy: ['false'] }).default(false),
})

const attribution = z.strictObject({ clientId: z.uuid() })

export function mountInbound(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/workspaces/:id/inbound',
    { schema: { params: byId, querystring: filters }, config: { owner: true } },
    async (request, reply) => {
      const { actor } = callerOf(request)
      const workspace = await findAskedWorkspace(ports, request)
      if (!workspace) return sendRefusal(reply, refuse('not_found'))
      const { client: clientId = null, limit } = request.query
      // Found by the client alone, which may have far more than this workspace: so it must be one of its own.
      const isOwn =
        clientId === null || (await findClient(dbOf(ports, request), { id: clientId, within: workspace.id })) !== null
      if (!isOwn) return pageOf([], limit, ownerView)
      const filter = { workspaceId: clientId === null ? workspace.id : null, clientId, unattributed: false }
      const replies = await listInbound(dbOf(ports, request), { ...filter, ...pageFrom(request.query) })
      // Which carrier it came by is the operator's business.
      return pageOf(replies, limit, actor.kind === 'owner' ? ownerView : (it) => it)
    },
  )

  app.get('/inbound', { schema: { querystring: operatorFilters } }, async (request) => {
    const { workspace: workspaceId = null, client: clientId = null, unattributed, limit } = request.query
    const page = pageFrom(request.query)
    const replies = await listInbound(dbOf(ports, request), { workspaceId, clientId, unattributed, ...page })
    return pageOf(replies, limit, (it) => it)
  })

  app.post('/inbound/:id/attribute', { schema: { params: byId, body: attribution } }, async (request, reply) => {
    const { clientId } = request.body
    const result = await attributeReply(ports, callerOf(request), { id: request.params.id, clientId })
    return respond(reply, result, { view: (it) => it })
  })
}

function ownerView({ carrierId: _, ...reply }: InboundMessage) {
  return reply
}
