// Webhook deliveries with their attempts, resends, replays and test events (§6.4 rule 4).
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import {
  MAX_PER_MINUTE,
  MAX_REPLAYED,
  replayFailed,
  resendDelivery,
  sendTestEvent,
} from '../../actions/webhooks/manage-webhook-deliveries.ts'
import { type Manager, onlyWorkspace } from '../../domain/people/actor.ts'
import { shownAnswer, shownEventBody } from '../../domain/people/masking.ts'
import { EVENT_NAMES, WEBHOOK_STATUSES } from '../../domain/webhooks/webhook-event.ts'
import { FAILURE_REASONS } from '../../domain/webhooks/webhook-schedule.ts'
import { requireFound, respond } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import type { Db } from '../../store/database/db.ts'
import { MAX_ROWS_SCANNED } from '../../store/pages.ts'
import {
  DELIVERY_STATES,
  findDelivery,
  listAttempts,
  listDeliveries,
  MAX_ATTEMPTS_SHOWN,
  type StoredAttempt,
  type WebhookDelivery,
} from '../../store/webhooks/webhook-deliveries.ts'
import { listClientIds } from '../../store/workspaces/clients.ts'
import { callerOf, dbOf, loadClient, loadWorkspace } from '../authenticate.ts'
import { DEVELOPERS, endpointsOf, OPERATORS, VIEWERS } from '../endpoint.ts'
import { byId, checkPeriod, instant, inWorkspace, listOf, pageFrom, pageOf, paging, uuid } from '../fields.ts'
import { latestAttemptAnswer, latestAttemptView } from './latest-attempt.ts'

const filters = paging.extend({
  state: z.enum(DELIVERY_STATES).optional().describe('Delivery state.'),
  event: z.enum(EVENT_NAMES).optional().describe('Event name.'),
  message: uuid.optional().describe('Id of a message.'),
  since: instant.optional().describe('Start, such as 2026-11-15T00:00:00Z.'),
  until: instant.optional().describe('End, excluded.'),
})
const workspaceFilters = filters.extend({ client: uuid.optional().describe('Client of the webhook.') })
const serviceFilters = workspaceFilters.extend(inWorkspace)
const replay = z
  .strictObject({ since: instant.describe('Start, such as 2026-11-15T00:00:00Z.') })
  .meta({ title: 'Replay' })

const deliveryAnswer = z
  .object({
    id: z.uuid().describe('Value of the delivery header.'),
    clientId: z.uuid(),
    event: z.enum(EVENT_NAMES),
    messageId: z.uuid().nullable(),
    status: z.enum(WEBHOOK_STATUSES).nullable(),
    state: z.enum(DELIVERY_STATES),
    failureReason: z.enum(FAILURE_REASONS).nullable(),
    nextAttemptAt: time.nullable(),
    createdAt: time,
    endedAt: time.nullable(),
    attemptCount: z.int().describe(`Number of attempts; ${MAX_ATTEMPTS_SHOWN} can mean more.`),
    latest: latestAttemptAnswer,
  })
  .meta({ title: 'WebhookDelivery' })

const serviceDeliveryAnswer = deliveryAnswer
  .extend({ clientName: z.string(), workspaceId: z.uuid(), workspaceName: z.string() })
  .meta({ title: 'ServiceWebhookDelivery' })

const attemptAnswer = z.object({
  number: z.int().describe('Number of the attempt, from 1.'),
  url: z.string(),
  attemptedAt: time,
  milliseconds: z.int(),
  statusCode: z.int().nullable(),
  answer: z.string().nullable().describe('Start of the response body.'),
  error: z.string().nullable().describe('Why there was no response.'),
})
const wholeDeliveryAnswer = deliveryAnswer
  .extend({
    body: z.string().describe('The body as signed. People see the number masked.'),
    attempts: z.array(attemptAnswer).describe(`The last ${MAX_ATTEMPTS_SHOWN} attempts.`),
  })
  .meta({ title: 'WholeWebhookDelivery' })
const replayAnswer = z
  .object({ replayed: z.int(), more: z.boolean().describe('Whether more may follow: repeat the call.') })
  .meta({ title: 'Replayed' })

const perMinute = (most: number) => `Up to ${most} in a minute per client.`

const endpoint = endpointsOf('Webhook deliveries')
const calls = {
  list: endpoint(VIEWERS, {
    operationId: 'listWebhookDeliveries',
    summary: 'List webhook deliveries',
    params: byId,
    querystring: filters,
    response: { 200: listOf(deliveryAnswer) },
  }),
  listAll: endpoint(VIEWERS, {
    operationId: 'listWorkspaceWebhookDeliveries',
    summary: 'List webhook deliveries of a workspace',
    params: byId,
    querystring: workspaceFilters,
    response: { 200: listOf(deliveryAnswer) },
  }),
  listOfService: endpoint(OPERATORS, {
    operationId: 'listAllWebhookDeliveries',
    summary: 'List webhook deliveries of all workspaces',
    description: `A page reads at most ${MAX_ROWS_SCANNED} deliveries: a page can be short or empty while more follow.`,
    querystring: serviceFilters,
    response: { 200: listOf(serviceDeliveryAnswer) },
  }),
  read: endpoint(DEVELOPERS, {
    operationId: 'getWebhookDelivery',
    summary: 'Get a webhook delivery',
    params: byId,
    response: { 200: wholeDeliveryAnswer },
  }),
  resend: endpoint(DEVELOPERS, {
    operationId: 'resendWebhookDelivery',
    summary: 'Resend a webhook event',
    description: perMinute(MAX_PER_MINUTE.resend),
    params: byId,
    response: { 202: deliveryAnswer },
    refusals: ['conflict'],
  }),
  replay: endpoint(DEVELOPERS, {
    operationId: 'replayWebhookDeliveries',
    summary: 'Replay failed events',
    description: `At most ${MAX_REPLAYED} deliveries. ${perMinute(MAX_PER_MINUTE.replay)}`,
    params: byId,
    body: replay,
    response: { 202: replayAnswer },
    refusals: ['conflict'],
  }),
  test: endpoint(DEVELOPERS, {
    operationId: 'sendTestEvent',
    summary: 'Send a test event',
    description: perMinute(MAX_PER_MINUTE['test-event']),
    params: byId,
    response: { 202: deliveryAnswer },
    refusals: ['conflict'],
  }),
}

