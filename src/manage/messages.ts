// Messages as their owners see them: lists with filters, and the timeline of one, from its charge to the last posting.

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { onlyWorkspace } from '../domain/actor.ts'
import { dayNamed } from '../domain/billing-period.ts'
import { carrierHealth } from '../domain/carrier-health.ts'
import { chargedE4, FAILURE_CODES, isFinal, MESSAGE_STATUSES } from '../domain/message-status.ts'
import { fromE4 } from '../domain/money.ts'
import { readPhoneNumber } from '../domain/phone-number.ts'
import { quietUntil } from '../domain/quiet-hours.ts'
import { refuse, refuseField } from '../domain/refusals.ts'
import { explainWaiting, type Waiting } from '../domain/waiting.ts'
import { respond, sendRefusal } from '../http/reply.ts'
import { time } from '../http/time.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { listBinds } from '../store/carrier-binds.ts'
import { listAllCarriers } from '../store/carriers.ts'
import { findCountry } from '../store/countries.ts'
import type { Db } from '../store/db.ts'
import { type ListedMessage, listMessages } from '../store/messages.ts'
import { listWorkingRoutes } from '../store/routes.ts'
import { loadTimeline, type Timeline } from '../store/timeline.ts'
import { MOST_LOOKED_AT } from '../store/workspaces.ts'
import { callerOf, dbOf, findAskedWorkspace } from './authenticate.ts'
import { asItIs } from './carriers.ts'
import { endpointsOf } from './endpoint.ts'
import { anyOf, byId, day, instant, judgePeriod, listOf, messageType, pageFrom, pageOf, paging } from './fields.ts'
import { happenings, timelineView, waitingAnswer } from './timeline-view.ts'

// A day is one of the workspace's calendar, from its first instant to its last.
const dayOrInstant = day.or(instant)

const filters = paging.extend({
  client: z.uuid().optional(),
  status: anyOf(z.enum(MESSAGE_STATUSES)).default([]),
  type: messageType.optional(),
  to: z.string().optional().describe('A mobile number, as it can be sent to.'),
  'from-date': dayOrInstant.optional().describe("A day of the workspace's calendar, or a time with its offset."),
  'to-date': dayOrInstant.optional().describe('A day is included, a time is not.'),
})

const messageAnswer = z
  .object({
    id: z.uuid(),
    workspaceId: z.uuid(),
    clientId: z.uuid(),
    to: z.string(),
    from: z.string(),
    text: z.string().describe('`(OTP hidden)` for a message with a one-time code.'),
    type: messageType,
    encoding: z.enum(['GSM7', 'UCS2']),
    segments: z.int(),
    cost: z.number(),
    charged: z.number().describe('What was really paid: nothing for a test, nothing for what was refunded.'),
    status: z.enum(MESSAGE_STATUSES),
    error: z.enum(['', ...FAILURE_CODES]),
    attempts: z.int(),
    dlr: z
      .object({ status: z.string(), code: z.string(), raw: z.string(), at: z.iso.datetime() })
      .nullable()
      .describe('The latest delivery report.'),
    submittedAt: time.nullable(),
    sentAt: time.nullable(),
    deliveredAt: time.nullable(),
    failedAt: time.nullable(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ title: 'Message' })

const timelineAnswer = z
  .object({
    message: messageAnswer,
    waitsUntil: time.nullable().describe('When it is tried next, where it was put off.'),
    waiting: waitingAnswer.nullable().describe('What it waits for; null where it waits for nothing.'),
    timeline: happenings,
  })
  .meta({ title: 'Timeline' })

const endpoint = endpointsOf('Messages')
const calls = {
  list: endpoint(
    { roles: ['operator', 'owner', 'developer', 'viewer'], scope: 'workspace' },
    {
      operationId: 'listMessages',
      summary: 'List messages',
      description: `A page looks at ${MOST_LOOKED_AT} messages at most: it may be short, even empty, while there are more.`,
      params: byId,
      querystring: filters,
      response: { 200: listOf(messageAnswer) },
    },
  ),
  timeline: endpoint(
    { roles: ['operator', 'owner', 'developer', 'viewer'], scope: 'workspace' },
    {
      operationId: 'getTimeline',
      summary: 'Read what happened to a message',
      params: byId,
      response: { 200: timelineAnswer },
    },
  ),
}

/** What sending takes, searching takes; in an address a bare plus is a space. */
const NO_NUMBER = 'Must be a mobile number as it is sent to; its plus is written %2B'

export function mountMessages(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/workspaces/:id/messages', calls.list, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const { client: clientId = null, status: statuses, type = null, to: written, limit } = request.query
    const number = written === undefined ? null : readPhoneNumber(written, workspace.country)
    if (number?.ok === false) return sendRefusal(reply, refuseField('to', NO_NUMBER))
    const to = number?.e164 ?? null
    const { 'from-date': from, 'to-date': until } = request.query
    const dates = {
      since: typeof from === 'string' ? dayNamed(from, workspace.timeZone).startsAt : (from ?? null),
      until: typeof until === 'string' ? dayNamed(until, workspace.timeZone).endsAt : (until ?? null),
    }
    const backwards = judgePeriod('to-date', dates)
    if (backwards) return sendRefusal(reply, backwards)
    const filter = { workspaceId: workspace.id, clientId, statuses, type, to, ...dates }
    const { rows, lookedTo } = await listMessages(dbOf(ports, request), { ...filter, ...pageFrom(request.query) })
    return pageOf(rows, limit, viewOf, lookedTo)
  })

  app.get('/messages/:id/timeline', calls.timeline, async (request, reply) => {
    const { actor } = callerOf(request)
    const timeline = await loadTimeline(dbOf(ports, request), { id: request.params.id, within: onlyWorkspace(actor) })
    const now = ports.clock.now()
    const waiting = timeline && (await lookWhy(dbOf(ports, request), timeline, now))
    // Which carrier it took, and what that one answered, is the operator's business.
    const view = (it: NonNullable<typeof timeline>) =>
      timelineView(it, { message: viewOf(it.message), waiting, showCarriers: actor.kind === 'operator', now })
    return respond(reply, timeline ?? refuse('not_found'), { view })
  })
}

/** What it waits for; null for what is sent, or over. */
async function lookWhy(
  db: Db,
  { message, queued, country, submissions }: Timeline,
  now: Date,
): Promise<Waiting | null> {
  if (isFinal(message.status) || message.status === 'sent') return null
  const [routes, carriers, binds, zone] = await Promise.all([
    listWorkingRoutes(db, now),
    listAllCarriers(db),
    listBinds(db),
    findCountry(db, country),
  ])
  const byId = new Map(carriers.map((carrier) => [carrier.id, carrier]))
  const healthOf = (id: string) =>
    carrierHealth({
      enabled: byId.get(id)?.enabled ?? false,
      binds: binds.filter((bind) => bind.carrierId === id).map((bind) => asItIs(bind, now)),
    })
  const isNight = message.type === 'promotional' && zone !== null && quietUntil(now, zone) !== null
  return explainWaiting({ message, queued, submitted: submissions.at(-1) ?? null, isNight, routes, healthOf, now })
}

function viewOf(message: ListedMessage): z.input<typeof messageAnswer> {
  const { sender, text, costE4, submissions: attempts, ...rest } = message
  const money = { cost: fromE4(costE4), charged: fromE4(chargedE4(message)) }
  return { ...rest, from: sender, text: text ?? '(OTP hidden)', ...money, attempts }
}
