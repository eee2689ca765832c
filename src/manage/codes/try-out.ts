// Test OTPs and test events of a client, without its API key.
import { z } from 'zod'
import type { TryOut } from '../../actions/service/try-out.ts'
import { TRIGGER_OUTCOMES } from '../../domain/carriers/simulated.ts'
import { OTP_LIFETIME_SECONDS } from '../../domain/codes/otp.ts'
import { PHONE_NUMBER_PATTERN } from '../../domain/phone-number.ts'
import { respond } from '../../http/reply.ts'
import { CLIENT_REFUSALS, OTP_REFUSALS } from '../../http/sending-refusals.ts'
import type { TypedServer } from '../../http/validation.ts'
import { callerOf } from '../authenticate.ts'
import { DEVELOPERS, endpointsOf } from '../endpoint.ts'
import { byId } from '../fields.ts'

const to = z
  .string()
  .regex(PHONE_NUMBER_PATTERN, 'Must be a phone number of 7 to 15 digits')
  .describe('Mobile number of the recipient.')
const code = z
  .string()
  .regex(/^\d{6}$/, 'Must be six digits')
  .describe('The six digits.')

const sentAnswer = z.object({ messageId: z.uuid(), expiresInSeconds: z.int() }).meta({ title: 'TestOtp' })
const verdictAnswer = z
  .object({
    verified: z.boolean(),
    reason: z.enum(['invalid_code', 'too_many_attempts', 'no_active_otp']).optional(),
  })
  .meta({ title: 'TestOtpVerification' })

const endpoint = endpointsOf('Clients')
const calls = {
  send: endpoint(DEVELOPERS, {
    operationId: 'sendTestOtp',
    summary: 'Send a test OTP',
    description:
      'Works like `POST /sms/otp/send` of the client from the address of the caller, with the purpose `console`: same price, same limits.',
    params: byId,
    body: z.strictObject({ to }).meta({ title: 'NewTestOtp' }),
    response: { 200: sentAnswer },
    refusals: [...CLIENT_REFUSALS, ...OTP_REFUSALS],
  }),
  verify: endpoint(DEVELOPERS, {
    operationId: 'verifyTestOtp',
    summary: 'Verify a test OTP',
    description: 'Works like `POST /sms/otp/verify`: a wrong code is answered with 200 and `verified: false`.',
    params: byId,
    body: z.strictObject({ to, code }).meta({ title: 'TestOtpToVerify' }),
    response: { 200: verdictAnswer },
    refusals: CLIENT_REFUSALS,
  }),
}

const triggering = endpointsOf('Trying out')(DEVELOPERS, {
  operationId: 'triggerEvent',
  summary: 'Trigger a webhook event',
  description:
    'Sends an OTP through the simulator to a number with the wanted outcome, at the price of an OTP. Refused if the OTP could leave through another carrier. Only if a simulator runs.',
  params: byId,
  body: z
    .strictObject({
      outcome: z.enum(TRIGGER_OUTCOMES).describe('Event to trigger.'),
      to: to.optional().describe('Number whose last two digits are replaced; required outside Nepal.'),
    })
    .meta({ title: 'EventToTrigger' }),
  response: { 200: z.object({ messageId: z.uuid(), to: z.string() }).meta({ title: 'TriggeredEvent' }) },
  refusals: [...CLIENT_REFUSALS, ...OTP_REFUSALS],
})

/** Only if a simulator runs. */
export function mountTrigger(app: TypedServer, { triggerEvent }: TryOut): void {
  app.post('/clients/:id/trigger', triggering, async (request, reply) => {
    const { outcome, to = null } = request.body
    const triggered = await triggerEvent(callerOf(request), { clientId: request.params.id, outcome, to })
    return respond(reply, triggered, { view: (it) => it })
  })
}

export function mountTryOut(app: TypedServer, { sendCode, verifyCode }: TryOut): void {
  app.post('/clients/:id/test-otp', calls.send, async (request, reply) => {
    const sent = await sendCode(callerOf(request), { clientId: request.params.id, ...request.body })
    return respond(reply, sent, {
      view: ({ messageId }) => ({ messageId, expiresInSeconds: OTP_LIFETIME_SECONDS }),
    })
  })

  app.post('/clients/:id/test-otp/verify', calls.verify, async (request, reply) => {
    const outcome = await verifyCode(callerOf(request), { clientId: request.params.id, ...request.body })
    return respond(reply, outcome, { view: (it) => it })
  })
}
