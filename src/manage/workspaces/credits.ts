// The credit of a workspace: top-ups, the low-balance alerts and the ledger.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { addCredit, setCreditAlerts } from '../../actions/workspaces/manage-workspaces.ts'
import { fromE4 } from '../../domain/money.ts'
import { refuseField } from '../../domain/refusals.ts'
import { creditExpiresAt, ENTRY_KINDS, MAX_CREDIT_ALERTS } from '../../domain/workspaces/account.ts'
import { parseDay } from '../../domain/workspaces/billing-period.ts'
import { idempotencyHeaders, idempotencyOf } from '../../http/idempotency-key.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { MAX_ROWS_SCANNED } from '../../store/pages.ts'
import { type LedgerEntry, listEntries } from '../../store/workspaces/ledger.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, fresh, OWNERS, WORKSPACE_OPERATORS } from '../endpoint.ts'
import { amount, anyOf, byId, checkPeriod, day, line, listOf, pageFrom, pageOf, paging } from '../fields.ts'
import { workspaceAnswer, workspaceView } from './workspaces.ts'

const credit = z
  .strictObject({
    amount: amount.describe('Amount to add.'),
    note: line(500).nullable().default(null).describe('Note for the ledger.'),
  })
  .meta({ title: 'TopUp' })

const creditAlerts = z
  .strictObject({
    below: z
      .array(amount)
      .max(MAX_CREDIT_ALERTS)
      .describe(`Up to ${MAX_CREDIT_ALERTS} balances below which owners are alerted.`),
    clientId: z
      .uuid()
      .nullable()
      .optional()
      .describe('Client whose webhook URL also gets the alerts. null: none. Default: unchanged.'),
  })
  .meta({ title: 'NewCreditAlerts' })

const entryAnswer = z
  .object({
    id: z.uuid(),
    kind: z.enum(ENTRY_KINDS),
    amount: z.number(),
    balance: z.number().describe('Balance after the entry.'),
    period: z.iso.date(),
    messageId: z.uuid().nullable().describe('Message of a refund.'),
    messages: z.int().nullable().describe('Number of messages that a reservation pays for.'),
    note: z.string().nullable(),
    expiresAt: time.nullable().describe('When the credit of a grant or top-up expires: the end of its month.'),
    at: time,
  })
  .meta({ title: 'LedgerEntry' })

const entryFilters = paging.extend({
  kind: anyOf(z.enum(ENTRY_KINDS)).default([]).describe('Any of these kinds. Default: all.'),
  from: day.optional().describe("First day, in the workspace's time zone."),
  to: day.optional().describe('Last day, included.'),
})

const topUpAnswer = z.object({ balance: z.number() }).meta({ title: 'ToppedUp' })

const endpoint = endpointsOf('Workspaces')
const calls = {
  // The Idempotency-Key makes retries safe, as in the v1 API.
  topUp: endpoint(fresh(WORKSPACE_OPERATORS), {
    operationId: 'topUp',
    summary: 'Add credit',
    description:
      'Grants an open credit request. The credit expires at the end of the month of the workspace, like the rest of its balance, and cannot be taken back.',
    params: byId,
    headers: idempotencyHeaders,
    body: credit,
    response: { 201: topUpAnswer },
    refusals: ['conflict', 'idempotency_conflict'],
  }),
  setCreditAlerts: endpoint(OWNERS, {
    operationId: 'setCreditAlerts',
    summary: 'Set the low-balance alerts',
    description:
      'When the balance falls below an alert, owners get one mail, if mail is set up, and the webhook of the client gets one workspace.low_credit event. The next ones follow after the balance has risen above the alert, at most one per hour and alert.',
    params: byId,
    body: creditAlerts,
    response: { 200: workspaceAnswer },
  }),
  ledger: endpoint(OWNERS, {
    operationId: 'listLedger',
    summary: 'List ledger entries',
    description: `A page reads at most ${MAX_ROWS_SCANNED} entries: a page can be short or empty while more follow.`,
    params: byId,
    querystring: entryFilters,
    response: { 200: listOf(entryAnswer) },
  }),
}

export function mountCredits(app: TypedServer, ports: Ports): void {
  app.post('/workspaces/:id/credits', calls.topUp, async (request, reply) => {
    const { amount: amountE4, note } = request.body
    if (amountE4 === 0) return sendRefusal(reply, refuseField('amount', 'Must be greater than zero'))
    const { id } = request.params
    const idempotency = idempotencyOf(request, { ownerId: id, keyring: ports.keyring })
    const result = await addCredit(ports, callerOf(request), { id, amountE4, note, idempotency })
    if ('replayed' in result && result.replayed) reply.header('idempotent-replayed', 'true')
    return respond(reply, result, { status: 201, view: ({ balanceE4 }) => ({ balance: fromE4(balanceE4) }) })
  })

  app.put('/workspaces/:id/credit-alerts', calls.setCreditAlerts, async (request, reply) => {
    const { below: belowE4, clientId } = request.body
    const alerts = { id: request.params.id, belowE4, clientId }
    return respond(reply, await setCreditAlerts(ports, callerOf(request), alerts), {
      view: (it) => workspaceView(it, ports),
    })
  })

  app.get('/workspaces/:id/ledger', calls.ledger, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const { kind: kinds, from, to, limit } = request.query
    const dates = {
      since: from === undefined ? null : parseDay(from, workspace.timeZone).startsAt,
      until: to === undefined ? null : parseDay(to, workspace.timeZone).endsAt,
    }
    const backwards = checkPeriod('to', dates)
    if (backwards) return sendRefusal(reply, backwards)
    const filter = { workspaceId: workspace.id, kinds, ...dates, ...pageFrom(request.query) }
    const { rows, scannedTo } = await listEntries(dbOf(ports, request), filter)
    return pageOf(rows, limit, (it) => entryView(it, workspace.timeZone), scannedTo)
  })
}

function entryView(it: LedgerEntry, timeZone: string): z.input<typeof entryAnswer> {
  const { id, kind, amountE4, balanceE4, period, messageId, messages, note, at } = it
  const expiresAt = creditExpiresAt(it, timeZone)
  const money = { amount: fromE4(amountE4), balance: fromE4(balanceE4) }
  return { id, kind, ...money, period, messageId, messages, note, expiresAt, at }
}
