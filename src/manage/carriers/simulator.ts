// The handsets of the simulator over HTTP: the calls exist only where one runs. The operator sees them all; the people of a workspace
// see what it sent itself, and may answer that as the handset would. Numbers are not masked here: whoever answers has to name one.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { findSimulatorCarrier } from '../../actions/carriers/ensure-simulator-carrier.ts'
import type { Ports } from '../../actions/ports.ts'
import {
  type HandsetList,
  type HandsetReply,
  isAnswerable,
  type OutcomeDescription,
} from '../../domain/messages/handset-message.ts'
import { refuse, refuseField } from '../../domain/refusals.ts'
import { MAX_SEGMENTS, measureText, textFault } from '../../domain/text-encoding.ts'
import { sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { ZodTypeProvider } from '../../http/validation.ts'
import type { Db } from '../../store/database/db.ts'
import { listReferencesOf } from '../../store/messages/submissions.ts'
import { dbOf, findAskedWorkspace } from '../authenticate.ts'
import { CALLERS, DEVELOPERS, endpointsOf, OPERATORS } from '../endpoint.ts'
import { byId, line, wholeListOf } from '../fields.ts'

/** The simulator, in whichever process it runs. */
export interface SimulatorPort {
  handsets(number: string | null): Promise<HandsetList>
  /** Whether it was taken at once; else it is tried again later. */
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
      .regex(/^\+\d{7,15}$/, 'Must be a number with its plus')
      .describe('Number of the handset (E.164).'),
    to: z
      .string()
      .regex(/^[ -~]{1,20}$/, 'Must be up to 20 printable ASCII characters')
      .describe('Recipient, such as the sender of a message.'),
    text: z
      .string()
      .min(1)
      .refine((text) => textFault(text) === null && measureText(text).segments <= MAX_SEGMENTS, {
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

const ONLY_WHERE_ONE_RUNS = 'Only if a simulator runs.'
const endpoint = endpointsOf('Trying out')
const calls = {
  list: endpoint(OPERATORS, {
    operationId: 'listHandsetMessages',
    summary: 'List messages of the test phone',
    description: `The latest messages to handsets of the simulator, with OTPs. ${ONLY_WHERE_ONE_RUNS}`,
    querystring: ofNumber,
    response: { 200: handsetAnswer },
  }),
  write: endpoint(OPERATORS, {
    operationId: 'writeHandsetReply',
    summary: 'Send a reply from a handset',
    description: `The reply arrives through the carrier of the simulator. ${ONLY_WHERE_ONE_RUNS}`,
    body: newReply,
    response: { 202: writtenAnswer },
  }),
  listOwn: endpoint(DEVELOPERS, {
    operationId: 'listWorkspaceHandsetMessages',
    summary: 'List test phone messages by workspace',
    description: `The latest messages of the workspace to handsets of the simulator, with OTPs. ${ONLY_WHERE_ONE_RUNS}`,
    params: byId,
    querystring: ofNumber,
    response: { 200: handsetAnswer },
  }),
  writeOwn: endpoint(DEVELOPERS, {
    operationId: 'writeWorkspaceHandsetReply',
    summary: 'Reply to a workspace',
    description: `A handset replies to a sender that the workspace used. ${ONLY_WHERE_ONE_RUNS}`,
    params: byId,
    body: newReply,
    response: { 202: writtenAnswer },
  }),
  outcomes: endpoint(CALLERS, {
    operationId: 'listSimulatorOutcomes',
    summary: 'List simulator outcomes',
    description: `The outcome by the last two digits of a number. ${ONLY_WHERE_ONE_RUNS}`,
    response: { 200: wholeListOf(outcomeAnswer) },
  }),
}

export function mountSimulator(server: FastifyInstance, ports: Ports, simulator: SimulatorPort): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/simulator/messages', calls.list, (request) => simulator.handsets(request.query.number ?? null))

  app.post('/simulator/messages', calls.write, async (request, reply) => {
    return reply.code(202).send({ taken: await simulator.write(request.body) })
  })

  app.get('/simulator/outcomes', calls.outcomes, async () => ({ items: await simulator.outcomes(), next: null }))

  app.get('/workspaces/:id/simulator/messages', calls.listOwn, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const handsets = await simulator.handsets(request.query.number ?? null)
    return ownOf(dbOf(ports, request), workspace.id, handsets)
  })

  app.post('/workspaces/:id/simulator/messages', calls.writeOwn, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const { items } = await ownOf(dbOf(ports, request), workspace.id, await simulator.handsets(request.body.from))
    // To anybody else, a handset could write in another workspace's name (D18).
    if (!isAnswerable(items, request.body))
      return sendRefusal(reply, refuseField('to', 'Nothing of this workspace reached the handset from there'))
    return reply.code(202).send({ taken: await simulator.write(request.body) })
  })
}

/**
 * Codes are among them, so a message is shown only where it is known whose it is: by the id that the simulator gave it, as the
 * submission has it. What handsets wrote is shown where it answers one of those.
 */
async function ownOf(db: Db, workspaceId: string, { items, replies }: HandsetList): Promise<HandsetList> {
  const carrier = await findSimulatorCarrier(db)
  const references = items.map(({ id }) => id)
  const own = carrier
    ? await listReferencesOf(db, { carrierId: carrier.id, references, workspaceId })
    : new Set<string>()
  const shown = items.filter(({ id }) => own.has(id))
  return { items: shown, replies: replies.filter((reply) => isAnswerable(shown, reply)) }
}
