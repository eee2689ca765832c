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
import { BACKWARDS, byId, day } from './fields.ts'

const days = z.object({
  by: z.literal('day').default('day'),
  from: day.optional(),
  to: day.optional(),
})
const USUAL_DAYS_MS = 30 * 86_400_000
const MOST_DAYS_MS = 366 * 86_400_000

export function mountUsage(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/workspaces/:id/usage',
    { schema: { params: byId, querystring: days }, config: { owner: true } },
    async (request, reply) => {
      const workspace = await findAskedWorkspace(ports, request)
      if (!workspace) return sendRefusal(reply, refuse('not_found'))
      const now = ports.clock.now()
      const to = request.query.to ?? dayOf(now, workspace.timeZone).day
      const from = request.query.from ?? dayOf(new Date(now.getTime() - USUAL_DAYS_MS), workspace.timeZone).day
      if (to < from) return sendRefusal(reply, refuseField('to', BACKWARDS))
      if (Date.parse(to) - Date.parse(from) >= MOST_DAYS_MS)
        return sendRefusal(reply, refuseField('from', 'At most 366 days can be asked for at once'))
      const usage = await listUsage(dbOf(ports, request), { workspaceId: workspace.id, from, to })
      return { items: usage.map(({ costE4, ...row }) => ({ ...row, cost: fromE4(costE4) })), next: null }
    },
  )
}
