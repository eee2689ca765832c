// POST /sms/otp/verify (§4.3): a wrong code is a 200 that says so; `verified` is what a client must read.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { VerifyCode } from '../actions/codes/verify-code.ts'
import type { Ports } from '../actions/ports.ts'
import { OTP_LIFETIME_SECONDS, OTP_LOCKED_SECONDS, OTP_WRONG_TRIES, type VerifyOutcome } from '../domain/codes/otp.ts'
import { readPhoneNumber } from '../domain/phone-number.ts'
import { idempotencyHeaders, idempotencyOf } from '../http/idempotency-key.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { clientOf, POST_ADMISSION_REFUSALS } from './authenticate.ts'
import { purpose, success, to } from './fields.ts'
import type { ApiEndpointSchema } from './openapi/headers.ts'
import { answerAccepted } from './sending.ts'

const body = z
  .object({
    to: to.describe('The number the code was sent to.'),
    code: z
      .string()
      .regex(/^\d{6}$/, 'Must be six digits')
      .describe('The six digits that the user typed in.'),
    purpose: purpose.describe('The purpose given when the code was sent.'),
  })
  .meta({
    title: 'CodeTry',
    samples: { 'For a login': { to: '+9779800000001', code: '123456', purpose: 'login' } },
  })

const answer = z
  .object({
    success,
    verified: z.boolean().describe('Whether the code was right. True once only: the code is then used up.'),
    reason: z
      .enum(['invalid_code', 'too_many_attempts', 'no_active_otp'])
      .optional()
      .describe(
        `Why not. \`invalid_code\`: wrong, and counted. \`too_many_attempts\`: locked after ${OTP_WRONG_TRIES} wrong tries; send a new code. It is said for ${OTP_LOCKED_SECONDS / 3600} hours from the sending of the locked one. \`no_active_otp\`: none was sent, or it is expired or used.`,
      ),
  })
  .meta({
    title: 'CodeVerdict',
    description: 'Whether the code was right: read `verified`.',
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
  summary: 'Verify a code',
  description: `Checks a code against the latest one sent to the number for the purpose. **A wrong code is a 200 with \`verified: false\`**, so read \`verified\`, not the HTTP status.

A code is valid for ${OTP_LIFETIME_SECONDS} seconds and for ${OTP_WRONG_TRIES} wrong tries. After the last of them it is locked: every further check, with the right code too, is \`too_many_attempts\`, until a new code is sent or ${OTP_LOCKED_SECONDS / 3600} hours have passed since it was. A code that expired or was used is \`no_active_otp\`.`,
  body,
  headers: idempotencyHeaders,
  response: { 200: answer },
  refusals: [...POST_ADMISSION_REFUSALS, 'invalid_request', 'idempotency_conflict'],
} as const satisfies ApiEndpointSchema

export function mountVerifyOtp(server: FastifyInstance, ports: Ports, verifyCode: VerifyCode): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

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
