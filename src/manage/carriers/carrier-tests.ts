// Tests of a carrier over its real connections, with an optional test message.
import { z } from 'zod'
import { testCarrier } from '../../actions/carriers/test-carrier.ts'
import type { Ports } from '../../actions/ports.ts'
import { TEST_STEPS } from '../../domain/carriers/carrier.ts'
import { SUBMISSION_OUTCOMES } from '../../domain/messages/submission.ts'
import type { Manager } from '../../domain/people/actor.ts'
import { shownNumber } from '../../domain/people/masking.ts'
import { readPhoneNumber } from '../../domain/phone-number.ts'
import { Refusal, refuseField } from '../../domain/refusals.ts'
import { measureText, textError } from '../../domain/text-encoding.ts'
import { requireFound, respond, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { type CarrierTest, listTests } from '../../store/carriers/carrier-tests.ts'
import { findCarrier } from '../../store/carriers/carriers.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { byId, wholeListOf } from '../fields.ts'

const DEFAULT_TEXT = 'This is a test of the connection.'

const newTest = z
  .strictObject({
    to: z
      .string()
      .optional()
      .describe('Mobile number (E.164) for a test message, free of charge. Default: no message.'),
    text: z.string().min(1).optional().describe('Text of the test message, one segment. Default: a standard text.'),
    receiptSeconds: z
      .int()
      .min(0)
      .max(50)
      .default(0)
      .describe('How long to wait for the delivery receipt, in seconds.'),
  })
  .nullish()
  .meta({ title: 'NewCarrierTest' })

const testAnswer = z
  .object({
    id: z.uuid(),
    startedAt: time,
    binds: z
      .array(
        z.object({
          number: z.int(),
          mode: z.enum(['transceiver', 'transmitter', 'receiver']),
          state: z.enum(['idle', 'connecting', 'bound', 'waiting']).describe('State at the time of the test.'),
          boundAt: time.nullable(),
          milliseconds: z.number().nullable().describe('Response time of the enquire_link, or of an HTTP connection.'),
          fault: z.string().nullable().describe('Why there was no answer.'),
          answeredAt: time.nullable(),
          steps: z
            .array(
              z.object({
                step: z.enum(TEST_STEPS),
                detail: z.string(),
                fault: z.string().nullable(),
                milliseconds: z.number().nullable(),
              }),
            )
            .describe('Steps of a test over HTTP, and the answer of the carrier to the message.'),
        }),
      )
      .describe('Each connection is tested by its own process. Without an answer in time, both fields are null.'),
    message: z
      .object({
        to: z.string(),
        text: z.string(),
        outcome: z.enum(SUBMISSION_OUTCOMES).describe('`open`: no answer yet.'),
        commandStatus: z.int().nullable(),
        carrierMessageId: z.string().nullable(),
        milliseconds: z.number().nullable(),
        answeredAt: time.nullable(),
        report: z.object({ state: z.string(), code: z.string(), raw: z.string(), at: time }).nullable(),
      })
      .nullable()
      .describe('Result of the test message, or null without one.'),
  })
  .meta({ title: 'CarrierTest' })

const endpoint = endpointsOf('Carriers')
const calls = {
  test: endpoint(OPERATORS, {
    operationId: 'testCarrier',
    summary: 'Test a carrier',
    description:
      'Tests every connection within seconds. With `to`, a test message skips the queue; its delivery receipt is in the list of tests.',
    params: byId,
    body: newTest,
    response: { 200: testAnswer },
    refusals: ['conflict'],
  }),
  list: endpoint(OPERATORS, {
    operationId: 'listCarrierTests',
    summary: 'List carrier tests',
    params: byId,
    response: { 200: wholeListOf(testAnswer) },
  }),
}

export function mountCarrierTests(app: TypedServer, ports: Ports): void {
  app.post('/carriers/:id/test', calls.test, async (request, reply) => {
    const message = checkMessage(request.body ?? {})
    if (message instanceof Refusal) return sendRefusal(reply, message)
    const { receiptSeconds = 0 } = request.body ?? {}
    const requested = { carrierId: request.params.id, message, receiptMs: receiptSeconds * 1000 }
    const result = await testCarrier(ports, callerOf(request), requested)
    return respond(reply, result, { view: (test) => carrierTestView(test, callerOf(request).actor) })
  })

  app.get('/carriers/:id/tests', calls.list, async (request) => {
    const db = dbOf(ports, request)
    const { id } = request.params
    requireFound(await findCarrier(db, id))
    const { actor } = callerOf(request)
    return { items: (await listTests(db, id)).map((test) => carrierTestView(test, actor)), next: null }
  })
}

function checkMessage({ to, text = DEFAULT_TEXT }: { to?: string; text?: string }) {
  if (to === undefined) return null
  const number = readPhoneNumber(to, '')
  if (!number.ok) return refuseField('to', 'Must be a mobile number in E.164, such as +9779800000001')
  if (textError(text) !== null || measureText(text).segments > 1)
    return refuseField('text', 'Must be one segment, without control characters')
  return { to: number.e164, text }
}

function carrierTestView(test: CarrierTest, actor: Manager): z.input<typeof testAnswer> {
  const { id, startedAt, binds, to, text, outcome, commandStatus, carrierMessageId, milliseconds, answeredAt } = test
  const { reportState: state, reportCode: code, reportRaw: raw, reportedAt: at } = test
  const report = state === null || at === null ? null : { state, code: code ?? '', raw: raw ?? '', at }
  const answer = { outcome: outcome ?? ('open' as const), commandStatus, carrierMessageId, milliseconds, answeredAt }
  const message = to === null || text === null ? null : { to: shownNumber(to, actor), text, ...answer, report }
  return { id, startedAt, binds, message }
}
