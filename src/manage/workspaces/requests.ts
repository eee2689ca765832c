// The request log over a week: of a workspace, of all workspaces, of unknown keys, and counts by error.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { Refusal } from '../../domain/refusals.ts'
import { REQUEST_LOG_SECONDS } from '../../domain/service/expiry.ts'
import {
  hoursBack,
  MAX_ADDRESSES_PER_MINUTE,
  MAX_REFUSALS_PER_HOUR,
  MAX_SUCCESSES_PER_MINUTE,
  SAMPLE_SECONDS,
} from '../../domain/workspaces/request-log.ts'
import { sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import {
  countRequests,
  type LoggedRequest,
  listNamedRequests,
  listRequests,
  listUnknownKeyRequests,
  REQUEST_OUTCOMES,
  type SummedRequests,
} from '../../store/workspaces/request-log.ts'
import { dbOf, loadWorkspace } from '../authenticate.ts'
import { datesIn, readDates } from '../days.ts'
import { endpointsOf, OPERATORS, VIEWERS } from '../endpoint.ts'
import { byId, line, listOf, pageFrom, pageOf, paging, uuid, wholeListOf } from '../fields.ts'

const DEFAULT_HOURS = 24
const MAX_HOURS = REQUEST_LOG_SECONDS / 3_600

const fields = {
  client: uuid.optional().describe('Client that sent the request.'),
  outcome: z
    .enum(REQUEST_OUTCOMES)
    .default('all')
    .describe('`successful`: status below 400. `refused`: status 400 or above.'),
  code: line(50).optional().describe('Error code, such as `rate_limited`.'),
  'request-id': uuid.optional().describe('`x-request-id` of the response.'),
}
const filters = paging.extend({ ...fields, ...datesIn("the workspace's time zone") })
const operatorFilters = paging.extend({
  workspace: uuid.optional().describe('Workspace of the client.'),
  ...fields,
  ...datesIn('UTC'),
})
const unknownKeyFilters = paging.extend({
  address: line(50).optional().describe('Source address, as the list shows it.'),
  ...datesIn('UTC'),
})
const hours = z.object({
  hours: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_HOURS)
    .default(DEFAULT_HOURS)
    .describe('Number of hours, up to the current one.'),
})

const endpointFields = {
  method: z.string(),
  route: z.string().describe('Route, such as `/api/sms/v1/sms/send`, without parameter values.'),
}
const requestAnswer = z
  .object({
    id: z.uuid().describe('`x-request-id` of the response.'),
    clientId: z.uuid(),
    keyHint: z.string().nullable().describe('Start of the API key, or null for a request before 0.1.0.'),
    ...endpointFields,
    status: z.int(),
    code: z.string().nullable().describe('Error code, or null for a successful request.'),
    milliseconds: z.int(),
    isSampled: z.boolean().describe('true: similar successful requests near this one are not listed.'),
    at: time,
  })
  .meta({ title: 'ApiRequest' })
const namedRequestAnswer = requestAnswer
  .extend({ workspaceId: z.uuid(), workspaceName: z.string(), clientName: z.string() })
  .meta({ title: 'NamedApiRequest' })
const unknownKeyAnswer = z
  .object({
    id: z.uuid().describe('`x-request-id` of the first response.'),
    minute: time,
    address: z.string().nullable().describe('IPv4 address or IPv6 network. null: further addresses of this minute.'),
    keyHint: z.string().nullable().describe('Start of the first key. null: no key.'),
    ...endpointFields,
    requests: z.int(),
    lastAt: time,
  })
  .meta({ title: 'UnknownKeyRequests', description: 'Requests of an address in a minute, answered with 401.' })
const errorAnswer = z
  .object({
    ...endpointFields,
    status: z.int(),
    code: z.string().describe('Error code.'),
    requests: z.int(),
    lastAt: time,
  })
  .meta({ title: 'RequestError' })
const errorsAnswer = wholeListOf(errorAnswer)
  .extend({
    since: time,
    requests: z
      .object({ answered: z.int(), refused: z.int(), failed: z.int() })
      .describe('Requests answered with 2xx, 4xx and 5xx.'),
  })
  .meta({ title: 'RequestErrors', description: 'Most frequent errors first.' })

