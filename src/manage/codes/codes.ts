// OTP statistics and events of the fraud guard (D33).
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { Refusal } from '../../domain/refusals.ts'
import { daysBetween } from '../../domain/workspaces/billing-period.ts'
import { sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listCodeDays, listCodePrefixes } from '../../store/codes/code-days.ts'
import { listFindings, type StoredFinding } from '../../store/codes/pumping.ts'
import { dbOf, loadWorkspace } from '../authenticate.ts'
import { checkDays, DAYS_COVERED, days } from '../days.ts'
import { endpointsOf, VIEWERS } from '../endpoint.ts'
import { byId, listOf, pageFrom, pageOf, paging } from '../fields.ts'

const MAX_PREFIXES = 200

const counts = {
  sent: z.int().describe('Accepted OTPs, without test clients.'),
  delivered: z.int().describe('OTPs with a delivery receipt `delivered`.'),
  verified: z.int().describe('Verified OTPs, with or without a delivery receipt.'),
}
const codeDay = z.object({ day: z.iso.date(), ...counts }).meta({ title: 'CodeDay' })
const funnelAnswer = z
  .object({ from: z.iso.date(), to: z.iso.date(), timeZone: z.string(), items: z.array(codeDay), next: z.null() })
  .meta({ title: 'CodeFunnel', description: 'All days in order. An OTP counts for the day it was sent.' })

const codePrefix = z
  .object({ prefix: z.string().describe('Number without its last seven digits.'), ...counts })
  .meta({ title: 'CodePrefix' })
const prefixesAnswer = z
  .object({
    from: z.iso.date().describe('First day; later than requested if there is too much data.'),
    to: z.iso.date(),
    items: z.array(codePrefix),
    next: z.null(),
  })
  .meta({ title: 'CodePrefixes', description: `Up to ${MAX_PREFIXES} prefixes, most OTPs first.` })

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
}

const NO_CODES = { sent: 0, delivered: 0, verified: 0 }

export function mountCodes(app: TypedServer, ports: Ports): void {
  app.get('/workspaces/:id/codes/funnel', calls.funnel, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const requested = checkDays(request.query, workspace, ports.clock.now())
    if (requested instanceof Refusal) return sendRefusal(reply, requested)
    const { id: workspaceId, timeZone } = workspace
    const known = new Map(
      (await listCodeDays(dbOf(ports, request), { workspaceId, ...requested })).map((it) => [it.day, it]),
    )
    const items = daysBetween(requested).map((day) => known.get(day) ?? { day, ...NO_CODES })
    return { ...requested, timeZone, items, next: null }
  })

  app.get('/workspaces/:id/codes/by-prefix', calls.byPrefix, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const requested = checkDays(request.query, workspace, ports.clock.now())
    if (requested instanceof Refusal) return sendRefusal(reply, requested)
    const { since, prefixes } = await listCodePrefixes(dbOf(ports, request), {
      workspaceId: workspace.id,
      ...requested,
      limit: MAX_PREFIXES,
    })
    return { from: since ?? requested.from, to: requested.to, items: prefixes, next: null }
  })

  app.get('/workspaces/:id/codes/fraud-events', calls.fraudEvents, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const found = await listFindings(dbOf(ports, request), { workspaceId: workspace.id, ...pageFrom(request.query) })
    return pageOf(found, request.query.limit, fraudEventView)
  })
}

function fraudEventView({ until: heldUntil, ...rest }: StoredFinding): z.input<typeof fraudEventAnswer> {
  return { ...rest, heldUntil }
}
