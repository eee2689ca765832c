// Usage over HTTP: what was sent and what it cost, day by day. What was refunded later is told by the ledger.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { House } from '../actions/house.ts'
import { dayOf } from '../domain/billing-period.ts'
import { fromE4 } from '../domain/money.ts'
import { refuse, refuseField } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { listUsage } from '../store/usage.ts'
import { findAskedWorkspace } from './authenticate.ts'
import { BACKWARDS, byId, day } from './fields.ts'

const days = z.object({
  by: z.literal('day').default('day'),
  from: day.optional(),
  to: day.optional(),
})
const USUAL_DAYS_MS = 30 * 86_400_000

export function mountUsage(server: FastifyInstance, house: House): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/workspaces/:id/usage',
    { schema: { params: byId, querystring: days }, config: { owner: true } },
    async (request, reply) => {
      const workspace = await findAskedWorkspace(house, request)
      if (!workspace) return sendRefusal(reply, refuse('not_found'))
      const now = house.clock.now()
      const to = request.query.to ?? dayOf(now, workspace.timeZone).day
      const from = request.query.from ?? dayOf(new Date(now.getTime() - USUAL_DAYS_MS), workspace.timeZone).day
      if (to < from) return sendRefusal(reply, refuseField('to', BACKWARDS))
      const usage = await listUsage(house.db, { workspaceId: workspace.id, from, to })
      return { items: usage.map(({ costE4, ...row }) => ({ ...row, cost: fromE4(costE4) })), next: null }
    },
  )
}
