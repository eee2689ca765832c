// OTP statistics and events of the fraud guard (D33).
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { Refusal } from '../../domain/refusals.ts'
import { dayOf, daysBetween } from '../../domain/workspaces/billing-period.ts'
import { sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import {
  findLatestCodeDay,
  listCodeDays,
  listCodePrefixes,
  listCodeWorkspaces,
  MAX_SERVICE_ROWS_SCANNED,
} from '../../store/codes/code-days.ts'
import { listFindings, type StoredFinding } from '../../store/codes/pumping.ts'
import { MAX_ROWS_SCANNED } from '../../store/pages.ts'
import { dbOf, loadWorkspace } from '../authenticate.ts'
import { checkDays, DAYS_COVERED, days, serviceDays } from '../days.ts'
import { endpointsOf, OPERATORS, VIEWERS } from '../endpoint.ts'
import { byId, inWorkspace, listOf, pageFrom, pageOf, paging } from '../fields.ts'

const MAX_PREFIXES = 200
const MAX_WORKSPACES = 200

const counts = {
  sent: z.int().describe('Accepted OTPs, without test clients.'),
  delivered: z.int().describe('OTPs with a delivery receipt `delivered`.'),
  verified: z.int().describe('Verified OTPs, with or without a delivery receipt.'),
}
const firstDay = z.iso.date().describe('First day; later than requested if there is too much data.')
const codeDay = z.object({ day: z.iso.date(), ...counts }).meta({ title: 'CodeDay' })
const funnelAnswer = z
  .object({ from: firstDay, to: z.iso.date(), timeZone: z.string(), items: z.array(codeDay), next: z.null() })
  .meta({ title: 'CodeFunnel', description: 'All days in order. An OTP counts for the day it was sent.' })

const serviceFunnelAnswer = funnelAnswer.omit({ timeZone: true }).meta({
  title: 'ServiceCodeFunnel',
  description: "All days in order. A day is in each workspace's own time zone.",
})

const codeWorkspace = z
  .object({
    workspaceId: z.uuid(),
    workspaceName: z.string(),
    ...counts,
    refused: z.int().describe(`OTPs that the fraud guard refused, in the latest ${MAX_ROWS_SCANNED} fraud events.`),
  })
  .meta({ title: 'CodeWorkspace' })

const codePrefix = z
  .object({ prefix: z.string().describe('Number without its last seven digits.'), ...counts })
  .meta({ title: 'CodePrefix' })
const prefixesAnswer = z
  .object({
    from: firstDay,
    to: z.iso.date(),
    items: z.array(codePrefix),
    next: z.null(),
  })
  .meta({ title: 'CodePrefixes', description: `Up to ${MAX_PREFIXES} prefixes, most OTPs first.` })

const workspacesAnswer = prefixesAnswer
  .extend({ items: z.array(codeWorkspace) })
  .meta({ title: 'CodeWorkspaces', description: `Up to ${MAX_WORKSPACES} workspaces, most OTPs first.` })

const fraudEventAnswer = z
  .object({
    id: z.uuid(),
    clientId: z.uuid(),
    scope: z.string().describe('Prefix of the blocked numbers.'),
    rule: z
      .enum(['R1', 'R2', 'R3'])
      .describe('R1: neighbouring numbers. R2: a block of 10 000 numbers. R3: an operator prefix.'),
    reason: z.string().describe('Explanation.'),
    strikes: z.int().describe('Consecutive blocks.'),
    struckAt: time,
    heldUntil: time,
    refused: z.int().describe('Refused OTPs.'),
    passed: z.int().describe('OTPs that `monitor` let pass.'),
  })
  .meta({ title: 'FraudEvent' })
const serviceFraudEventAnswer = fraudEventAnswer
  .extend({ clientName: z.string(), workspaceId: z.uuid(), workspaceName: z.string() })
  .meta({ title: 'ServiceFraudEvent' })

const SERVICE_COVERED = `${DAYS_COVERED} Reads at most ${MAX_SERVICE_ROWS_SCANNED} rows, of the latest days first.`

const endpoint = endpointsOf('Codes')
const calls = {
  funnel: endpoint(VIEWERS, {
    operationId: 'getCodeFunnel',
    summary: 'Get OTP statistics by day',
    description: DAYS_COVERED,
    params: byId,
    querystring: days,
    response: { 200: funnelAnswer },
  }),
  byPrefix: endpoint(VIEWERS, {
    operationId: 'getCodesByPrefix',
    summary: 'Get OTP statistics by prefix',
    description: DAYS_COVERED,
    params: byId,
    querystring: days,
    response: { 200: prefixesAnswer },
  }),
  fraudEvents: endpoint(VIEWERS, {
    operationId: 'listFraudEvents',
    summary: 'List fraud events of a workspace',
    description: 'What the fraud guard refused, or would have refused.',
    params: byId,
    querystring: paging,
    response: { 200: listOf(fraudEventAnswer) },
  }),
  serviceFunnel: endpoint(OPERATORS, {
    operationId: 'getServiceCodeFunnel',
    summary: 'Get OTP statistics of all workspaces',
    description: SERVICE_COVERED,
    querystring: serviceDays,
    response: { 200: serviceFunnelAnswer },
  }),
  serviceByPrefix: endpoint(OPERATORS, {
    operationId: 'getServiceCodesByPrefix',
    summary: 'Get all OTP statistics by prefix',
    description: SERVICE_COVERED,
    querystring: serviceDays,
    response: { 200: prefixesAnswer },
  }),
  byWorkspace: endpoint(OPERATORS, {
    operationId: 'getCodesByWorkspace',
    summary: 'Get OTP statistics by workspace',
    description: SERVICE_COVERED,
    querystring: serviceDays,
    response: { 200: workspacesAnswer },
  }),
  serviceFraudEvents: endpoint(OPERATORS, {
    operationId: 'listAllFraudEvents',
    summary: 'List fraud events of all workspaces',
    querystring: paging.extend(inWorkspace),
    response: { 200: listOf(serviceFraudEventAnswer) },
  }),
}

const NO_CODES = { sent: 0, delivered: 0, verified: 0 }

function fillDays(
  { since, rows }: Awaited<ReturnType<typeof listCodeDays>>,
  { from, to }: { from: string; to: string },
) {
  const shown = { from: since ?? from, to }
  const known = new Map(rows.map(({ day, sent, delivered, verified }) => [day, { day, sent, delivered, verified }]))
  return { ...shown, items: daysBetween(shown).map((day) => known.get(day) ?? { day, ...NO_CODES }), next: null }
}

export function mountCodes(app: TypedServer, ports: Ports): void {
  app.get('/workspaces/:id/codes/funnel', calls.funnel, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const requested = checkDays(request.query, workspace, ports.clock.now())
    if (requested instanceof Refusal) return sendRefusal(reply, requested)
    const { id: workspaceId, timeZone } = workspace
    const days = await listCodeDays(dbOf(ports, request), { workspaceId, ...requested })
    return { ...fillDays(days, requested), timeZone }
  })

  app.get('/workspaces/:id/codes/by-prefix', calls.byPrefix, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const requested = checkDays(request.query, workspace, ports.clock.now())
    if (requested instanceof Refusal) return sendRefusal(reply, requested)
    const range = { workspaceId: workspace.id, ...requested }
    return prefixesView(await listCodePrefixes(dbOf(ports, request), { ...range, limit: MAX_PREFIXES }), requested)
  })

  app.get('/workspaces/:id/codes/fraud-events', calls.fraudEvents, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const found = await listFindings(dbOf(ports, request), { workspaceId: workspace.id, ...pageFrom(request.query) })
    return pageOf(found, request.query.limit, fraudEventView)
  })

  /** The last day is the latest of UTC and of the workspaces. */
  const readServiceDays = async (request: FastifyRequest, query: z.infer<typeof serviceDays>) => {
    const latest = query.to === undefined ? await findLatestCodeDay(dbOf(ports, request)) : null
    const now = ports.clock.now()
    const today = dayOf(now, 'UTC').day
    const to = query.to ?? (latest !== null && latest > today ? latest : today)
    return checkDays({ ...query, to }, { timeZone: 'UTC' }, now)
  }

  app.get('/codes/funnel', calls.serviceFunnel, async (request, reply) => {
    const requested = await readServiceDays(request, request.query)
    if (requested instanceof Refusal) return sendRefusal(reply, requested)
    return fillDays(await listCodeDays(dbOf(ports, request), { workspaceId: null, ...requested }), requested)
  })

  app.get('/codes/by-prefix', calls.serviceByPrefix, async (request, reply) => {
    const requested = await readServiceDays(request, request.query)
    if (requested instanceof Refusal) return sendRefusal(reply, requested)
    const range = { workspaceId: null, ...requested }
    return prefixesView(await listCodePrefixes(dbOf(ports, request), { ...range, limit: MAX_PREFIXES }), requested)
  })

  app.get('/codes/by-workspace', calls.byWorkspace, async (request, reply) => {
    const requested = await readServiceDays(request, request.query)
    if (requested instanceof Refusal) return sendRefusal(reply, requested)
    const scanned = await listCodeWorkspaces(dbOf(ports, request), { ...requested, limit: MAX_WORKSPACES })
    const items = scanned.rows.map(({ workspaceId, workspaceName, sent, delivered, verified, refused }) => ({
      ...{ workspaceId, workspaceName, sent, delivered, verified, refused },
    }))
    return { from: scanned.since ?? requested.from, to: requested.to, items, next: null }
  })

  app.get('/codes/fraud-events', calls.serviceFraudEvents, async (request) => {
    const { workspace: workspaceId = null, limit } = request.query
    const found = await listFindings(dbOf(ports, request), { workspaceId, ...pageFrom(request.query) })
    return pageOf(found, limit, serviceFraudEventView)
  })
}

function prefixesView(
  { since, rows }: Awaited<ReturnType<typeof listCodePrefixes>>,
  { from, to }: { from: string; to: string },
): z.input<typeof prefixesAnswer> {
  const items = rows.map(({ prefix, sent, delivered, verified }) => ({ prefix, sent, delivered, verified }))
  return { from: since ?? from, to, items, next: null }
}

function fraudEventView(finding: StoredFinding): z.input<typeof fraudEventAnswer> {
  const { id, clientId, scope, rule, reason, strikes, struckAt, until: heldUntil, refused, passed } = finding
  return { id, clientId, scope, rule, reason, strikes, struckAt, heldUntil, refused, passed }
}

function serviceFraudEventView(finding: StoredFinding): z.input<typeof serviceFraudEventAnswer> {
  const { clientName, workspaceId, workspaceName } = finding
  return { ...fraudEventView(finding), clientName, workspaceId, workspaceName }
}
