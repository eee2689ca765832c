// Monthly statements of a workspace. A refund counts for the day of its charge (D10), so a month can still shrink after its end.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { LANGUAGES } from '../../domain/language.ts'
import { parseMonth } from '../../domain/workspaces/billing-period.ts'
import { buildStatement } from '../../domain/workspaces/statement.ts'
import { requireFound, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { loadStatement } from '../../store/workspaces/statement.ts'
import { listClientSums } from '../../store/workspaces/usage.ts'
import { dbOf, loadWorkspace } from '../authenticate.ts'
import { checkHasBegun } from '../days.ts'
import { endpointsOf, OWNERS, VIEWERS } from '../endpoint.ts'
import { byId, messageType, month } from '../fields.ts'
import { STATEMENT_HEADERS, statementPage } from './statement-page.ts'
import { spendingFields, spendingView, sumSpending } from './usage.ts'

const byMonth = byId.extend({ month })

const monthAnswer = z
  .object({
    month: z.string(),
    from: z.iso.date(),
    to: z.iso.date(),
    endsAt: time,
    isOver: z.boolean(),
    currency: z.string(),
    total: z.object(spendingFields),
    clients: z.array(
      z.object({
        clientId: z.uuid(),
        name: z.string(),
        ...spendingFields,
        types: z.array(z.object({ type: messageType, ...spendingFields })),
      }),
    ),
  })
  .meta({ title: 'Month' })

const statementAnswer = z.string().meta({ title: 'StatementPage', mediaType: 'text/html' })

const endpoint = endpointsOf('Workspaces')
const calls = {
  statement: endpoint(OWNERS, {
    operationId: 'getStatement',
    summary: 'Get a printable statement',
    description:
      'One HTML page for screen and paper: opening balance, credit, top-ups, messages by client and type, refunds, expiry and closing balance. It loads no other file.',
    params: byMonth,
    querystring: z.object({ language: z.enum(LANGUAGES).default('en').describe('Language of the page.') }),
    response: { 200: statementAnswer },
  }),
  read: endpoint(VIEWERS, {
    operationId: 'getMonth',
    summary: 'Get a monthly statement',
    params: byMonth,
    response: { 200: monthAnswer },
  }),
}

export function mountMonths(app: TypedServer, ports: Ports): void {
  app.get('/workspaces/:id/months/:month/statement', calls.statement, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const now = ports.clock.now()
    const early = checkHasBegun(request.params.month, workspace, now)
    if (early) return sendRefusal(reply, early)
    const { from, to, startsAt } = parseMonth(request.params.month, workspace.timeZone)
    const facts = requireFound(
      await loadStatement(dbOf(ports, request), { workspaceId: workspace.id, from, to, startsAt }),
    )
    const { language } = request.query
    reply.type('text/html; charset=utf-8').headers(STATEMENT_HEADERS)
    return reply.send(statementPage({ statement: buildStatement(facts, now), workspace, to, language, now }))
  })

  app.get('/workspaces/:id/months/:month', calls.read, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const now = ports.clock.now()
    const early = checkHasBegun(request.params.month, workspace, now)
    if (early) return sendRefusal(reply, early)
    const { id: workspaceId, currency, timeZone } = workspace
    const { month: chosen } = request.params
    const { from, to, endsAt } = parseMonth(chosen, timeZone)
    const sums = await listClientSums(dbOf(ports, request), { workspaceId, from, to })
    const clients = Map.groupBy(sums, (it) => it.clientId)
      .values()
      .map((types) => ({
        clientId: types[0]?.clientId ?? '',
        name: types[0]?.name ?? '',
        ...spendingView(sumSpending(types)),
        types: types.map((it) => ({ type: it.type, ...spendingView(it) })),
      }))
      .toArray()
    const total = spendingView(sumSpending(sums))
    return { month: chosen, from, to, endsAt, isOver: endsAt <= now, currency, total, clients }
  })
}
