// Lists messages, counts them by hour, and shows the timeline of one message.
import { z } from 'zod'
import { recordNumberSearch, revealMessage } from '../../actions/messages/reveal-message.ts'
import type { Ports } from '../../actions/ports.ts'
import { carrierHealth } from '../../domain/carriers/carrier-health.ts'
import { explainWaiting, type Waiting } from '../../domain/carriers/waiting.ts'
import { byHour, hoursUntil } from '../../domain/hours.ts'
import { isFinal } from '../../domain/message-status.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { HIDDEN_CODE } from '../../domain/people/masking.ts'
import { Refusal } from '../../domain/refusals.ts'
import { quietUntil } from '../../domain/workspaces/quiet-hours.ts'
import { requireFound, respond, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listBindsAsOf } from '../../store/carriers/carrier-binds.ts'
import { listAllCarriers } from '../../store/carriers/carriers.ts'
import { findCountry } from '../../store/carriers/countries.ts'
import { listWorkingRoutes } from '../../store/carriers/routes.ts'
import type { Db } from '../../store/database/db.ts'
import { listQuarters } from '../../store/messages/message-quarters.ts'
import { listMessages } from '../../store/messages/messages.ts'
import { loadTimeline, type Timeline } from '../../store/messages/timeline.ts'
import { MAX_ROWS_SCANNED } from '../../store/pages.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { DEVELOPERS, endpointsOf, VIEWERS } from '../endpoint.ts'
import { byId, listOf, pageFrom, pageOf, paging, wholeListOf } from '../fields.ts'
import { messageFilters, readFilter } from './message-filter.ts'
import { messageAnswer, messageView } from './message-view.ts'
import { marginAnswer, timelineEvents, timelineView, waitingAnswer } from './timeline-view.ts'

const MAX_DAYS = 7
const MAX_HOURS = MAX_DAYS * 24
const DEFAULT_HOURS = 24

const filters = paging.extend(messageFilters.shape)

const hours = z.object({
  hours: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_HOURS)
    .default(DEFAULT_HOURS)
    .describe('Number of hours, up to the current one.'),
})

const hourAnswer = z
  .object({
    startsAt: time,
    delivered: z.int(),
    underWay: z.int(),
    undelivered: z.int(),
    failed: z.int().describe('Failed and rejected messages.'),
  })
  .meta({ title: 'MessageHour', description: 'Messages accepted in the hour, by status, without test messages.' })
const hoursAnswer = wholeListOf(hourAnswer)
  .extend({ timeZone: z.string().describe('Time zone of the hours.') })
  .meta({ title: 'MessageHours', description: 'All hours, in order.' })

const revealedAnswer = z
  .object({ to: z.string(), text: z.string().describe(`\`${HIDDEN_CODE}\` for an OTP.`) })
  .meta({ title: 'RevealedMessage' })

const timelineAnswer = z
  .object({
    message: messageAnswer,
    waitsUntil: time.nullable().describe('Time of the next attempt, if the message is deferred.'),
    waiting: waitingAnswer.nullable().describe('Why the message waits, or null.'),
    timeline: timelineEvents,
    carriers: marginAnswer,
  })
  .meta({ title: 'Timeline' })

const endpoint = endpointsOf('Messages')
const calls = {
  list: endpoint(VIEWERS, {
    operationId: 'listMessages',
    summary: 'List messages',
    description: `A page reads at most ${MAX_ROWS_SCANNED} messages: a page can be short or empty while more follow.`,
    params: byId,
    querystring: filters,
    response: { 200: listOf(messageAnswer) },
  }),
  byHour: endpoint(VIEWERS, {
    operationId: 'countMessagesByHour',
    summary: 'Count messages by hour',
    description: `Up to ${MAX_DAYS} days, in the workspace's time zone.`,
    params: byId,
    querystring: hours,
    response: { 200: hoursAnswer },
  }),
  reveal: endpoint(DEVELOPERS, {
    operationId: 'revealMessage',
    summary: 'Reveal number and text',
    description: 'People see masked numbers. Each reveal is recorded in the audit log.',
    params: byId,
    response: { 200: revealedAnswer },
  }),
  timeline: endpoint(VIEWERS, {
    operationId: 'getTimeline',
    summary: 'Get the timeline of a message',
    params: byId,
    response: { 200: timelineAnswer },
  }),
}

export function mountMessages(app: TypedServer, ports: Ports): void {
  app.get('/workspaces/:id/messages', calls.list, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const { actor } = callerOf(request)
    const filter = readFilter(request.query, { workspace, actor })
    if (filter instanceof Refusal) return sendRefusal(reply, filter)
    if (filter === null) return { items: [], next: null }
    if (request.query.cursor === undefined) await recordNumberSearch(ports, callerOf(request), filter)
    const { rows, scannedTo } = await listMessages(dbOf(ports, request), { ...filter, ...pageFrom(request.query) })
    return pageOf(rows, request.query.limit, (message) => messageView(message, actor), scannedTo)
  })

  app.get('/workspaces/:id/messages/by-hour', calls.byHour, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const { id: workspaceId, timeZone } = workspace
    const hours = hoursUntil(ports.clock.now(), request.query.hours, timeZone)
    const since = hours[0] ?? ports.clock.now()
    const quarters = await listQuarters(dbOf(ports, request), { workspaceId, since })
    return { items: byHour(hours, quarters), next: null, timeZone }
  })

  app.post('/messages/:id/reveal', calls.reveal, async (request, reply) => {
    const result = await revealMessage(ports, callerOf(request), request.params.id)
    return respond(reply, result, { view: ({ to, text }) => ({ to, text: text ?? HIDDEN_CODE }) })
  })

  app.get('/messages/:id/timeline', calls.timeline, async (request) => {
    const { actor } = callerOf(request)
    const db = dbOf(ports, request)
    const timeline = requireFound(await loadTimeline(db, { id: request.params.id, within: onlyWorkspace(actor) }))
    const now = ports.clock.now()
    return timelineView(timeline, {
      message: messageView(timeline.message, actor),
      waiting: await findWaitReason(db, timeline, now),
      // Only the operator sees carriers and their answers.
      showCarriers: actor.kind === 'operator',
      now,
    })
  })
}

/** Null if the message is sent or final. */
async function findWaitReason(
  db: Db,
  { message, queued, country, submissions }: Timeline,
  now: Date,
): Promise<Waiting | null> {
  if (isFinal(message.status) || message.status === 'sent') return null
  const [routes, carriers, binds, zone] = await Promise.all([
    listWorkingRoutes(db, now),
    listAllCarriers(db),
    listBindsAsOf(db, now),
    findCountry(db, country),
  ])
  const byId = new Map(carriers.map((carrier) => [carrier.id, carrier]))
  const healthOf = (id: string) =>
    carrierHealth({
      enabled: byId.get(id)?.enabled ?? false,
      binds: binds.filter((bind) => bind.carrierId === id),
    })
  const isNight = message.type === 'promotional' && zone !== null && quietUntil(now, zone) !== null
  return explainWaiting({ message, queued, submitted: submissions.at(-1) ?? null, isNight, routes, healthOf, now })
}