const KEPT = `Requests of the last ${MAX_HOURS / 24} days, without bodies, keys or numbers. Limits per workspace and process: ${MAX_REFUSALS_PER_HOUR} refused requests per hour, ${MAX_SUCCESSES_PER_MINUTE} successful requests per minute and above them one every ${SAMPLE_SECONDS} seconds.`

const endpoint = endpointsOf('API requests')
const calls = {
  ofWorkspace: endpoint(VIEWERS, {
    operationId: 'listWorkspaceRequests',
    summary: 'List API requests',
    description: `${KEPT} Requests without a valid key are not listed.`,
    params: byId,
    querystring: filters,
    response: { 200: listOf(requestAnswer) },
  }),
  errors: endpoint(VIEWERS, {
    operationId: 'countRequestErrors',
    summary: 'Count API requests by error',
    params: byId,
    querystring: hours,
    response: { 200: errorsAnswer },
  }),
  all: endpoint(OPERATORS, {
    operationId: 'listRequests',
    summary: 'List API requests of all workspaces',
    description: KEPT,
    querystring: operatorFilters,
    response: { 200: listOf(namedRequestAnswer) },
  }),
  unknownKeys: endpoint(OPERATORS, {
    operationId: 'listUnknownKeyRequests',
    summary: 'List requests with unknown keys',
    description: `Requests of the last ${MAX_HOURS / 24} days with a missing or unknown API key, by address and minute, up to ${MAX_ADDRESSES_PER_MINUTE} addresses per minute and process.`,
    querystring: unknownKeyFilters,
    response: { 200: listOf(unknownKeyAnswer) },
  }),
}

export function mountRequests(app: TypedServer, ports: Ports): void {
  app.get('/workspaces/:id/requests', calls.ofWorkspace, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const dates = readDates(request.query, workspace.timeZone)
    if (dates instanceof Refusal) return sendRefusal(reply, dates)
    const filter = { ...filterOf(request.query), ...dates, workspaceId: workspace.id }
    const { rows, scannedTo } = await listRequests(dbOf(ports, request), filter)
    return pageOf(rows, request.query.limit, requestView, scannedTo)
  })

  app.get('/workspaces/:id/requests/errors', calls.errors, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const since = hoursBack(ports.clock.now(), request.query.hours)
    const sums = await countRequests(dbOf(ports, request), { workspaceId: workspace.id, since })
    const requests = { answered: countClass(sums, 200), refused: countClass(sums, 400), failed: countClass(sums, 500) }
    return { items: sums.filter((it) => it.status >= 400), next: null, since, requests }
  })

  app.get('/requests', calls.all, async (request, reply) => {
    const dates = readDates(request.query, 'UTC')
    if (dates instanceof Refusal) return sendRefusal(reply, dates)
    const filter = { ...filterOf(request.query), ...dates, workspaceId: request.query.workspace ?? null }
    const { rows, scannedTo } = await listNamedRequests(dbOf(ports, request), filter)
    return pageOf(rows, request.query.limit, (it) => it, scannedTo)
  })

  app.get('/requests/unknown-keys', calls.unknownKeys, async (request, reply) => {
    const dates = readDates(request.query, 'UTC')
    if (dates instanceof Refusal) return sendRefusal(reply, dates)
    const { address = null, limit } = request.query
    const filter = { address, ...dates, ...pageFrom(request.query) }
    const { rows, scannedTo } = await listUnknownKeyRequests(dbOf(ports, request), filter)
    const view = ({ address: from, keyHint, ...it }: (typeof rows)[number]) => ({
      ...it,
      address: from || null,
      keyHint: keyHint || null,
    })
    return pageOf(rows, limit, view, scannedTo)
  })
}

type Filters = z.infer<typeof paging> & { [Name in keyof typeof fields]?: z.infer<(typeof fields)[Name]> | undefined }

function filterOf({ client, outcome = 'all', code, 'request-id': requestId, ...page }: Filters) {
  return { clientId: client ?? null, outcome, code: code ?? null, requestId: requestId ?? null, ...pageFrom(page) }
}

function requestView({ workspaceId: _, ...request }: LoggedRequest): z.input<typeof requestAnswer> {
  return request
}

/** `status` is 200, 400 or 500. */
function countClass(sums: SummedRequests[], status: number): number {
  const some = sums.filter((it) => it.status >= status && it.status < status + 100)
  return some.reduce((all, it) => all + it.requests, 0)
}
