// Replies (D18): of a workspace for its people, and all replies for the operator.
import { z } from 'zod'
import { attributeReply } from '../../actions/messages/record-inbound.ts'
import { recordNumberSearch } from '../../actions/messages/reveal-message.ts'
import type { Ports } from '../../actions/ports.ts'
import type { Manager } from '../../domain/people/actor.ts'
import {
  canRevealNumbers,
  canSeeNumbers,
  DIGITS_SEARCHED,
  shownNumber,
  shownText,
} from '../../domain/people/masking.ts'
import { readPhoneNumber } from '../../domain/phone-number.ts'
import { Refusal, refuseField } from '../../domain/refusals.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { type InboundMessage, type InboundSender, listInbound } from '../../store/messages/inbound.ts'
import { findClient } from '../../store/workspaces/clients.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { datesIn, readDates } from '../days.ts'
import { endpointsOf, OPERATORS, VIEWERS } from '../endpoint.ts'
import { byId, line, listOf, pageFrom, pageOf, paging, uuid } from '../fields.ts'

const client = uuid.optional().describe('Client that the reply belongs to.')
const filters = paging.extend({
  client,
  from: line(50)
    .optional()
    .describe('Number of the sender, or its last digits. Viewers search by up to four last digits.'),
  ...datesIn("the workspace's time zone"),
})
const operatorFilters = paging.extend({
  client,
  ...datesIn('UTC'),
  workspace: uuid.optional().describe('Workspace that the reply belongs to.'),
  unattributed: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(false)
    .meta({ enum: ['true', 'false'], default: 'false', description: 'Only replies without a client.' }),
})

const attribution = z
  .strictObject({ clientId: uuid.describe('Client that gets the reply.') })
  .meta({ title: 'Attribution' })

const replyAnswer = z
  .object({
    id: z.uuid(),
    carrierId: uuid.optional().describe('Only for the operator.'),
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
  app.get('/workspaces/:id/inbound', calls.ofWorkspace, async (request, reply) => {
    const caller = callerOf(request)
    const workspace = await loadWorkspace(ports, request)
    const { client: clientId = null, from: written, cursor, limit } = request.query
    const dates = readDates(request.query, workspace.timeZone)
    if (dates instanceof Refusal) return sendRefusal(reply, dates)
    // A cursor of another client's scan would reveal that the client exists.
    const isOwn =
      clientId === null || (await findClient(dbOf(ports, request), { id: clientId, within: workspace.id })) !== null
    if (!isOwn) return { items: [], next: null }
    const from = written === undefined ? null : readSender(written, { workspace, actor: caller.actor })
    if (from instanceof Refusal) return sendRefusal(reply, from)
    if (from === 'none') return { items: [], next: null }
    if (from !== null && 'number' in from && cursor === undefined)
      await recordNumberSearch(ports, caller, { workspaceId: workspace.id, to: from.number, search: null })
    const filter = { workspaceId: workspace.id, clientId, unattributed: false, from, ...dates }
    const page = pageFrom(request.query)
    const { rows, scannedTo } = await listInbound(dbOf(ports, request), { ...filter, ...page })
    return pageOf(rows, limit, (it) => replyView(it, caller.actor), scannedTo)
  })

  app.get('/inbound', calls.all, async (request, reply) => {
    const { workspace: workspaceId = null, client: clientId = null, unattributed, limit } = request.query
    const dates = readDates(request.query, 'UTC')
    if (dates instanceof Refusal) return sendRefusal(reply, dates)
    const filter = { workspaceId, clientId, unattributed, from: null, ...dates, ...pageFrom(request.query) }
    const { rows, scannedTo } = await listInbound(dbOf(ports, request), filter)
    const { actor } = callerOf(request)
    return pageOf(rows, limit, (it) => replyView(it, actor), scannedTo)
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

const FOR_VIEWERS = 'A viewer searches by the last four digits of a number'

/** 'none' if no reply can match. D68: a search for more digits would reveal masked numbers. */
function readSender(
  written: string,
  { workspace, actor }: { workspace: Workspace; actor: Manager },
): InboundSender | Refusal | 'none' {
  const text = written.replaceAll(/[\s()-]/g, '')
  const number = readPhoneNumber(text, workspace.country)
  if (number.ok) return canRevealNumbers(actor) ? { number: number.e164 } : refuseField('from', FOR_VIEWERS)
  const isShown = canSeeNumbers(actor) || text.length <= DIGITS_SEARCHED
  return /^\d{2,15}$/.test(text) && isShown ? { lastDigits: text } : 'none'
}
