// The test phone: messages of the simulator's handsets, and replies from them. Mounted only if a simulator runs.
import { z } from 'zod'
import { findSimulatorCarrier } from '../../actions/carriers/ensure-simulator-carrier.ts'
import type { Ports } from '../../actions/ports.ts'
import {
  type HandsetList,
  type HandsetReply,
  isAnswerable,
  type OutcomeDescription,
} from '../../domain/messages/handset-message.ts'
import { refuseField } from '../../domain/refusals.ts'
import { MAX_SEGMENTS, measureText, textError } from '../../domain/text-encoding.ts'
import { sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import type { Db } from '../../store/database/db.ts'
import { listWorkspaceReferences } from '../../store/messages/submissions.ts'
import { dbOf, loadWorkspace } from '../authenticate.ts'
import { CALLERS, DEVELOPERS, endpointsOf, OPERATORS } from '../endpoint.ts'
import { byId, line, wholeListOf } from '../fields.ts'

/** The simulator, which may run in another process. */
export interface SimulatorPort {
  handsets(number: string | null): Promise<HandsetList>
  /** Whether the service accepted the reply immediately; otherwise the simulator retries. */
  write(reply: Omit<HandsetReply, 'sentAt'>): Promise<boolean>
  outcomes(): Promise<OutcomeDescription[]>
}

const ofNumber = z.object({
  number: line(20).optional().describe('Number of the handset, or its last digits.'),
})

const newReply = z
  .strictObject({
    from: z
      .string()
      .regex(/^\+\d{7,15}$/, 'Must be a number in E.164, such as +9779800000001')
      .describe('Number of the handset (E.164).'),
    to: z
      .string()
      .regex(/^[ -~]{1,20}$/, 'Must be up to 20 printable ASCII characters')
      .describe('Recipient, such as the sender of a message.'),
    text: z
      .string()
      .min(1)
      .refine((text) => textError(text) === null && measureText(text).segments <= MAX_SEGMENTS, {
        error: `Must be at most ${MAX_SEGMENTS} segments, without control characters`,
      })
      .describe('Text of the reply.'),
  })
  .meta({ title: 'NewHandsetReply' })

const handsetAnswer = z
  .object({
    items: z.array(z.object({ id: z.string(), to: z.string(), from: z.string(), text: z.string(), receivedAt: time })),
    replies: z
      .array(z.object({ from: z.string(), to: z.string(), text: z.string(), sentAt: time }))
      .describe('Replies of the handsets.'),
  })
  .meta({ title: 'HandsetMessageList' })

const writtenAnswer = z
  .object({
    taken: z.boolean().describe('Whether the service accepted it immediately; otherwise the simulator retries.'),
  })
  .meta({ title: 'HandsetReplyWritten' })

const outcomeAnswer = z
  .object({
    digits: z.string().describe('Last two digits of a number. Other digits have the outcome of the first entry.'),
    does: z.string(),
    status: z.enum(['delivered', 'undelivered', 'failed', 'rejected']).describe('Final status.'),
    error: z.string(),
    isRefunded: z.boolean(),
  })
  .meta({ title: 'SimulatorOutcome' })

const IF_SIMULATED = 'Only if a simulator runs.'
const endpoint = endpointsOf('Trying out')
/** Numbers are not masked, because a reply needs the number. */
const calls = {
  list: endpoint(OPERATORS, {
    operationId: 'listHandsetMessages',
    summary: 'List messages of the test phone',
    description: `The latest messages to handsets of the simulator, with OTPs. ${IF_SIMULATED}`,
    querystring: ofNumber,
    response: { 200: handsetAnswer },
  }),
  write: endpoint(OPERATORS, {
    operationId: 'writeHandsetReply',
    summary: 'Send a reply from a handset',
    description: `The reply arrives through the carrier of the simulator. ${IF_SIMULATED}`,
    body: newReply,
    response: { 202: writtenAnswer },
  }),
  listOwn: endpoint(DEVELOPERS, {
    operationId: 'listWorkspaceHandsetMessages',
    summary: 'List test phone messages by workspace',
    description: `The latest messages of the workspace to handsets of the simulator, with OTPs. ${IF_SIMULATED}`,
    params: byId,
    querystring: ofNumber,
    response: { 200: handsetAnswer },
  }),
  writeOwn: endpoint(DEVELOPERS, {
    operationId: 'writeWorkspaceHandsetReply',
    summary: 'Reply to a workspace',
    description: `A handset replies to a sender that the workspace used. ${IF_SIMULATED}`,
    params: byId,
    body: newReply,
    response: { 202: writtenAnswer },
  }),
  outcomes: endpoint(CALLERS, {
    operationId: 'listSimulatorOutcomes',
    summary: 'List simulator outcomes',
    description: `The outcome by the last two digits of a number. ${IF_SIMULATED}`,
    response: { 200: wholeListOf(outcomeAnswer) },
  }),
}

export function mountSimulator(app: TypedServer, ports: Ports, simulator: SimulatorPort): void {
  app.get('/simulator/messages', calls.list, (request) => simulator.handsets(request.query.number ?? null))

  app.post('/simulator/messages', calls.write, async (request, reply) => {
    return reply.code(202).send({ taken: await simulator.write(request.body) })
  })

  app.get('/simulator/outcomes', calls.outcomes, async () => ({ items: await simulator.outcomes(), next: null }))

  app.get('/workspaces/:id/simulator/messages', calls.listOwn, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const handsets = await simulator.handsets(request.query.number ?? null)
    return ownOf(dbOf(ports, request), workspace.id, handsets)
  })

  app.post('/workspaces/:id/simulator/messages', calls.writeOwn, async (request, reply) => {
    const workspace = await loadWorkspace(ports, request)
    const { items } = await ownOf(dbOf(ports, request), workspace.id, await simulator.handsets(request.body.from))
    // Otherwise a handset could reply to another workspace (D18).
    if (!isAnswerable(items, request.body))
      return sendRefusal(
        reply,
        refuseField('to', 'Must be a sender from which the handset got a message of this workspace'),
      )
    return reply.code(202).send({ taken: await simulator.write(request.body) })
  })
}

/** Messages contain OTPs, so only messages whose carrier id belongs to a submission of the workspace are shown, with their replies. */
async function ownOf(db: Db, workspaceId: string, { items, replies }: HandsetList): Promise<HandsetList> {
  const carrier = await findSimulatorCarrier(db)
  const references = items.map(({ id }) => id)
  const own = carrier
    ? await listWorkspaceReferences(db, { carrierId: carrier.id, references, workspaceId })
    : new Set<string>()
  const shown = items.filter(({ id }) => own.has(id))
  return { items: shown, replies: replies.filter((reply) => isAnswerable(shown, reply)) }
}
