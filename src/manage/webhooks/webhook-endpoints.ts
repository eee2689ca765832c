// Webhook endpoints with their health: of a workspace, and of all workspaces for the operator.
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import type { Manager } from '../../domain/people/actor.ts'
import { shownUrl } from '../../domain/people/masking.ts'
import {
  byHalfHour,
  ENDPOINT_STATES,
  HALF_HOURS_SHOWN,
  type HalfHourSum,
  MIN_FAILURES,
  startOfDay,
} from '../../domain/webhooks/endpoint-health.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import type { Db } from '../../store/database/db.ts'
import {
  type EndpointHealth,
  listAllEndpointIds,
  listEndpointIds,
  listHalfHours,
  loadEndpointHealth,
  MAX_WAITING_COUNTED,
} from '../../store/webhooks/webhook-health.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, OPERATORS, VIEWERS } from '../endpoint.ts'
import { byId, inWorkspace, listOf, pageFrom, paging } from '../fields.ts'
import { latestAttemptAnswer, latestAttemptView } from './latest-attempt.ts'

const filters = paging.extend({ state: z.enum(ENDPOINT_STATES).optional().describe('Endpoint state.') })

const endpointAnswer = z
  .object({
    clientId: z.uuid(),
    clientName: z.string(),
    workspaceId: z.uuid(),
    workspaceName: z.string(),
    url: z.string().describe('Viewers see only scheme and host.'),
    state: z
      .enum(ENDPOINT_STATES)
      .describe(
        `\`failing\`: at least ${MIN_FAILURES} attempts failed since the last success. \`idle\`: no attempt in the last day. \`disabled\`: the client is disabled.`,
      ),
    failingSince: time
      .nullable()
      .describe('First failed attempt since the last success, while the endpoint is failing.'),
    notifiedAt: time.nullable().describe('When the owners were notified of this failure.'),
    attempts: z.int().describe('Attempts of the last day.'),
    failed: z.int().describe('Failed attempts of the last day.'),
    successRate: z.number().nullable().describe('Share of successful attempts of the last day, from 0 to 1.'),
    latest: latestAttemptAnswer,
    waiting: z.int().describe(`Events that wait for a retry, counted up to ${MAX_WAITING_COUNTED}.`),
    nextAttemptAt: time.nullable().describe('Time of the next retry.'),
    halfHours: z
      .array(z.object({ startsAt: time, succeeded: z.int(), failed: z.int() }))
      .describe(`Attempts of the last ${HALF_HOURS_SHOWN} half hours, in order.`),
  })
  .meta({ title: 'WebhookEndpoint' })

const endpoint = endpointsOf('Webhook deliveries')
const calls = {
  list: endpoint(VIEWERS, {
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints of a workspace',
    description:
      'Failing endpoints first. An endpoint that changes its state between two pages can be missing or occur twice.',
    params: byId,
    querystring: filters,
    response: { 200: listOf(endpointAnswer) },
  }),
  listAll: endpoint(OPERATORS, {
    operationId: 'listAllWebhookEndpoints',
    summary: 'List webhook endpoints of all workspaces',
    description: 'Newest first; those of one workspace as in its own list.',
    querystring: filters.extend(inWorkspace),
    response: { 200: listOf(endpointAnswer) },
  }),
}

export function mountWebhookEndpoints(app: TypedServer, ports: Ports): void {
  const listOfWorkspace = async (request: FastifyRequest, query: z.infer<typeof filters>, workspaceId: string) => {
    const { state = null, cursor, limit } = query
    const db = dbOf(ports, request)
    const now = ports.clock.now()
    const all = await listEndpointIds(db, { workspaceId, state, since: startOfDay(now) })
    // An unknown cursor ends the list.
    const from = cursor === undefined ? 0 : all.indexOf(cursor) + 1 || all.length
    const ids = all.slice(from, from + limit)
    const next = from + limit < all.length ? (ids.at(-1) ?? null) : null
    return { items: await viewEndpoints(db, { ids, now, actor: callerOf(request).actor }), next }
  }

  app.get('/workspaces/:id/webhook-endpoints', calls.list, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    return listOfWorkspace(request, request.query, workspace.id)
  })

  app.get('/webhook-endpoints', calls.listAll, async (request) => {
    const { workspace, state = null, limit } = request.query
    if (workspace !== undefined) return listOfWorkspace(request, request.query, workspace)
    const db = dbOf(ports, request)
    const now = ports.clock.now()
    const { rows, scannedTo } = await listAllEndpointIds(db, {
      state,
      since: startOfDay(now),
      ...pageFrom(request.query),
    })
    const ids = rows.slice(0, limit)
    const next = rows.length > limit ? (ids.at(-1) ?? null) : scannedTo
    return { items: await viewEndpoints(db, { ids, now, actor: callerOf(request).actor }), next }
  })
}

async function viewEndpoints(db: Db, { ids, now, actor }: { ids: string[]; now: Date; actor: Manager }) {
  const since = startOfDay(now)
  const [endpoints, sums] = await Promise.all([
    loadEndpointHealth(db, { ids, since }),
    listHalfHours(db, { ids, since }),
  ])
  const sumsOf = Map.groupBy(sums, (it) => it.clientId)
  return endpoints.map((it) => endpointView(it, { sums: sumsOf.get(it.id) ?? [], now, actor }))
}

function endpointView(
  endpoint: EndpointHealth,
  { sums, now, actor }: { sums: HalfHourSum[]; now: Date; actor: Manager },
): z.input<typeof endpointAnswer> {
  const { id: clientId, name: clientName, attemptedAt, milliseconds, statusCode, failure, url, ...health } = endpoint
  const failed = sums.reduce((sum, it) => sum + it.failed, 0)
  const attempts = sums.reduce((sum, it) => sum + it.succeeded, failed)
  return {
    ...{ clientId, clientName, ...health, url: shownUrl(url, actor), attempts, failed },
    successRate: attempts === 0 ? null : (attempts - failed) / attempts,
    latest: latestAttemptView({ attemptedAt, milliseconds, statusCode, failure }),
    halfHours: byHalfHour(sums, now),
  }
}
