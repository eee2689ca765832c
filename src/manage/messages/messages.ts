// Lists messages, counts them over time, and shows the timeline of one message.
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { recordNumberSearch, revealMessage } from '../../actions/messages/reveal-message.ts'
import type { Ports } from '../../actions/ports.ts'
import { carrierHealth } from '../../domain/carriers/carrier-health.ts'
import { explainWaiting, type Waiting } from '../../domain/carriers/waiting.ts'
import { calendarDay, countBySteps, hasDays, stepsOf } from '../../domain/message-counts.ts'
import { isFinal } from '../../domain/message-status.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { DELETED_TEXT, HIDDEN_CODE } from '../../domain/people/masking.ts'
import { Refusal } from '../../domain/refusals.ts'
import type { TimeRange } from '../../domain/time-ranges.ts'
import { quietUntil } from '../../domain/workspaces/quiet-hours.ts'
import { requireFound, respond, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listBindsAsOf } from '../../store/carriers/carrier-binds.ts'
import { listAllCarriers } from '../../store/carriers/carriers.ts'
import { findCountry } from '../../store/carriers/countries.ts'
import { listWorkingRoutes } from '../../store/carriers/routes.ts'
import type { Db } from '../../store/database/db.ts'
import { listDays, listQuarters } from '../../store/messages/message-counts.ts'
import { type ListedMessage, listMessages } from '../../store/messages/messages.ts'
import { loadTimeline, type Timeline } from '../../store/messages/timeline.ts'
import { MAX_ROWS_SCANNED, type ScannedPage } from '../../store/pages.ts'
import { findWorkspace, loadWorkspaceLabels, type Workspace } from '../../store/workspaces/workspaces.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { datesIn } from '../days.ts'
import { DEVELOPERS, endpointsOf, OPERATORS, VIEWERS } from '../endpoint.ts'
import { byId, inWorkspace, listOf, pageFrom, pageOf, paging, timeRange, timeZone, wholeListOf } from '../fields.ts'
import { messageFilters, readFilter } from './message-filter.ts'
import { messageAnswer, messageView, serviceMessageAnswer } from './message-view.ts'
import { marginAnswer, timelineEvents, timelineView, waitingAnswer } from './timeline-view.ts'

const filters = paging.extend(messageFilters.shape)
const serviceFilters = filters.extend({
  ...inWorkspace,
  to: messageFilters.shape.to.describe('Recipient. Without a workspace, the number needs its +.'),
  ...datesIn("the workspace's time zone, or without a workspace in UTC"),
})

const ranges = z.object({ range: timeRange.default('24h') })

const stepAnswer = z
  .object({
    startsAt: time,
    endsAt: time,
    delivered: z.int(),
    underWay: z.int(),
    undelivered: z.int(),
    failed: z.int().describe('Failed and rejected messages.'),
  })
  .meta({ title: 'MessageStep', description: 'Messages accepted in the step, by status, without test messages.' })
const historyAnswer = wholeListOf(stepAnswer)
  .extend({ timeZone: z.string().describe('Time zone of the steps.') })
  .meta({ title: 'MessageHistory', description: 'All steps, in order.' })
const STEPS =
  'Steps are quarter hours up to `6h`, hours in `24h`, six hours in `7d`, and days beyond, of the time zone.'

