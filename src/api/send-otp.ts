// POST /sms/otp/send (§4.2): makes a code, sends it, and keeps only what is needed to check it (D20, D21).
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Sending } from '../actions/accept-batch.ts'
import type { AcceptMessage } from '../actions/accept-messages.ts'
import { testCodeContext } from '../actions/manage-clients.ts'
import type { Ports } from '../actions/ports.ts'
import type { OtpRequest } from '../domain/acceptance.ts'
import { OTP_LIMITS } from '../domain/limits.ts'
import { addressName } from '../domain/network.ts'
import { codeParts, OTP_COOLDOWN_SECONDS, OTP_LIFETIME_SECONDS, otpText } from '../domain/otp.ts'
import { idempotencyHeaders } from '../http/idempotency-key.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import type { KnownClient } from '../store/admission.ts'
import { answerAccepted } from './answer-accepted.ts'
import { POST_ADMISSION_REFUSALS } from './authenticate.ts'
import { messageId, optional, purpose, senderId, shortLine, success, to } from './fields.ts'
import type { EndpointSchema } from './openapi/endpoint.ts'
import { readSending } from './sending.ts'

/** How many of what, and in how long. */
function limitText(name: keyof typeof OTP_LIMITS, what: string): string {
  const { most, seconds } = OTP_LIMITS[name]
  return `${most} ${what} in ${seconds} seconds`
}

const body = z
  .object({
    to,
    purpose,
    // D38: an empty one is none.
    ip: optional(shortLine(64))
      .transform((value) => value || undefined)
      .describe(`The end user's IP address. With it, an address gets at most ${limitText('endUser', 'codes')}.`),
    senderId,
  })
  .meta({
    title: 'CodeRequest',
    samples: { 'For a login': { to: '+9779800000001', purpose: 'login', ip: '203.0.113.7' } },
  })

const answer = z
  .object({
    success,
    otpId: z.uuid().describe('The id of the code, for your records; it is not needed to verify.'),
    messageId,
    expiresInSeconds: z.literal(OTP_LIFETIME_SECONDS).describe('How long the code is valid.'),
  })
  .meta({
    title: 'CodeSent',
    description: 'The code is on its way.',
    samples: {
      Sent: {
        success: true,
        otpId: '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a21',
        messageId: '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20',
        expiresInSeconds: OTP_LIFETIME_SECONDS,
      },
    },
  })

const schema = {
  operationId: 'sendOtp',
  tag: 'One-time passwords',
  summary: 'Send a code',
  description: `Makes a code of six digits and sends it with the built-in text, at once. It replaces the code that was sent before to the same number for the same purpose. No template is needed, and no code is ever stored or shown.

Limits: one code in ${OTP_COOLDOWN_SECONDS} seconds per number and purpose, ${limitText('number', 'codes')} per number, ${limitText('endUser', 'codes')} per \`ip\`, ${limitText('caller', 'requests')} per calling address, refused ones included. Each answers 429 \`rate_limited\` with \`Retry-After\`.`,
  body,
  headers: idempotencyHeaders,
  response: { 200: answer },
  refusals: [
    ...POST_ADMISSION_REFUSALS,
    'invalid_request',
    'invalid_number',
    'insufficient_balance',
    'forbidden',
    'type_not_allowed',
    'prefix_not_allowed',
    'idempotency_conflict',
    'destination_not_supported',
    'daily_cap',
    'number_cap',
    'suspected_pumping',
    'sms_disabled',
  ],
} as const satisfies EndpointSchema

export function mountSendOtp(server: FastifyInstance, ports: Ports, acceptMessage: AcceptMessage): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.post('/sms/otp/send', { schema, config: { countsCallers: true } }, (request, reply) => {
    const { client, common } = readSending(ports, request, request.body)
    const code = drawCode(ports, client)
    const sending: OtpRequest = {
      kind: 'otp',
      ...common,
      otpId: ports.ids.next(),
      purpose: request.body.purpose,
      text: otpText(client.brandName, code),
      endUserScope: request.body.ip === undefined ? null : addressName(request.body.ip),
      callerWaitSeconds: request.callerWaitSeconds,
    }
    answerAccepted(reply, acceptMessage({ client, request: sending, code: keep(ports, sending, code) }))
  })
}

/** D19: a test client may have a fixed code, since nobody receives the random one. */
function drawCode({ chance, keyring }: Ports, { id, testOtpCodeSealed }: KnownClient): string {
  if (testOtpCodeSealed) return keyring.open('secrets', testCodeContext(id), testOtpCodeSealed)
  return String(chance.below(1_000_000)).padStart(6, '0')
}

function keep({ keyring }: Ports, sending: OtpRequest, code: string): Sending['code'] {
  const { client, otpId, number, purpose: scope, text } = sending
  if (!number.ok) return null
  const keyId = keyring.activeKeyId('codes')
  const about = { otpId, clientId: client.id, to: number.e164, purpose: scope }
  const codeHash = keyring.hash('codes', codeParts(about, code), keyId)
  const sealedText = client.mode === 'test' ? null : keyring.seal('texts', sending.messageId, text)
  return { ...about, messageId: sending.messageId, keyId, codeHash, sealedText }
}
