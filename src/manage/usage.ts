// Usage over HTTP: what was sent and what it cost, day by day. What was refunded later is told by the ledger.

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { dayOf } from '../domain/billing-period.ts'
import { fromE4 } from '../domain/money.ts'
import { refuse, refuseField } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { listUsage } from '../store/usage.ts'
import { dbOf, findAskedWorkspace } from './authenticate.ts'
import { endpointsOf } from './endpoint.ts'
import { BACKWARDS, byId, day, messageType, wholeListOf } from './fields.ts'

const DAY_MS = 86_400_000
const USUAL_DAYS = 30
const MOST_DAYS = 366

const days = z.object({
  by: z.literal('day').default('day'),
  from: day.optional().describe("A day of the workspace's calendar."),
  to: day.optional().describe('Included.'),
})

const usageAnswer = z
  .object({
    day: z.iso.date(),
    clientId: z.uuid(),
    type: messageType,
    messages: z.int(),
    segments: z.int(),
    cost: z.number(),
  })
  .meta({ title: 'Usage' })

const reading = endpointsOf('Workspaces')(
  { roles: ['operator', 'owner', 'developer', 'viewer'], scope: 'workspace' },
  {
    operationId: 'getUsage',
    summary: 'Read the usage by day, client and type',
    description: `Up to ${MOST_DAYS} days; the last ${USUAL_DAYS} if left out. What was refunded later is told by the ledger.`,
    params: byId,
    querystring: days,
    response: { 200: wholeListOf(usageAnswer) },
  },
)

export function mountUsage(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/workspaces/:id/usage', reading, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const now = ports.clock.now()
    const to = request.query.to ?? dayOf(now, workspace.timeZone).day
    const from = request.query.from ?? dayOf(new Date(now.getTime() - USUAL_DAYS * DAY_MS), workspace.timeZone).day
    if (to < from) return sendRefusal(reply, refuseField('to', BACKWARDS))
    if (Date.parse(to) - Date.parse(from) >= MOST_DAYS * DAY_MS)
      return sendRefusal(reply, refuseField('from', `At most ${MOST_DAYS} days can be asked for at once`))
    const usage = await listUsage(dbOf(ports, request), { workspaceId: workspace.id, from, to })
    return { items: usage.map(({ costE4, ...row }) => ({ ...row, cost: fromE4(costE4) })), next: null }
  })
}
