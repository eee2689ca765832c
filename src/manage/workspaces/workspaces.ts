// Workspaces: created and updated by the operator, read by their people.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { changeWorkspace, createWorkspace } from '../../actions/workspaces/manage-workspaces.ts'
import { fromE4 } from '../../domain/money.ts'
import { type Refusal, refuseField } from '../../domain/refusals.ts'
import { Account, isCreditLow } from '../../domain/workspaces/account.ts'
import { dayOf } from '../../domain/workspaces/billing-period.ts'
import { CREDIT_REQUEST_STATUSES, type CreditRequest } from '../../domain/workspaces/credit-request.ts'
import { PLANS, typesOfPlan, WORKSPACE_STATUSES } from '../../domain/workspaces/workspace.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { countWorkspaceMessages } from '../../store/workspaces/usage.ts'
import {
  listWorkspaces,
  toAccountState,
  type Workspace,
  type WorkspaceSettings,
} from '../../store/workspaces/workspaces.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, fresh, OPERATORS, VIEWERS, WORKSPACE_OPERATORS } from '../endpoint.ts'
import {
  amount,
  applyPatch,
  byId,
  carrierFields,
  countryCode,
  currency,
  line,
  listOf,
  messageType,
  messageTypes,
  pageFrom,
  pageOf,
  paging,
  price,
  timeZone,
} from '../fields.ts'

const status = z.enum(WORKSPACE_STATUSES).describe('Status. Only an active workspace can send.')
const rate = z.strictObject({
  transactional: price.describe('Price of a transactional segment.'),
  otp: price.describe('Price of an OTP segment.'),
  promotional: price.describe('Price of a promotional segment.'),
})

// D43: fairness is by workspace, so the number of clients per workspace is bounded.
const maxClients = z.number().int().min(0).max(1000).describe('Maximum number of clients.')
const name = line(100).describe('Name of the workspace.')
const plan = z.enum(PLANS).describe('Plan. Promotional messages need the enterprise plan.')
const monthlyCredit = amount.describe('Credit granted at the start of each month.')
const allowedTypes = messageTypes.describe('Message types that the workspace may send. Default: all of the plan.')
const allowedCountries = z
  .array(countryCode)
  .nullable()
  .describe('Countries that the workspace may send to. Default: every live country.')
const templatesRequired = z.boolean().describe('Whether a text must match an approved template.')

const newWorkspace = z
  .strictObject({
    name,
    country: countryCode,
    currency: currency.default('NPR'),
    timeZone: timeZone.default('Asia/Kathmandu').describe('Time zone of its days and months.'),
    plan: plan.default('standard'),
    status: status.default('pending'),
    monthlyCredit,
    rate,
    allowedTypes: allowedTypes.optional(),
    allowedCountries: allowedCountries.default(null),
    templatesRequired: templatesRequired.default(true),
    maxClients: maxClients.default(20),
    carrierFields: carrierFields.default({}),
  })
  .meta({ title: 'NewWorkspace' })

// Country, currency and time zone cannot change: the ledger depends on them.
const workspacePatch = z
  .strictObject({
    name: name.optional(),
    plan: plan.optional(),
    status: status.optional(),
    monthlyCredit: monthlyCredit.optional(),
    rate: rate.partial().optional(),
    allowedTypes: allowedTypes.optional(),
    allowedCountries: allowedCountries.optional(),
    templatesRequired: templatesRequired.optional(),
    maxClients: maxClients.optional(),
    carrierFields: carrierFields.optional(),
  })
  .meta({ title: 'WorkspaceChange' })

export const workspaceAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    country: z.string(),
    currency: z.string(),
    timeZone: z.string(),
    plan: z.enum(PLANS),
    status,
    monthlyCredit: z.number().describe('Credit granted at the start of each month.'),
    rate: z
      .object({ transactional: z.number(), otp: z.number(), promotional: z.number() })
      .describe('Price per segment by message type.'),
    allowedTypes: z.array(messageType),
    allowedCountries: z.array(z.string()).nullable().describe('null: every live country.'),
    templatesRequired: z.boolean(),
    maxClients: z.int(),
    carrierFields,
    balance: z.number().describe('Current balance. It expires at the end of the month.'),
    period: z.iso.date().describe('First day of the month.'),
    periodEndsAt: time,
    creditAlerts: z
      .object({
        below: z.array(z.number()).describe('Balances below which owners are alerted, highest first.'),
        isLow: z.boolean().describe('Whether the balance is below one of them.'),
        clientId: z.uuid().nullable().describe('Client whose webhook gets the alerts.'),
      })
      .meta({ title: 'CreditAlerts' }),
    creditRequest: z
      .object({
        amount: z.number(),
        note: z.string().nullable(),
        status: z.enum(CREDIT_REQUEST_STATUSES),
        requestedAt: time,
        decidedAt: time.nullable().describe('When it was granted, declined or withdrawn.'),
        reason: z.string().nullable().describe('Why it was declined.'),
      })
      .meta({ title: 'CreditRequest' })
      .nullable()
      .describe('Last credit request of the workspace.'),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ title: 'Workspace' })

const listedAnswer = workspaceAnswer
  .extend({ sentToday: z.int().describe("Messages accepted today, in the workspace's time zone.") })
  .meta({ title: 'ListedWorkspace' })

