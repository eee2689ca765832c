// Cancels, fails and resends messages (D59): one message, or all messages of a workspace that match a filter.
import { z } from 'zod'
import { MAX_ACTED_ON } from '../../actions/messages/act-in-steps.ts'
import { type ActedMany, actOnMany, MAX_REMAINING } from '../../actions/messages/act-on-many-messages.ts'
import { actOnMessage } from '../../actions/messages/act-on-messages.ts'
import type { Ports } from '../../actions/ports.ts'
import { deadlineSeconds } from '../../domain/messages/lifetime.ts'
import type { MessageAct } from '../../domain/messages/message-acts.ts'
import { refuseField } from '../../domain/refusals.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { callerOf, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, OWNERS, WORKSPACE_OPERATORS } from '../endpoint.ts'
import { byId, uuid } from '../fields.ts'
import { messageAnswer, messageView } from './message-view.ts'

/** Younger messages can still get their final status. */
const YOUNGEST_FAILED_SECONDS = 60
const OLDEST_SECONDS = deadlineSeconds('transactional')
const age = z.int().max(OLDEST_SECONDS).describe('Minimum age, in seconds.')
const client = uuid.optional().describe('Client that sent the messages.')
const onlyThese = 'Any of these statuses. Default: all.'
const after = uuid.optional().describe('`next` of the previous call.')

const cancelling = z
  .strictObject({
    client,
    carrier: uuid.optional().describe('Carrier that the messages are routed to. Only for the operator.'),
    status: z
      .array(z.enum(['queued']))
      .max(1)
      .default([])
      .describe('Only queued messages can be cancelled. Default: queued.'),
    olderThanSeconds: age.min(0).default(0),
  })
  .meta({ title: 'MessagesToCancel' })
const failing = z
  .strictObject({
    client,
    carrier: uuid.optional().describe('Carrier of the last submission.'),
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
    carrier: uuid.optional().describe('Carrier of the last submission.'),
    status: z
      .array(z.enum(['failed', 'submitting', 'submitted']))
      .min(1)
      .max(3)
      .describe('Any of these statuses.'),
    olderThanSeconds: age.min(0).default(0),
    after,
  })
  .meta({ title: 'MessagesToResend' })

const manyAnswer = z
  .object({
    changed: z.int(),
    refused: z.int().describe('Messages that were claimed or final, lacked credit, or would be refused as a new send.'),
    left: z.int().describe(`Remaining messages, counted up to ${MAX_REMAINING}. Repeat the call.`),
    next: z.uuid().nullable().describe('`after` of the next call, if more messages follow.'),
  })
  .meta({ title: 'ActedOnMessages' })

/** Errors of a send. */
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
const byFilter = `Acts on up to ${MAX_ACTED_ON} messages per call.`

const endpoint = endpointsOf('Messages')
const calls = {
  cancel: endpoint(OWNERS, {
    operationId: 'cancelMessage',
    summary: 'Cancel a queued message',
    description:
      'The message fails without an error, is refunded, and a webhook is sent. A message that a carrier may have cannot be cancelled.',
    params: byId,
    response: { 200: messageAnswer },
    refusals: ['conflict'],
  }),
  cancelMany: endpoint(OWNERS, {
    operationId: 'cancelMessages',
    summary: 'Cancel queued messages',
    description: byFilter,
    params: byId,
    body: cancelling,
    response: { 200: manyAnswer },
  }),
  fail: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'failMessage',
    summary: 'Fail a stuck message',
    description: 'The message fails with `delivery_failed` and is refunded. Later delivery receipts are ignored.',
    params: byId,
    response: { 200: messageAnswer },
    refusals: ['conflict'],
  }),
  failMany: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'failMessages',
    summary: 'Fail stuck messages',
    description: byFilter,
    params: byId,
    body: failing,
    response: { 200: manyAnswer },
  }),
  resend: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'resendMessage',
    summary: 'Resend a message',
    description:
      'A message that a carrier may have is submitted again, free of charge. A failed message is sent once as a new message at the current price. Both follow the rules of a new send.',
    params: byId,
    response: { 202: messageAnswer },
    refusals: CHARGED,
  }),
  resendMany: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'resendMessages',
    summary: 'Resend messages',
    description: `${byFilter} A failed message is sent as a new message, and charged. A message that is submitting or submitted may arrive twice.`,
    params: byId,
    body: resending,
    response: { 202: manyAnswer },
  }),
}

export function mountMessageActs(app: TypedServer, ports: Ports): void {
  const one = async (caller: ReturnType<typeof callerOf>, id: string, act: MessageAct) => ({
    result: await actOnMessage(ports, caller, { id, act }),
    view: (message: Parameters<typeof messageView>[0]) => messageView(message, caller.actor),
  })
  const many = (
    caller: ReturnType<typeof callerOf>,
    workspaceId: string,
    request: { act: MessageAct } & Filter,
  ): Promise<ActedMany> => {
    const { act, client = null, carrier = null, status = [], olderThanSeconds, after = null } = request
    const which = { clientId: client, carrierId: carrier, statuses: status, olderThanSeconds, after }
    return actOnMany(ports, caller, { act, requested: { workspaceId, ...which } })
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
    const workspace = await loadWorkspace(ports, request)
    const caller = callerOf(request)
    if (request.body.carrier !== undefined && caller.actor.kind !== 'operator')
      return sendRefusal(reply, refuseField('carrier', 'Only the operator can filter by carrier; remove it'))
    return respond(reply, await many(caller, workspace.id, { act: 'cancel', ...request.body }), { view: asIs })
  })

  app.post('/workspaces/:id/messages/fail', calls.failMany, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    return respond(reply, await many(callerOf(request), workspace.id, { act: 'fail', ...request.body }), { view: asIs })
  })

  app.post('/workspaces/:id/messages/resend', calls.resendMany, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const acted = await many(callerOf(request), workspace.id, { act: 'resend', ...request.body })
    return respond(reply, acted, { status: 202, view: asIs })
  })
}

type Filter = Pick<z.infer<typeof cancelling>, 'client' | 'carrier' | 'olderThanSeconds'> & {
  status?: z.infer<typeof failing>['status'] | z.infer<typeof resending>['status']
  after?: string | undefined
}

const asIs = (it: ActedMany) => it
