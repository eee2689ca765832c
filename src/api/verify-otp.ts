// POST /sms/otp/verify (§4.3): a wrong OTP is a 200 with `verified: false`.
import { z } from 'zod'
import type { VerifyCode } from '../actions/codes/verify-code.ts'
import type { Ports } from '../actions/ports.ts'
import { OTP_LIFETIME_SECONDS, OTP_LOCKED_SECONDS, OTP_WRONG_TRIES, type VerifyOutcome } from '../domain/codes/otp.ts'
import { readPhoneNumber } from '../domain/phone-number.ts'
import { idempotencyHeaders, idempotencyOf } from '../http/idempotency-key.ts'
import { to } from '../http/message-body.ts'
import type { TypedServer } from '../http/validation.ts'
import { clientOf, POST_ADMISSION_REFUSALS } from './authenticate.ts'
import { purpose, success } from './fields.ts'
import type { ApiEndpointSchema } from './openapi/headers.ts'
import { answerAccepted } from './sending.ts'

const body = z
  .object({
    to: to.describe('Number that the OTP was sent to.'),
    code: z
      .string()
      .regex(/^\d{6}$/, 'Must be six digits')
      .describe('The six digits that the user entered.'),
    purpose: purpose.describe('Purpose of the send request.'),
  })
  .meta({
    title: 'CodeTry',
    samples: { 'For a login': { to: '+9779800000001', code: '123456', purpose: 'login' } },
  })

const answer = z
  .object({
    success,
    verified: z.boolean().describe('Whether the OTP is correct. An OTP can be verified once.'),
    reason: z
      .enum(['invalid_code', 'too_many_attempts', 'no_active_otp'])
      .optional()
      .describe(
        `Reason of \`false\`. \`invalid_code\`: the OTP is wrong, and the attempt counts. \`too_many_attempts\`: locked after ${OTP_WRONG_TRIES} wrong attempts, for ${OTP_LOCKED_SECONDS / 3600} hours from its sending; send a new OTP. \`no_active_otp\`: no OTP was sent, or it is expired or used.`,
      ),
  })
  .meta({
    title: 'CodeVerdict',
    description: 'The result is in `verified`.',
    samples: {
      Verified: { success: true, verified: true },
      'Wrong code': { success: true, verified: false, reason: 'invalid_code' },
      Locked: { success: true, verified: false, reason: 'too_many_attempts' },
      'No code': { success: true, verified: false, reason: 'no_active_otp' },
    },
  })

const schema = {
  operationId: 'verifyOtp',
  tag: 'One-time passwords',
  summary: 'Verify an OTP',
  description: `Compares the entered code with the latest OTP of the number and purpose. **A wrong OTP is a 200 with \`verified: false\`**: read \`verified\`, not the HTTP status.

An OTP is valid for ${OTP_LIFETIME_SECONDS} seconds and ${OTP_WRONG_TRIES} wrong attempts. Then it is locked: every further attempt, even with the correct OTP, is \`too_many_attempts\`, until a new OTP is sent or ${OTP_LOCKED_SECONDS / 3600} hours have passed since its sending. An expired or used OTP is \`no_active_otp\`.`,
  body,
  headers: idempotencyHeaders,
  response: { 200: answer },
  refusals: [...POST_ADMISSION_REFUSALS, 'invalid_request', 'idempotency_conflict'],
} as const satisfies ApiEndpointSchema

export function mountVerifyOtp(app: TypedServer, ports: Ports, verifyCode: VerifyCode): void {
  app.post('/sms/otp/verify', { schema }, (request, reply) => {
    const client = clientOf(request)
    const number = readPhoneNumber(request.body.to, client.country)
    const scope = number.ok ? { clientId: client.id, to: number.e164, purpose: request.body.purpose } : null
    const idempotency = idempotencyOf(request, { ownerId: client.id, keyring: ports.keyring })
    answerAccepted(reply, verifyCode({ scope, client, code: request.body.code, idempotency, answerOf }))
  })
}

function answerOf(outcome: VerifyOutcome): string {
  return JSON.stringify({ success: true, ...outcome } satisfies z.infer<typeof answer>)
}
