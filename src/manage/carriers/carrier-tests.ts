// 'Test this carrier' over HTTP, for the operator: whether it is there, asked over its real binds, and what becomes of one message.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { testCarrier } from '../../actions/carriers/test-carrier.ts'
import type { Ports } from '../../actions/ports.ts'
import { TEST_STEPS } from '../../domain/carriers/carrier.ts'
import { SUBMISSION_OUTCOMES } from '../../domain/messages/submission.ts'
import type { Manager } from '../../domain/people/actor.ts'
import { shownNumber } from '../../domain/people/masking.ts'
import { readPhoneNumber } from '../../domain/phone-number.ts'
import { Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { measureText, textFault } from '../../domain/text-encoding.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { ZodTypeProvider } from '../../http/validation.ts'
import { type CarrierTest, listTests } from '../../store/carriers/carrier-tests.ts'
import { findCarrier } from '../../store/carriers/carriers.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { byId, wholeListOf } from '../fields.ts'

const USUAL_TEXT = 'This is a test of the connection.'

const newTest = z
  .strictObject({
    to: z.string().optional().describe('A mobile number with its plus: it is sent a message, which nobody is charged.'),
    text: z.string().min(1).optional().describe('Of that message; one segment.'),
    receiptSeconds: z.int().min(0).max(50).default(0).describe('How long the answer waits for its receipt.'),
  })
  .nullish()
  .meta({ title: 'NewCarrierTest' })

const testAnswer = z
  .object({
    id: z.uuid(),
    askedAt: time,
    binds: z
      .array(
        z.object({
          number: z.int(),
          mode: z.enum(['transceiver', 'transmitter', 'receiver']),
          state: z.enum(['idle', 'connecting', 'bound', 'waiting']).describe('When it was asked.'),
          boundAt: time.nullable(),
          milliseconds: z
            .number()
            .nullable()
            .describe('How long the answer to its enquire_link took, or a connection.'),
          fault: z.string().nullable().describe('Why there was none.'),
          answeredAt: time.nullable(),
          steps: z
            .array(
              z.object({
                step: z.enum(TEST_STEPS),
                told: z.string(),
                fault: z.string().nullable(),
                milliseconds: z.number().nullable(),
              }),
            )
            .describe(
              'Over HTTP, each step on the way; and what was answered to the message, in the words of the carrier.',
            ),
        }),
      )
      .describe('The process that holds a bind asks over it; without an answer in time both are null.'),
    message: z
      .object({
        to: z.string(),
        text: z.string(),
        outcome: z.enum(SUBMISSION_OUTCOMES).describe('`open` while there is no answer.'),
        commandStatus: z.int().nullable(),
        carrierMessageId: z.string().nullable(),
        milliseconds: z.number().nullable(),
        answeredAt: time.nullable(),
        report: z.object({ state: z.string(), code: z.string(), raw: z.string(), at: time }).nullable(),
      })
      .nullable()
      .describe('What became of its message; null where none was sent.'),
  })
  .meta({ title: 'CarrierTest' })

const endpoint = endpointsOf('Carriers')
const calls = {
  test: endpoint(OPERATORS, {
    operationId: 'testCarrier',
    summary: 'Ask whether a carrier is there',
    description:
      'Over every bind, by the process that holds it; it answers within seconds. With `to`, one message is given to the carrier past the queue: its receipt is found in the list of tests.',
    params: byId,
    body: newTest,
    response: { 200: testAnswer },
    refusals: ['conflict'],
  }),
  list: endpoint(OPERATORS, {
    operationId: 'listCarrierTests',
    summary: 'List the latest tests of a carrier',
    params: byId,
    response: { 200: wholeListOf(testAnswer) },
  }),
}

export function mountCarrierTests(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.post('/carriers/:id/test', calls.test, async (request, reply) => {
    const message = judgeMessage(request.body ?? {})
    if (message instanceof Refusal) return sendRefusal(reply, message)
    const { receiptSeconds = 0 } = request.body ?? {}
    const asked = { carrierId: request.params.id, message, receiptMs: receiptSeconds * 1000 }
    const result = await testCarrier(ports, callerOf(request), asked)
    return respond(reply, result, { view: (test) => carrierTestView(test, callerOf(request).actor) })
  })

  app.get('/carriers/:id/tests', calls.list, async (request, reply) => {
    const db = dbOf(ports, request)
    const { id } = request.params
    if (!(await findCarrier(db, id))) return sendRefusal(reply, refuse('not_found'))
    const { actor } = callerOf(request)
    return { items: (await listTests(db, id)).map((test) => carrierTestView(test, actor)), next: null }
  })
}

function judgeMessage({ to, text = USUAL_TEXT }: { to?: string; text?: string }) {
  if (to === undefined) return null
  const number = readPhoneNumber(to, '')
  if (!number.ok) return refuseField('to', 'Must be a mobile number with its plus')
  if (textFault(text) !== null || measureText(text).segments > 1)
    return refuseField('text', 'Must be one segment, without control characters')
  return { to: number.e164, text }
}

function carrierTestView(test: CarrierTest, actor: Manager): z.input<typeof testAnswer> {
  const { id, askedAt, binds, to, text, outcome, commandStatus, carrierMessageId, milliseconds, answeredAt } = test
  const { reportState: state, reportCode: code, reportRaw: raw, reportedAt: at } = test
  const report = state === null || at === null ? null : { state, code: code ?? '', raw: raw ?? '', at }
  const answer = { outcome: outcome ?? ('open' as const), commandStatus, carrierMessageId, milliseconds, answeredAt }
  const message = to === null || text === null ? null : { to: shownNumber(to, actor), text, ...answer, report }
  return { id, askedAt, binds, message }
}
