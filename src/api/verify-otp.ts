// POST /sms/otp/verify (§4.3): a wrong code is a 200 that says so; `verified` is what a client must read.
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { House } from '../actions/house.ts'
import type { VerifyCode } from '../actions/verify-code.ts'
import { readPhoneNumber } from '../domain/phone-number.ts'
import { answerAccepted } from './answer-accepted.ts'
import { clientOf } from './authenticate.ts'
import { success, to } from './fields.ts'
import { idempotencyHeaders, idempotencyOf } from './idempotency-key.ts'
import { purpose } from './send-otp.ts'

const body = z.object({
  to,
  code: z
    .string()
    .regex(/^\d{6}$/, 'Must be six digits')
    .meta({ example: '123456' }),
  purpose,
})

const answer = z.object({
  success,
  verified: z.boolean(),
  reason: z
    .enum(['invalid_code', 'too_many_attempts', 'no_active_otp'])
    .optional()
    .describe('Present when not verified.'),
})

export function mountVerifyOtp(server: FastifyInstance, house: House, verifyCode: VerifyCode): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const schema = { body, headers: idempotencyHeaders, response: { 200: answer } }

  app.post('/sms/otp/verify', { schema }, async (request, reply) => {
    const client = clientOf(request)
    const number = readPhoneNumber(request.body.to, client.country)
    const scope = number.ok ? { clientId: client.id, to: number.e164, purpose: request.body.purpose } : null
    const idempotency = idempotencyOf(request, house)
    return answerAccepted(reply, await verifyCode({ scope, clientId: client.id, code: request.body.code, idempotency }))
  })
}
