// Usage of a workspace by day, client and type: messages, cost and refunds.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { fromE4 } from '../../domain/money.ts'
import { Refusal } from '../../domain/refusals.ts'
import type { Usage } from '../../domain/workspaces/usage.ts'
import { sendRefusal } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listCarrierCosts } from '../../store/carriers/carrier-costs.ts'
import type { Queries } from '../../store/database/db.ts'
import { type DayRange, listUsage, type UsageSums } from '../../store/workspaces/usage.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { checkDays, DAYS_COVERED, days } from '../days.ts'
import { endpointsOf, VIEWERS } from '../endpoint.ts'
import { byId, messageType } from '../fields.ts'

export const carrierCostFields = {
  segments: z.int().describe('Segments that carriers accepted at a known price.'),
  cost: z.number().describe('Carrier cost of these segments, whatever their status.'),
  margin: z.number().describe('Net price minus the carrier cost.'),
}

export function carrierCostView({ segments, costE4 }: { segments: number; costE4: number }, paidE4: number) {
  return { segments, cost: fromE4(costE4), margin: fromE4(paidE4 - costE4) }
}

const byDay = days.extend({ by: z.literal('day').default('day').describe('Unit of time.') })

/** D10: a refund counts for the day of its charge. */
export const spendingFields = {
  messages: z.int(),
  segments: z.int(),
  cost: z.number().describe('Cost at acceptance.'),
  refunds: z.int().describe('Number of refunded messages, at any time.'),
  refunded: z.number(),
  net: z.number().describe('Cost minus refunds.'),
}

const usage = z
  .object({
    day: z.iso.date(),
    clientId: z.uuid(),
    type: messageType,
    ...spendingFields,
    carriers: z.object(carrierCostFields).optional().describe('Carrier cost. Only for the operator.'),
  })
  .meta({ title: 'Usage' })

const usageAnswer = z
  .object({ from: z.iso.date(), to: z.iso.date(), items: z.array(usage), next: z.null() })
  .meta({ title: 'UsageList', description: 'All days, latest first.' })

const reading = endpointsOf('Workspaces')(VIEWERS, {
  operationId: 'getUsage',
  summary: 'Get usage by day',
  description: `Messages, segments and cost by day, client and type. ${DAYS_COVERED}`,
  params: byId,
  querystring: byDay,
  response: { 200: usageAnswer },
})

export function mountUsage(app: TypedServer, ports: Ports): void {
  app.get('/workspaces/:id/usage', reading, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const requested = checkDays(request.query, workspace, ports.clock.now())
    if (requested instanceof Refusal) return sendRefusal(reply, requested)
    const days = { workspaceId: workspace.id, ...requested }
    const rows = await listUsage(dbOf(ports, request), days)
    // Only the operator sees carrier costs.
    const isOperator = callerOf(request).actor.kind === 'operator'
    const charges = isOperator ? await chargesOf(dbOf(ports, request), days) : null
    const items = rows.map((row) => ({
      ...{ day: row.day, clientId: row.clientId, type: row.type },
      ...spendingView(row),
      ...(charges && { carriers: carrierCostView(charges(row), row.costE4 - row.refundedE4) }),
    }))
    return { ...requested, items, next: null }
  })
}

/** Carrier costs by day, client and type, like usage. */
async function chargesOf(db: Queries, days: DayRange) {
  const nameOf = (it: Pick<Usage, 'day' | 'clientId' | 'type'>) => `${it.clientId} ${it.day} ${it.type}`
  const known = new Map<string, { segments: number; costE4: number }>()
  for (const cost of await listCarrierCosts(db, days)) {
    const sum = known.getOrInsertComputed(nameOf(cost), () => ({ segments: 0, costE4: 0 }))
    sum.segments += cost.segments
    sum.costE4 += cost.costE4
  }
  return (row: Parameters<typeof nameOf>[0]) => known.get(nameOf(row)) ?? { segments: 0, costE4: 0 }
}

export function spendingView({ messages, segments, costE4, refunds, refundedE4 }: UsageSums) {
  const money = { cost: fromE4(costE4), refunds, refunded: fromE4(refundedE4), net: fromE4(costE4 - refundedE4) }
  return { messages, segments, ...money }
}

export function sumSpending(some: readonly UsageSums[]): UsageSums {
  return some.reduce(
    (sum, it) => ({
      messages: sum.messages + it.messages,
      segments: sum.segments + it.segments,
      costE4: sum.costE4 + it.costE4,
      refunds: sum.refunds + it.refunds,
      refundedE4: sum.refundedE4 + it.refundedE4,
    }),
    { messages: 0, segments: 0, costE4: 0, refunds: 0, refundedE4: 0 },
  )
}