export function mountWebhookDeliveries(app: TypedServer, ports: Ports): void {
  app.get('/clients/:id/webhook-deliveries', calls.list, async (request, reply) => {
    const client = await loadClient(ports, request)
    const page = await pageOfDeliveries(dbOf(ports, request), [client.id], request.query, deliveryView)
    return respond(reply, page, { view: (it) => it })
  })

  app.get('/workspaces/:id/webhook-deliveries', calls.listAll, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const db = dbOf(ports, request)
    const requested = await listClientsWithin(db, { ...request.query, workspace: workspace.id })
    const page = await pageOfDeliveries(db, requested, request.query, deliveryView)
    return respond(reply, page, { view: (it) => it })
  })

  app.get('/webhook-deliveries', calls.listOfService, async (request, reply) => {
    const db = dbOf(ports, request)
    const requested = await listClientsWithin(db, request.query)
    const page = await pageOfDeliveries(db, requested, request.query, serviceDeliveryView)
    return respond(reply, page, { view: (it) => it })
  })

  app.get('/webhook-deliveries/:id', calls.read, async (request) => {
    const { actor } = callerOf(request)
    const within = onlyWorkspace(actor)
    const delivery = requireFound(await findDelivery(dbOf(ports, request), { id: request.params.id, within }))
    const attempts = await listAttempts(dbOf(ports, request), delivery.id)
    const body = shownEventBody(delivery.body.toString(), actor)
    return { ...deliveryView(delivery), body, attempts: attempts.map((it) => attemptView(it, actor)) }
  })

  app.post('/webhook-deliveries/:id/resend', calls.resend, async (request, reply) => {
    const result = await resendDelivery(ports, callerOf(request), request.params.id)
    return respond(reply, result, { status: 202, view: deliveryView })
  })

  app.post('/clients/:id/webhook-deliveries/replay', calls.replay, async (request, reply) => {
    const { since } = request.body
    const result = await replayFailed(ports, callerOf(request), { clientId: request.params.id, since })
    return respond(reply, result, { status: 202, view: (it) => it })
  })

  app.post('/clients/:id/test-event', calls.test, async (request, reply) => {
    const result = await sendTestEvent(ports, callerOf(request), request.params.id)
    return respond(reply, result, { status: 202, view: deliveryView })
  })
}

/** null: the clients of all workspaces. */
async function listClientsWithin(
  db: Db,
  { workspace, client }: Pick<z.infer<typeof serviceFilters>, 'workspace' | 'client'>,
): Promise<string[] | null> {
  if (workspace === undefined) return client === undefined ? null : [client]
  const clientIds = await listClientIds(db, workspace)
  return client === undefined ? clientIds : clientIds.filter((id) => id === client)
}

async function pageOfDeliveries<View>(
  db: Db,
  clientIds: string[] | null,
  query: z.infer<typeof filters>,
  view: (delivery: WebhookDelivery) => View,
) {
  const { state = null, event = null, message: messageId = null, since = null, until = null } = query
  const backwards = checkPeriod('until', { since, until })
  if (backwards) return backwards
  const filter = { clientIds, state, event, messageId, since, until }
  const { rows, scannedTo } = await listDeliveries(db, { ...filter, ...pageFrom(query) })
  return pageOf(rows, query.limit, view, scannedTo)
}

function serviceDeliveryView(delivery: WebhookDelivery): z.input<typeof serviceDeliveryAnswer> {
  const { clientName, workspaceId, workspaceName } = delivery
  return { ...deliveryView(delivery), clientName, workspaceId, workspaceName }
}

function deliveryView(delivery: WebhookDelivery): z.input<typeof deliveryAnswer> {
  const { id, clientId, event, messageId, status, state, failureReason, nextAttemptAt, createdAt, endedAt } = delivery
  const { attempts: attemptCount } = delivery
  const about = { id, clientId, event, messageId, status, state, failureReason }
  return { ...about, nextAttemptAt, createdAt, endedAt, attemptCount, latest: latestAttemptView(delivery) }
}

function attemptView(
  { answerHead, failure, ...attempt }: StoredAttempt,
  actor: Manager,
): z.input<typeof attemptAnswer> {
  const answer = answerHead === null ? null : shownAnswer(answerHead.toString(), actor)
  return { ...attempt, answer, error: failure }
}
