// Cancels, fails, resends and exports selected messages (D75): by their ids, in any workspaces that the caller may see.
import { z } from 'zod'
import { MAX_ACTED_ON } from '../../actions/messages/act-in-steps.ts'
import { type ActedOnSelected, actOnSelected } from '../../actions/messages/act-on-selected-messages.ts'
import type { Ports } from '../../actions/ports.ts'
import { csvHead, csvLine } from '../../domain/csv.ts'
import { ACT_REFUSALS, type MessageAct } from '../../domain/messages/message-acts.ts'
import { fromE4 } from '../../domain/money.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listMessagesById } from '../../store/messages/messages.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf, OWNERS, VIEWERS, WORKSPACE_OPERATORS } from '../endpoint.ts'
import { uuid } from '../fields.ts'
import { CSV_COLUMNS, csvCells, messageTable } from './message-table.ts'
import { messageView } from './message-view.ts'

const ids = z.array(uuid).min(1).max(MAX_ACTED_ON).describe('IDs of messages.')
const selected = z
  .strictObject({
    ids,
    preview: z.boolean().default(false).describe('Only returns what would change, and changes nothing.'),
  })
  .meta({ title: 'SelectedMessages' })

const actedAnswer = z
  .object({
    changed: z.int().describe('Changed messages, or with `preview` messages that would change.'),
    amounts: z
      .array(
        z
          .object({
            currency: z.string(),
            charged: z.number().describe('Price of the new messages.'),
            refunded: z.number(),
          })
          .meta({ title: 'ActedOnAmounts' }),
      )
      .describe('One item per currency of the workspaces.'),
    refused: z
      .array(
        z
          .object({
            reason: z.string().describe(`An error code, or one of: ${ACT_REFUSALS.join(', ')}.`),
            error: z.string().describe('The error of the first of these messages.'),
            count: z.int(),
          })
          .meta({ title: 'RefusedMessages' }),
      )
      .describe('Messages that are left out, by reason.'),
  })
  .meta({ title: 'ActedOnSelectedMessages' })

const upTo = `Up to ${MAX_ACTED_ON} messages, also of several workspaces. Messages that do not allow the action are left out.`

const endpoint = endpointsOf('Messages')
const calls = {
  cancel: endpoint(OWNERS, {
    operationId: 'cancelSelectedMessages',
    summary: 'Cancel selected messages',
    description: upTo,
    body: selected,
    response: { 200: actedAnswer },
  }),
  fail: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'failSelectedMessages',
    summary: 'Fail selected messages',
    description: upTo,
    body: selected,
    response: { 200: actedAnswer },
  }),
  resend: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'resendSelectedMessages',
    summary: 'Resend selected messages',
    description: `${upTo} A failed message is sent as a new message, at the current price. A message that a carrier may have is submitted again and may arrive twice.`,
    body: selected,
    response: { 200: actedAnswer },
  }),
  export: endpoint(VIEWERS, {
    operationId: 'exportSelectedMessages',
    summary: 'Export selected messages as CSV',
    description: `Up to ${MAX_ACTED_ON} messages, newest first. People get masked numbers.`,
    body: z.strictObject({ ids }).meta({ title: 'MessagesToExport' }),
    response: { 200: messageTable },
  }),
}

export function mountSelectedMessages(app: TypedServer, ports: Ports): void {
  const act = async (caller: ReturnType<typeof callerOf>, given: z.infer<typeof selected> & { act: MessageAct }) => {
    const { act, ids, preview: isPreview } = given
    return actedView(await actOnSelected(ports, caller, { act, ids, isPreview }))
  }

  app.post('/messages/cancel', calls.cancel, (request) => act(callerOf(request), { act: 'cancel', ...request.body }))

  app.post('/messages/fail', calls.fail, (request) => act(callerOf(request), { act: 'fail', ...request.body }))

  app.post('/messages/resend', calls.resend, (request) => act(callerOf(request), { act: 'resend', ...request.body }))

  app.post('/messages/export', calls.export, async (request, reply) => {
    const { actor } = callerOf(request)
    const within = onlyWorkspace(actor)
    const found = await listMessagesById(dbOf(ports, request), [...new Set(request.body.ids)])
    const own = found.filter(({ workspaceId }) => within === null || workspaceId === within)
    // Ids are in time order.
    const newestFirst = own.toSorted((one, other) => (one.id < other.id ? 1 : -1))
    const lines = newestFirst.map((message) => csvLine(csvCells(messageView(message, actor))))
    return reply.type('text/csv; charset=utf-8').send(csvHead(CSV_COLUMNS) + lines.join(''))
  })
}

function actedView({ changed, amounts, refused }: ActedOnSelected): z.input<typeof actedAnswer> {
  return {
    changed,
    amounts: amounts.map(({ currency, chargedE4, refundedE4 }) => ({
      currency,
      charged: fromE4(chargedE4),
      refunded: fromE4(refundedE4),
    })),
    refused: Array.from(refused, ([reason, group]) => ({ reason, ...group })),
  }
}