const revealedAnswer = z
  .object({
    to: z.string(),
    text: z.string().describe(`\`${HIDDEN_CODE}\` for an OTP; \`${DELETED_TEXT}\` after its retention.`),
  })
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
const BOUNDED = `A page reads at most ${MAX_ROWS_SCANNED} messages: a page can be short or empty while more follow.`
const calls = {
  list: endpoint(VIEWERS, {
    operationId: 'listMessages',
    summary: 'List messages',
    description: BOUNDED,
    params: byId,
    querystring: filters,
    response: { 200: listOf(messageAnswer) },
  }),
  listAll: endpoint(OPERATORS, {
    operationId: 'listAllMessages',
    summary: 'List messages of all workspaces',
    description: BOUNDED,
    querystring: serviceFilters,
    response: { 200: listOf(serviceMessageAnswer) },
  }),
  history: endpoint(VIEWERS, {
    operationId: 'getMessageHistory',
    summary: 'Count messages over time',
    description: `In the workspace's time zone. ${STEPS}`,
    params: byId,
    querystring: ranges,
    response: { 200: historyAnswer },
  }),
  serviceHistory: endpoint(OPERATORS, {
    operationId: 'getServiceMessageHistory',
    summary: 'Count all messages over time',
    description: `${STEPS} Days older than a week are those of each workspace. Steps that have too much data are left out, oldest first.`,
    querystring: ranges.extend({ timeZone: timeZone.default('UTC').describe('Time zone of the steps.') }),
    response: { 200: historyAnswer },
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

const NO_MESSAGES: ScannedPage<ListedMessage> = { rows: [], scannedTo: null }

export function mountMessages(app: TypedServer, ports: Ports): void {
  /** Of one workspace, or with null of all workspaces. */
  const list = async (
    request: FastifyRequest,
    query: z.infer<typeof filters>,
    workspace: Workspace | null,
  ): Promise<ScannedPage<ListedMessage> | Refusal> => {
    const caller = callerOf(request)
    const { actor } = caller
    const filter = await readFilter(dbOf(ports, request), query, { workspace, actor, now: ports.clock.now() })
    if (filter instanceof Refusal) return filter
    if (filter === null) return NO_MESSAGES
    if (query.cursor === undefined) await recordNumberSearch(ports, caller, filter)
    return listMessages(dbOf(ports, request), { ...filter, ...pageFrom(query) })
  }

  app.get('/workspaces/:id/messages', calls.list, async (request, reply) => {
    const listed = await list(request, request.query, await loadWorkspace(ports, request))
    if (listed instanceof Refusal) return sendRefusal(reply, listed)
    const { actor } = callerOf(request)
    return pageOf(listed.rows, request.query.limit, (message) => messageView(message, actor), listed.scannedTo)
  })

  app.get('/messages', calls.listAll, async (request, reply) => {
    const { workspace: id, limit } = request.query
    const db = dbOf(ports, request)
    const workspace = id === undefined ? null : await findWorkspace(db, { id, within: null })
    const isUnknown = id !== undefined && workspace === null
    const listed = isUnknown ? NO_MESSAGES : await list(request, request.query, workspace)
    if (listed instanceof Refusal) return sendRefusal(reply, listed)
    const { actor } = callerOf(request)
    const labels = await loadWorkspaceLabels(
      db,
      listed.rows.map(({ workspaceId }) => workspaceId),
    )
    const view = (message: ListedMessage) => {
      const { name: workspaceName = '', currency = '' } = labels.get(message.workspaceId) ?? {}
      return { ...messageView(message, actor), workspaceName, currency }
    }
    return pageOf(listed.rows, limit, view, listed.scannedTo)
  })

  app.get('/workspaces/:id/messages/history', calls.history, async (request) => {
    const { id: workspaceId, timeZone } = await loadWorkspace(ports, request)
    return countOver(dbOf(ports, request), request.query.range, { workspaceId, timeZone, now: ports.clock.now() })
  })

  app.get('/messages/history', calls.serviceHistory, async (request) => {
    const { range, timeZone } = request.query
    return countOver(dbOf(ports, request), range, { workspaceId: null, timeZone, now: ports.clock.now() })
  })

  app.post('/messages/:id/reveal', calls.reveal, async (request, reply) => {
    const result = await revealMessage(ports, callerOf(request), request.params.id)
    return respond(reply, result, {
      view: ({ to, type, text }) => ({ to, text: text ?? (type === 'otp' ? HIDDEN_CODE : DELETED_TEXT) }),
    })
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

/** Of one workspace, or with null of all workspaces. */
async function countOver(
  db: Db,
  range: TimeRange,
  { workspaceId, timeZone, now }: { workspaceId: string | null; timeZone: string; now: Date },
): Promise<z.input<typeof historyAnswer>> {
  const steps = stepsOf(range, now, timeZone)
  const since = steps[0]?.startsAt ?? now
  const [quarters, days] = await Promise.all([
    listQuarters(db, { workspaceId, since }),
    hasDays(range)
      ? listDays(db, { workspaceId, since: calendarDay(since, timeZone) })
      : { counts: [], completeSince: null },
  ])
  const complete = steps.filter(({ startsAt }) =>
    [quarters, days].every(({ completeSince }) => completeSince === null || startsAt >= completeSince),
  )
  const counts = { quarters: quarters.counts, days: days.counts, timeZone }
  return { items: countBySteps(complete, counts), next: null, timeZone }
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
