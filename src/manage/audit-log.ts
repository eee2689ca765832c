// The audit log over HTTP (§5.1 rule 8): a workspace's own for its owner, all of it for the operator.

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { refuse } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'
import { time } from '../http/time.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { type AuditEntry, listAuditEntries } from '../store/audit.ts'
import { callerOf, dbOf, findAskedWorkspace } from './authenticate.ts'
import { endpointsOf } from './endpoint.ts'
import { byId, listOf, pageFrom, pageOf, paging } from './fields.ts'

const entryAnswer = z
  .object({
    id: z.uuid(),
    actor: z.string().describe('`operator`, `owner:<token id>` or `service`.'),
    action: z.string().describe('Such as `client.key_rotated`.'),
    subject: z.string().describe('The id of what was changed.'),
    details: z.record(z.string(), z.unknown()).describe('Old and new values, never a secret.'),
    address: z.string().nullable().describe("Where the call came from; of the operator's, null to an owner."),
    requestId: z.uuid().nullable(),
    at: time,
  })
  .meta({ title: 'WorkspaceAuditEntry' })
const anyEntryAnswer = entryAnswer.extend({ workspaceId: z.uuid().nullable() }).meta({ title: 'AuditEntry' })

const endpoint = endpointsOf('Audit log')
const calls = {
  ofWorkspace: endpoint(
    { roles: ['operator', 'owner'], scope: 'workspace' },
    {
      operationId: 'listWorkspaceAuditLog',
      summary: 'List what was changed in a workspace',
      params: byId,
      querystring: paging,
      response: { 200: listOf(entryAnswer) },
    },
  ),
  all: endpoint(
    { roles: ['operator'], scope: 'service' },
    {
      operationId: 'listAuditLog',
      summary: 'List all that was changed',
      querystring: paging,
      response: { 200: listOf(anyEntryAnswer) },
    },
  ),
}

export function mountAuditLog(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/workspaces/:id/audit-log', calls.ofWorkspace, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const entries = await listAuditEntries(dbOf(ports, request), {
      workspaceId: workspace.id,
      ...pageFrom(request.query),
    })
    const { actor } = callerOf(request)
    return pageOf(entries, request.query.limit, actor.kind === 'operator' ? entryView : ownerView)
  })

  app.get('/audit-log', calls.all, async (request) => {
    const entries = await listAuditEntries(dbOf(ports, request), { workspaceId: null, ...pageFrom(request.query) })
    return pageOf(entries, request.query.limit, (entry) => entry)
  })
}

function entryView({ workspaceId: _, ...entry }: AuditEntry): z.input<typeof entryAnswer> {
  return entry
}

/** D43: where the operator works from, and by which requests, is the operator's business. */
function ownerView(entry: AuditEntry): z.input<typeof entryAnswer> {
  const isByOwner = entry.actor.startsWith('owner:')
  return isByOwner ? entryView(entry) : { ...entryView(entry), address: null, requestId: null }
}
