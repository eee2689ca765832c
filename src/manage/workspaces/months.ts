// Monthly statements of a workspace. A refund counts for the day of its charge (D10), so a month can still shrink after its end.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { csvHead, csvLine } from '../../domain/csv.ts'
import { daysBetween, parseMonth } from '../../domain/workspaces/billing-period.ts'
import { sendCsv } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import type { Db } from '../../store/database/db.ts'
import { listClientNames, listClientSums, listUsage } from '../../store/workspaces/usage.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import { dbOf, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, VIEWERS } from '../endpoint.ts'
import { byId, messageType } from '../fields.ts'
import { spendingFields, spendingView, sumSpending } from './usage.ts'

const byMonth = byId.extend({
  month: z
    .string()
    .regex(/^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/, 'Must be a month such as 2026-11')
    .describe("Month in the workspace's time zone, such as 2026-11."),
})

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

const csvAnswer = z.string().meta({ title: 'MonthCsv', mediaType: 'text/csv' })

const endpoint = endpointsOf('Workspaces')
const calls = {
  csv: endpoint(VIEWERS, {
    operationId: 'getMonthCsv',
    summary: 'Export a monthly statement as CSV',
    params: byMonth,
    response: { 200: csvAnswer },
  }),
  read: endpoint(VIEWERS, {
    operationId: 'getMonth',
    summary: 'Get a monthly statement',
    params: byMonth,
    response: { 200: monthAnswer },
  }),
}

export function mountMonths(app: TypedServer, ports: Ports): void {
  app.get('/workspaces/:id/months/:month.csv', calls.csv, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const { month } = request.params
    const lines = linesOf(dbOf(ports, request), workspace, month)
    return sendCsv(reply, { name: `usage-${month}`, lines })
  })

  app.get('/workspaces/:id/months/:month', calls.read, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const { id: workspaceId, currency, timeZone } = workspace
    const { month } = request.params
    const { from, to, endsAt } = parseMonth(month, timeZone)
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
    return { month, from, to, endsAt, isOver: endsAt <= ports.clock.now(), currency, total, clients }
  })
}

const HEAD = [
  'day',
  'clientId',
  'client',
  'type',
  'messages',
  'segments',
  'cost',
  'refunds',
  'refunded',
  'net',
  'currency',
]

/** Reads one day at a time: the number of clients bounds the rows of a day. */
async function* linesOf(db: Db, { id: workspaceId, timeZone, currency }: Workspace, month: string) {
  const names = await listClientNames(db, workspaceId)
  yield csvHead(HEAD)
  for (const day of daysBetween(parseMonth(month, timeZone))) {
    const rows = await listUsage(db, { workspaceId, from: day, to: day })
    yield rows
      .map((row) => {
        const { messages, segments, cost, refunds, refunded, net } = spendingView(row)
        const who = [day, row.clientId, names.get(row.clientId) ?? '', row.type]
        return csvLine([...who, messages, segments, cost, refunds, refunded, net, currency])
      })
      .join('')
  }
}
