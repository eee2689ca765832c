// The request log of a workspace over a week: failed requests, and counts by error.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { REQUEST_LOG_SECONDS } from '../../domain/service/expiry.ts'
import { hoursBack, MAX_REFUSALS_PER_HOUR } from '../../domain/workspaces/request-log.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { countRequests, listRefusedRequests, type SummedRequests } from '../../store/workspaces/request-log.ts'
import { dbOf, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, VIEWERS } from '../endpoint.ts'
import { byId, line, listOf, pageFrom, pageOf, paging, wholeListOf } from '../fields.ts'

const DEFAULT_HOURS = 24
const MAX_HOURS = REQUEST_LOG_SECONDS / 3_600

const filters = paging.extend({
  client: z.uuid().optional().describe('Client that sent the request.'),
  code: line(50).optional().describe('Error code, such as `rate_limited`.'),
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

const what = {
  method: z.string(),
  route: z.string().describe('Route, such as `/api/sms/v1/sms/send`, without parameter values.'),
  status: z.int(),
  code: z.string().describe('Error code.'),
}
const requestAnswer = z
  .object({
    id: z.uuid().describe('`x-request-id` of the answer.'),
    clientId: z.uuid(),
    ...what,
    milliseconds: z.int(),
    at: time,
  })
  .meta({ title: 'RefusedRequest' })
const errorAnswer = z.object({ ...what, requests: z.int(), lastAt: time }).meta({ title: 'RequestError' })
const errorsAnswer = wholeListOf(errorAnswer)
  .extend({
    since: time,
    requests: z
      .object({ answered: z.int(), refused: z.int(), failed: z.int() })
      .describe('Requests answered with 2xx, 4xx and 5xx.'),
  })
  .meta({ title: 'RequestErrors', description: 'Most frequent errors first.' })

const endpoint = endpointsOf('API requests')
const calls = {
  list: endpoint(VIEWERS, {
    operationId: 'listRefusedRequests',
    summary: 'List failed API requests',
    description: `Requests of the last ${MAX_HOURS / 24} days that were refused or failed, up to ${MAX_REFUSALS_PER_HOUR} per hour and process, without bodies, keys or numbers. Requests without a valid key are not listed.`,
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
}

export function mountRequests(app: TypedServer, ports: Ports): void {
  app.get('/workspaces/:id/requests', calls.list, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const { client: clientId = null, code = null, limit } = request.query
    const filter = { workspaceId: workspace.id, clientId, code, ...pageFrom(request.query) }
    const { rows, scannedTo } = await listRefusedRequests(dbOf(ports, request), filter)
    return pageOf(rows, limit, (it) => it, scannedTo)
  })

  app.get('/workspaces/:id/requests/errors', calls.errors, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const since = hoursBack(ports.clock.now(), request.query.hours)
    const sums = await countRequests(dbOf(ports, request), { workspaceId: workspace.id, since })
    const requests = { answered: countClass(sums, 200), refused: countClass(sums, 400), failed: countClass(sums, 500) }
    return { items: sums.filter((it) => it.status >= 400), next: null, since, requests }
  })
}

/** `status` is 200, 400 or 500. */
function countClass(sums: SummedRequests[], status: number): number {
  const some = sums.filter((it) => it.status >= status && it.status < status + 100)
  return some.reduce((all, it) => all + it.requests, 0)
}