const workspaceFilters = paging.extend({
  name: line(100).optional().describe('Part of the name, in any case.'),
  status: status.optional(),
})

const endpoint = endpointsOf('Workspaces')
const calls = {
  create: endpoint(OPERATORS, {
    operationId: 'createWorkspace',
    summary: 'Create a workspace',
    body: newWorkspace,
    response: { 201: workspaceAnswer },
  }),
  list: endpoint(OPERATORS, {
    operationId: 'listWorkspaces',
    summary: 'List workspaces',
    querystring: workspaceFilters,
    response: { 200: listOf(listedAnswer) },
  }),
  read: endpoint(VIEWERS, {
    operationId: 'getWorkspace',
    summary: 'Get a workspace',
    params: byId,
    response: { 200: workspaceAnswer },
  }),
  change: endpoint(fresh(WORKSPACE_OPERATORS), {
    operationId: 'changeWorkspace',
    summary: 'Update a workspace',
    params: byId,
    body: workspacePatch,
    response: { 200: workspaceAnswer },
  }),
}

export function mountWorkspaces(app: TypedServer, ports: Ports): void {
  app.post('/workspaces', calls.create, async (request, reply) => {
    const settings = judgeSettings(settingsOf(request.body))
    if ('code' in settings) return sendRefusal(reply, settings)
    return respond(reply, await createWorkspace(ports, callerOf(request), settings), {
      status: 201,
      view: (it) => workspaceView(it, ports),
    })
  })

  app.get('/workspaces', calls.list, async (request) => {
    const { name = null, status: only = null, limit } = request.query
    const db = dbOf(ports, request)
    const { rows, scannedTo } = await listWorkspaces(db, { name, status: only, ...pageFrom(request.query) })
    const today = rows.map(({ id, timeZone: zone }) => ({ workspaceId: id, day: dayOf(ports.clock.now(), zone).day }))
    const sent = await countWorkspaceMessages(db, today)
    const view = (it: Workspace) => ({ ...workspaceView(it, ports), sentToday: sent.get(it.id) ?? 0 })
    return pageOf(rows, limit, view, scannedTo)
  })

  app.get('/workspaces/:id', calls.read, async (request) => workspaceView(await loadWorkspace(ports, request), ports))

  app.patch('/workspaces/:id', calls.change, async (request, reply) => {
    const change = (workspace: Workspace) => judgeSettings(patched(workspace, request.body))
    const result = await changeWorkspace(ports, callerOf(request), { id: request.params.id, change })
    return respond(reply, result, { view: (it) => workspaceView(it, ports) })
  })
}

function settingsOf(body: z.infer<typeof newWorkspace>): WorkspaceSettings {
  const { monthlyCredit, rate: priceE4, allowedTypes, ...rest } = body
  return { ...rest, monthlyCreditE4: monthlyCredit, priceE4, allowedTypes: allowedTypes ?? typesOfPlan(body.plan) }
}

function patched(workspace: Workspace, patch: z.infer<typeof workspacePatch>): WorkspaceSettings {
  const { name, country, currency, timeZone, plan, status, monthlyCreditE4, priceE4, carrierFields } = workspace
  const { allowedTypes, allowedCountries, templatesRequired, maxClients } = workspace
  const { monthlyCredit = monthlyCreditE4, rate = {}, ...rest } = patch
  return {
    ...{ country, currency, timeZone, monthlyCreditE4: monthlyCredit, priceE4: applyPatch(priceE4, rate) },
    ...applyPatch(
      { name, plan, status, allowedTypes, allowedCountries, templatesRequired, maxClients, carrierFields },
      rest,
    ),
  }
}

/** §2.3: promotional is enabled only on the Enterprise plan. */
function judgeSettings(settings: WorkspaceSettings): WorkspaceSettings | Refusal {
  const planTypes = typesOfPlan(settings.plan)
  const tooMuch = settings.allowedTypes.find((type) => !planTypes.includes(type))
  return tooMuch ? refuseField('allowedTypes', `'${tooMuch}' needs the enterprise plan`) : settings
}

/** The current balance, also in a new month before the first write (D9). */
export function workspaceView(workspace: Workspace, ports: Ports): z.input<typeof workspaceAnswer> {
  const {
    monthlyCreditE4,
    priceE4,
    balanceE4: _,
    period: __,
    periodEndsAt: ___,
    lastEntryId: ____,
    templatesRevision: _____,
    creditAlertsE4,
    creditAlertClientId: clientId,
    creditRequest,
    ...rest
  } = workspace
  const account = Account.at(ports.clock.now(), toAccountState(workspace))
  return {
    ...rest,
    monthlyCredit: fromE4(monthlyCreditE4),
    rate: {
      transactional: fromE4(priceE4.transactional),
      otp: fromE4(priceE4.otp),
      promotional: fromE4(priceE4.promotional),
    },
    balance: fromE4(account.balanceE4),
    period: account.period,
    periodEndsAt: account.periodEndsAt,
    creditAlerts: {
      below: creditAlertsE4.map(fromE4),
      isLow: isCreditLow(account.balanceE4, creditAlertsE4),
      clientId,
    },
    creditRequest: creditRequest && requestView(creditRequest),
  }
}

function requestView({ amountE4, ...request }: CreditRequest) {
  return { amount: fromE4(amountE4), ...request }
}
