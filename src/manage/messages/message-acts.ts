// Cancelling, failing and resending messages over HTTP (D59): one, or all of a workspace that a filter finds.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type ActedMany, actOnMany, MOST_ACTED, MOST_LEFT } from '../../actions/messages/act-on-many-messages.ts'
import { actOnMessage } from '../../actions/messages/act-on-messages.ts'
import type { Ports } from '../../actions/ports.ts'
import { deadlineSeconds } from '../../domain/messages/lifetime.ts'
import type { MessageAct } from '../../domain/messages/message-acts.ts'
import { refuse, refuseField } from '../../domain/refusals.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import type { ZodTypeProvider } from '../../http/validation.ts'
import { callerOf, findAskedWorkspace } from '../authenticate.ts'
import { endpointsOf, OWNERS, WORKSPACE_OPERATORS } from '../endpoint.ts'
import { byId } from '../fields.ts'
import { messageAnswer, messageView } from './message-view.ts'

/** What somebody fails had time to come to its end. */
const YOUNGEST_FAILED_SECONDS = 60
const OLDEST_SECONDS = deadlineSeconds('transactional')
const age = z.int().max(OLDEST_SECONDS)
const client = z.uuid().optional()
const onlyThese = 'Any of these; all without it.'
const after = z.uuid().optional().describe('The `next` of the call before.')

const cancelling = z
  .strictObject({
    client,
    carrier: z.uuid().optional().describe('To which they would go. Only for the operator.'),
    status: z
      .array(z.enum(['queued']))
      .max(1)
      .default([])
      .describe('Only what waits can be cancelled, with or without it.'),
    olderThanSeconds: age.min(0).default(0),
  })
  .meta({ title: 'MessagesToCancel' })
const failing = z
  .strictObject({
    client,
    carrier: z.uuid().optional().describe('That had them last.'),
    status: z
      .array(z.enum(['queued', 'submitting', 'submitted', 'sent']))
      .max(4)
      .default([])
      .describe(onlyThese),
    olderThanSeconds: age.min(YOUNGEST_FAILED_SECONDS),
    after,
  })
  .meta({ title: 'MessagesToFail' })
const resending = z
  .strictObject({
    client,
    carrier: z.uuid().optional().describe('That had them last.'),
    status: z
      .array(z.enum(['failed', 'submitting', 'submitted']))
      .min(1)
      .max(3)
      .describe(
        '`failed`: sent as another message, and charged. The others: those a network may have, which may arrive twice.',
      ),
    olderThanSeconds: age.min(0).default(0),
    after,
  })
  .meta({ title: 'MessagesToResend' })

const manyAnswer = z
  .object({
    changed: z.int(),
    refused: z
      .int()
      .describe('What was claimed or came to its end meanwhile, could not be paid, or would be refused as a new send.'),
    left: z.int().describe(`How many more there are: repeat it. Counted up to ${MOST_LEFT}.`),
    next: z.uuid().nullable().describe('The `after` to go on with, where not all could be looked at.'),
  })
  .meta({ title: 'ActedOnMessages' })

/** What a send may be refused for. */
const CHARGED = [
  'conflict',
  'insufficient_balance',
  'client_disabled',
  'workspace_pending',
  'workspace_suspended',
  'forbidden',
  'type_not_allowed',
  'prefix_not_allowed',
  'template_required',
  'destination_not_supported',
  'daily_cap',
  'number_cap',
  'unavailable',
  'sms_disabled',
] as const
const byFilter = `At most ${MOST_ACTED} in one call.`

const endpoint = endpointsOf('Messages')
const calls = {
  cancel: endpoint(OWNERS, {
    operationId: 'cancelMessage',
    summary: 'Cancel a message that still waits',
    description:
      'It is `failed` without an error, refunded, and its webhook is told. What a network may have is not cancelled.',
    params: byId,
    response: { 200: messageAnswer },
    refusals: ['conflict'],
  }),
  cancelMany: endpoint(OWNERS, {
    operationId: 'cancelMessages',
    summary: 'Cancel all messages of a workspace that still wait',
    description: byFilter,
    params: byId,
    body: cancelling,
    response: { 200: manyAnswer },
  }),
  fail: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'failMessage',
    summary: 'End a message that hangs',
    description: 'It is `failed`, `delivery_failed`, and refunded, whatever a network may still report on it.',
    params: byId,
    response: { 200: messageAnswer },
    refusals: ['conflict'],
  }),
  failMany: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'failMessages',
    summary: 'End all messages of a workspace that hang',
    description: byFilter,
    params: byId,
    body: failing,
    response: { 200: manyAnswer },
  }),
  resend: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'resendMessage',
    summary: 'Send a message once more',
    description:
      'One that a network may have is submitted again, at no charge. One that failed is sent as another message, once and at the price of now, which is the answer. Both are judged as a new send would be.',
    params: byId,
    response: { 202: messageAnswer },
    refusals: CHARGED,
  }),
  resendMany: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'resendMessages',
    summary: 'Send messages of a workspace once more',
    description: byFilter,
    params: byId,
    body: resending,
    response: { 202: manyAnswer },
  }),
}

export function mountMessageActs(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const one = async (caller: ReturnType<typeof callerOf>, id: string, act: MessageAct) => ({
    result: await actOnMessage(ports, caller, { id, act }),
    view: (message: Parameters<typeof messageView>[0]) => messageView(message, caller.actor),
  })
  const many = (
    caller: ReturnType<typeof callerOf>,
    workspaceId: string,
    asked: { act: MessageAct } & Filter,
  ): Promise<ActedMany> => {
    const { act, client = null, carrier = null, status = [], olderThanSeconds, after = null } = asked
    const which = { clientId: client, carrierId: carrier, statuses: status, olderThanSeconds, after }
    return actOnMany(ports, caller, { act, asked: { workspaceId, ...which } })
  }

  app.post('/messages/:id/cancel', calls.cancel, async (request, reply) => {
    const { result, view } = await one(callerOf(request), request.params.id, 'cancel')
    return respond(reply, result, { view })
  })

  app.post('/messages/:id/fail', calls.fail, async (request, reply) => {
    const { result, view } = await one(callerOf(request), request.params.id, 'fail')
    return respond(reply, result, { view })
  })

  app.post('/messages/:id/resend', calls.resend, async (request, reply) => {
    const { result, view } = await one(callerOf(request), request.params.id, 'resend')
    return respond(reply, result, { status: 202, view })
  })

  app.post('/workspaces/:id/messages/cancel', calls.cancelMany, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const caller = callerOf(request)
    // By which carrier messages go is the operator's business.
    if (request.body.carrier !== undefined && caller.actor.kind !== 'operator')
      return sendRefusal(reply, refuseField('carrier', 'Only the operator may tell carriers apart'))
    return respond(reply, await many(caller, workspace.id, { act: 'cancel', ...request.body }), { view: asIs })
  })

  app.post('/workspaces/:id/messages/fail', calls.failMany, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    return respond(reply, await many(callerOf(request), workspace.id, { act: 'fail', ...request.body }), { view: asIs })
  })

  app.post('/workspaces/:id/messages/resend', calls.resendMany, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const acted = await many(callerOf(request), workspace.id, { act: 'resend', ...request.body })
    return respond(reply, acted, { status: 202, view: asIs })
  })
}

type Filter = Pick<z.infer<typeof cancelling>, 'client' | 'carrier' | 'olderThanSeconds'> & {
  status?: z.infer<typeof failing>['status'] | z.infer<typeof resending>['status']
  after?: string | undefined
}

const asIs = (it: ActedMany) => it
