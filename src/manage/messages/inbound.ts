// Replies (D18): of a workspace for its people, and all replies for the operator.
import { z } from 'zod'
import { attributeReply } from '../../actions/messages/record-inbound.ts'
import type { Ports } from '../../actions/ports.ts'
import type { Manager } from '../../domain/people/actor.ts'
import { shownNumber, shownText } from '../../domain/people/masking.ts'
import { respond } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { type InboundMessage, listInbound } from '../../store/messages/inbound.ts'
import { findClient } from '../../store/workspaces/clients.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, OPERATORS, VIEWERS } from '../endpoint.ts'
import { byId, listOf, pageFrom, pageOf, paging } from '../fields.ts'

const filters = paging.extend({ client: z.uuid().optional().describe('Client that the reply belongs to.') })
const operatorFilters = filters.extend({
  workspace: z.uuid().optional().describe('Workspace that the reply belongs to.'),
  unattributed: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(false)
    .meta({ enum: ['true', 'false'], default: 'false', description: 'Only replies without a client.' }),
})

const attribution = z
  .strictObject({ clientId: z.uuid().describe('Client that gets the reply.') })
  .meta({ title: 'Attribution' })

const replyAnswer = z
  .object({
    id: z.uuid(),
    carrierId: z.uuid().optional().describe('Only for the operator.'),
    workspaceId: z.uuid().nullable(),
    clientId: z.uuid().nullable().describe('null: no client.'),
    from: z.string(),
    to: z.string(),
    text: z.string(),
    inReplyTo: z.uuid().nullable().describe('The message that the reply answers, if known.'),
    receivedAt: time,
  })
  .meta({ title: 'Reply' })

const endpoint = endpointsOf('Replies')
const calls = {
  ofWorkspace: endpoint(VIEWERS, {
    operationId: 'listWorkspaceReplies',
    summary: 'List replies of a workspace',
    params: byId,
    querystring: filters,
    response: { 200: listOf(replyAnswer) },
  }),
  all: endpoint(OPERATORS, {
    operationId: 'listReplies',
    summary: 'List all replies',
    querystring: operatorFilters,
    response: { 200: listOf(replyAnswer) },
  }),
  attribute: endpoint(OPERATORS, {
    operationId: 'attributeReply',
    summary: 'Assign a reply to a client',
    description: 'Sends a webhook event to the client. This cannot be changed later.',
    params: byId,
    body: attribution,
    response: { 200: replyAnswer },
    refusals: ['conflict'],
  }),
}

export function mountInbound(app: TypedServer, ports: Ports): void {
  app.get('/workspaces/:id/inbound', calls.ofWorkspace, async (request) => {
    const { actor } = callerOf(request)
    const workspace = await loadWorkspace(ports, request)
    const { client: clientId = null, limit } = request.query
    // The query filters by client only, so the client must belong to the workspace.
    const isOwn =
      clientId === null || (await findClient(dbOf(ports, request), { id: clientId, within: workspace.id })) !== null
    if (!isOwn) return { items: [], next: null }
    const filter = { workspaceId: clientId === null ? workspace.id : null, clientId, unattributed: false }
    const replies = await listInbound(dbOf(ports, request), { ...filter, ...pageFrom(request.query) })
    return pageOf(replies, limit, (it) => replyView(it, actor))
  })

  app.get('/inbound', calls.all, async (request) => {
    const { workspace: workspaceId = null, client: clientId = null, unattributed, limit } = request.query
    const page = pageFrom(request.query)
    const replies = await listInbound(dbOf(ports, request), { workspaceId, clientId, unattributed, ...page })
    const { actor } = callerOf(request)
    return pageOf(replies, limit, (it) => replyView(it, actor))
  })

  app.post('/inbound/:id/attribute', calls.attribute, async (request, reply) => {
    const { clientId } = request.body
    const caller = callerOf(request)
    const result = await attributeReply(ports, caller, { id: request.params.id, clientId })
    return respond(reply, result, { view: (it) => replyView(it, caller.actor) })
  })
}

/** Only the operator sees the carrier. */
function replyView({ carrierId, ...reply }: InboundMessage, actor: Manager): z.input<typeof replyAnswer> {
  const shown = { ...reply, from: shownNumber(reply.from, actor), text: shownText(reply.text, actor) }
  return actor.kind === 'operator' ? { ...shown, carrierId } : shown
}
