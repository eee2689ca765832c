// POST /sms/otp/send (§4.2): makes a code, sends it, and keeps only what is needed to check it (D20, D21).
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { AcceptMessage, Sending } from '../actions/accept-messages.ts'
import type { House } from '../actions/house.ts'
import { testCodeContext } from '../actions/manage-clients.ts'
import type { OtpRequest } from '../domain/acceptance.ts'
import { throttleScope } from '../domain/network.ts'
import { codeParts, OTP_LIFETIME_SECONDS, otpText } from '../domain/otp.ts'
import { readPhoneNumber } from '../domain/phone-number.ts'
import { scopeOf } from '../store/acceptance.ts'
import type { KnownClient } from '../store/admission.ts'
import { answerAccepted } from './answer-accepted.ts'
import { clientOf } from './authenticate.ts'
import { line, senderId, success, to } from './fields.ts'
import { idempotencyHeaders, idempotencyOf } from './idempotency-key.ts'

export const purpose = line
  .max(50)
  .default('default')
  .describe('What the code is for; the same number may hold one code per purpose.')

const body = z.object({
  to,
  purpose,
  ip: line.max(64).optional().describe("The end user's IP address; enables the limit per address."),
  senderId,
})

const answer = z.object({
  success,
  otpId: z.uuid(),
  messageId: z.uuid(),
  expiresInSeconds: z.literal(OTP_LIFETIME_SECONDS),
})

export function mountSendOtp(server: FastifyInstance, house: House, acceptMessage: AcceptMessage): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const schema = { body, headers: idempotencyHeaders, response: { 200: answer } }

  app.post('/sms/otp/send', { schema }, async (request, reply) => {
    const client = clientOf(request)
    const idempotency = idempotencyOf(request, house)
    const code = drawCode(house, client)
    const sending: OtpRequest = {
      kind: 'otp',
      client,
      messageId: house.ids.next(),
      otpId: house.ids.next(),
      number: readPhoneNumber(request.body.to, client.country),
      senderId: request.body.senderId ?? null,
      idempotencyScope: idempotency && scopeOf(idempotency),
      purpose: request.body.purpose,
      text: otpText(client.brandName, code),
      endUserScope: request.body.ip === undefined ? null : throttleScope(request.body.ip),
      callerScope: throttleScope(request.ip),
    }
    const outcome = await acceptMessage({ client, request: sending, idempotency, code: keep(house, sending, code) })
    return answerAccepted(reply, outcome)
  })
}

/** D19: a test client may have a fixed code, since nobody receives the random one. */
function drawCode({ chance, keyring }: House, { id, testOtpCodeSealed }: KnownClient): string {
  if (testOtpCodeSealed) return keyring.open('secrets', testCodeContext(id), testOtpCodeSealed)
  return String(chance.below(1_000_000)).padStart(6, '0')
}

function keep({ keyring }: House, sending: OtpRequest, code: string): Sending['code'] {
  const { client, otpId, messageId, number, purpose: scope, text } = sending
  if (!number.ok) return null
  const keyId = keyring.activeKeyId('codes')
  const about = { otpId, clientId: client.id, to: number.e164, purpose: scope }
  const codeHash = keyring.hash('codes', codeParts(about, code), keyId)
  const sealedText = client.mode === 'test' ? null : keyring.seal('texts', messageId, text)
  return { ...about, messageId, keyId, codeHash, sealedText }
}
