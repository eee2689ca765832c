// The audit log over HTTP (§5.1 rule 8): a workspace's own for its owner, all of it for the operator.
import type { FastifyInstance } from 'fastify'
import type { House } from '../actions/house.ts'
import { refuse } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { listAuditEntries } from '../store/audit.ts'
import { findAskedWorkspace } from './authenticate.ts'
import { byId, pageFrom, pageOf, paging } from './fields.ts'

export function mountAuditLog(server: FastifyInstance, house: House): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const ofWorkspace = { schema: { params: byId, querystring: paging }, config: { owner: true } }

  app.get('/workspaces/:id/audit-log', ofWorkspace, async (request, reply) => {
    const workspace = await findAskedWorkspace(house, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const entries = await listAuditEntries(house.db, { workspaceId: workspace.id, ...pageFrom(request.query) })
    return pageOf(entries, request.query.limit, ({ workspaceId: _, ...entry }) => entry)
  })

  app.get('/audit-log', { schema: { querystring: paging } }, async (request) => {
    const entries = await listAuditEntries(house.db, { workspaceId: null, ...pageFrom(request.query) })
    return pageOf(entries, request.query.limit, (entry) => entry)
  })
}
