// The audit log over HTTP (§5.1 rule 8): a workspace's own for its owner, all of it for the operator.

import type { FastifyInstance } from 'fastify'
import type { Ports } from '../actions/ports.ts'
import { refuse } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { type AuditEntry, listAuditEntries } from '../store/audit.ts'
import { callerOf, dbOf, findAskedWorkspace } from './authenticate.ts'
import { byId, pageFrom, pageOf, paging } from './fields.ts'

export function mountAuditLog(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const ofWorkspace = { schema: { params: byId, querystring: paging }, config: { owner: true } }

  app.get('/workspaces/:id/audit-log', ofWorkspace, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const entries = await listAuditEntries(dbOf(ports, request), {
      workspaceId: workspace.id,
      ...pageFrom(request.query),
    })
    const { actor } = callerOf(request)
    return pageOf(entries, request.query.limit, actor.kind === 'owner' ? ownerView : entryView)
  })

  app.get('/audit-log', { schema: { querystring: paging } }, async (request) => {
    const entries = await listAuditEntries(dbOf(ports, request), { workspaceId: null, ...pageFrom(request.query) })
    return pageOf(entries, request.query.limit, (entry) => entry)
  })
}

function entryView({ workspaceId: _, ...entry }: AuditEntry) {
  return entry
}

/** D43: where the operator works from, and by which requests, is the operator's business. */
function ownerView(entry: AuditEntry) {
  const isByOwner = entry.actor.startsWith('owner:')
  return isByOwner ? entryView(entry) : { ...entryView(entry), address: null, requestId: null }
}
