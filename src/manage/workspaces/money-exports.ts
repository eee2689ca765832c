// CSV exports for accounting: the usage of a month, and the entries of the ledger.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { csvLine } from '../../domain/csv.ts'
import { fromE4 } from '../../domain/money.ts'
import { Refusal } from '../../domain/refusals.ts'
import { creditExpiresAt, signedE4 } from '../../domain/workspaces/account.ts'
import { daysBetween, parseDay, parseMonth, zonedTime } from '../../domain/workspaces/billing-period.ts'
import type { Usage } from '../../domain/workspaces/usage.ts'
import { sendRefusal } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listCarrierCosts } from '../../store/carriers/carrier-costs.ts'
import type { Db } from '../../store/database/db.ts'
import { type LedgerEntry, listEntriesInOrder } from '../../store/workspaces/ledger.ts'
import { type DayRange, listClientNames, listUsageByCountry, type UsageSums } from '../../store/workspaces/usage.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import { callerOf, loadWorkspace } from '../authenticate.ts'
import { checkDays, checkHasBegun, DAYS_COVERED, days } from '../days.ts'
import { endpointsOf, OWNERS } from '../endpoint.ts'
import { EXPORT_LIMITS, type ExportLane, type InTurn, pagesOf } from '../export-lane.ts'
import { byId, month } from '../fields.ts'
import { spendingView } from './usage.ts'

const ENTRIES_AT_ONCE = 1_000

const usageCsv = z.string().meta({ title: 'UsageCsv', mediaType: 'text/csv' })
const ledgerCsv = z.string().meta({ title: 'LedgerCsv', mediaType: 'text/csv' })

const endpoint = endpointsOf('Workspaces')
const calls = {
  usage: endpoint(OWNERS, {
    operationId: 'exportUsage',
    summary: 'Export usage as CSV',
    description: `A month by day, client, type and country. Operators also get the carrier cost. ${EXPORT_LIMITS}`,
    params: byId,
    querystring: z.object({ month }),
    response: { 200: usageCsv },
  }),
  ledger: endpoint(OWNERS, {
    operationId: 'exportLedger',
    summary: 'Export ledger entries as CSV',
    description: `Every entry, oldest first; amounts that leave the balance are negative. ${DAYS_COVERED} ${EXPORT_LIMITS}`,
    params: byId,
    querystring: days,
    response: { 200: ledgerCsv },
  }),
}

export function mountMoneyExports(app: TypedServer, ports: Ports, lane: ExportLane): void {
  const options = { exposeHeadRoute: false }
  app.get('/workspaces/:id/usage.csv', { ...calls.usage, ...options }, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const isOperator = callerOf(request).actor.kind === 'operator'
    const { month: chosen } = request.query
    const early = checkHasBegun(chosen, workspace, ports.clock.now())
    if (early) return sendRefusal(reply, early)
    return lane.send(request, reply, {
      name: `usage-${chosen}`,
      columns: isOperator ? [...USAGE_COLUMNS, ...CARRIER_COLUMNS] : USAGE_COLUMNS,
      pages: (inTurn) => usagePages(inTurn, { workspace, month: chosen, isOperator }),
    })
  })

  app.get('/workspaces/:id/ledger.csv', { ...calls.ledger, ...options }, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const range = checkDays(request.query, workspace, ports.clock.now())
    if (range instanceof Refusal) return sendRefusal(reply, range)
    return lane.send(request, reply, {
      name: `ledger-${range.from}-${range.to}`,
      columns: LEDGER_COLUMNS,
      pages: (inTurn) => ledgerPages(inTurn, workspace, range),
    })
  })
}

const USAGE_COLUMNS = [
  ...['day', 'clientId', 'client', 'type', 'country', 'messages', 'segments'],
  ...['cost', 'refunds', 'refunded', 'net', 'currency'],
]
const CARRIER_COLUMNS = ['carrierSegments', 'carrierCost']

/** Reads one day at a time: clients, types and countries bound the rows of a day. */
async function* usagePages(
  inTurn: InTurn,
  { workspace, month: chosen, isOperator }: { workspace: Workspace; month: string; isOperator: boolean },
) {
  const { id: workspaceId, timeZone, currency } = workspace
  const names = await inTurn((db) => listClientNames(db, workspaceId))
  for (const day of daysBetween(parseMonth(chosen, timeZone))) {
    const rows = await inTurn((db) => listRows(db, { workspaceId, from: day, to: day }, isOperator))
    const lines = rows.map(({ clientId, type, country, carriers, ...sums }) => {
      const { messages, segments, cost, refunds, refunded, net } = spendingView(sums)
      const who = [day, clientId, names.get(clientId) ?? '', type, country]
      const shown = carriers ? [carriers.segments, fromE4(carriers.costE4)] : [null, null]
      const spent = [messages, segments, cost, refunds, refunded, net, currency]
      return csvLine([...who, ...spent, ...(isOperator ? shown : [])])
    })
    if (lines.length > 0) yield lines.join('')
  }
}

type UsageRow = UsageSums &
  Pick<Usage, 'clientId' | 'type' | 'country'> & { carriers: { segments: number; costE4: number } | undefined }

const NO_USAGE: UsageSums = { messages: 0, segments: 0, costE4: 0, refunds: 0, refundedE4: 0 }

async function listRows(db: Db, range: DayRange, isOperator: boolean): Promise<UsageRow[]> {
  const usage = await listUsageByCountry(db, range)
  const keyOf = (it: Pick<Usage, 'clientId' | 'type' | 'country'>) => `${it.clientId} ${it.type} ${it.country}`
  const costs = new Map((isOperator ? await listCarrierCosts(db, range) : []).map((it) => [keyOf(it), it]))
  const rows = usage.map((it) => ({ ...it, carriers: costs.get(keyOf(it)) }))
  const known = new Set(usage.map(keyOf))
  // The charge was stored without its country, before migration 0123.
  const rest = [...costs.values()].filter((it) => !known.has(keyOf(it)))
  return [...rows, ...rest.map((it) => ({ ...it, ...NO_USAGE, carriers: it }))]
}

const LEDGER_COLUMNS = [
  ...['id', 'at', 'kind', 'amount', 'balance', 'currency'],
  ...['period', 'messageId', 'messages', 'note', 'expiresAt'],
]

async function* ledgerPages(
  inTurn: InTurn,
  { id: workspaceId, timeZone, currency }: Workspace,
  { from, to }: { from: string; to: string },
) {
  const since = parseDay(from, timeZone).startsAt
  const until = parseDay(to, timeZone).endsAt
  const pages = pagesOf((after) =>
    inTurn(async (db) => {
      const rows = await listEntriesInOrder(db, { workspaceId, since, until, after, limit: ENTRIES_AT_ONCE })
      return { rows, next: rows.length < ENTRIES_AT_ONCE ? null : (rows.at(-1)?.id ?? null) }
    }),
  )
  const lineOf = (entry: LedgerEntry) => {
    const { id, at, kind, balanceE4, period, messageId, messages, note } = entry
    const money = [fromE4(signedE4(entry)), fromE4(balanceE4), currency]
    const expiresAt = creditExpiresAt(entry, timeZone)
    const expiry = expiresAt && zonedTime(expiresAt, timeZone)
    return csvLine([id, zonedTime(at, timeZone), kind, ...money, period, messageId, messages, note, expiry])
  }
  for await (const rows of pages) yield rows.map(lineOf).join('')
}
