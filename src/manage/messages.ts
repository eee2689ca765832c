// Messages as their owners see them: lists with filters, and the timeline of one, from its charge to the last posting.

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { onlyWorkspace } from '../domain/actor.ts'
import { dayNamed } from '../domain/billing-period.ts'
import { chargedE4, MESSAGE_STATUSES } from '../domain/message-status.ts'
import { fromE4 } from '../domain/money.ts'
import { readPhoneNumber } from '../domain/phone-number.ts'
import { refuse, refuseField } from '../domain/refusals.ts'
import { respond, sendRefusal } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { type ListedMessage, listMessages } from '../store/messages.ts'
import { loadTimeline } from '../store/timeline.ts'
import { callerOf, dbOf, findAskedWorkspace } from './authenticate.ts'
import { anyOf, byId, day, instant, judgePeriod, messageType, pageFrom, pageOf, paging } from './fields.ts'
import { timelineView } from './timeline-view.ts'

// A day is one of the workspace's calendar, from its first instant to its last.
const dayOrInstant = day.or(instant)

const filters = paging.extend({
  client: z.uuid().optional(),
  status: anyOf(z.enum(MESSAGE_STATUSES)).default([]),
  type: messageType.optional(),
  to: z.string().optional(),
  'from-date': dayOrInstant.optional(),
  'to-date': dayOrInstant.optional(),
})

/** What sending takes, searching takes; in an address a bare plus is a space. */
const NO_NUMBER = 'Must be a mobile number as it is sent to; its plus is written %2B'

export function mountMessages(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const forOwners = { config: { owner: true } }

  app.get(
    '/workspaces/:id/messages',
    { ...forOwners, schema: { params: byId, querystring: filters } },
    async (request, reply) => {
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
    },
  )

  app.get('/messages/:id/timeline', { ...forOwners, schema: { params: byId } }, async (request, reply) => {
    const { actor } = callerOf(request)
    const timeline = await loadTimeline(dbOf(ports, request), { id: request.params.id, within: onlyWorkspace(actor) })
    // Which carrier it took, and what that one answered, is the operator's business.
    const view = (it: NonNullable<typeof timeline>) =>
      timelineView(it, {
        message: viewOf(it.message),
        showCarriers: actor.kind !== 'owner',
        now: ports.clock.now(),
      })
    return respond(reply, timeline ?? refuse('not_found'), { view })
  })
}

function viewOf(message: ListedMessage) {
  const { sender, text, costE4, submissions: attempts, ...rest } = message
  const money = { cost: fromE4(costE4), charged: fromE4(chargedE4(message)) }
  return { ...rest, from: sender, text: text ?? '(OTP hidden)', ...money, attempts }
}
