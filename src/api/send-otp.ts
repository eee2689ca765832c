// POST /sms/otp/send (§4.2): creates and sends an OTP.
import { z } from 'zod'
import type { AcceptMessage } from '../actions/messages/accept-messages.ts'
import type { Ports } from '../actions/ports.ts'
import { OTP_COOLDOWN_SECONDS, OTP_LIFETIME_SECONDS } from '../domain/codes/otp.ts'
import type { AcceptedMessage } from '../domain/messages/acceptance.ts'
import { OTP_LIMITS } from '../domain/messages/limits.ts'
import type { OtpRequest } from '../domain/messages/send-request.ts'
import { addressName } from '../domain/network.ts'
import { idempotencyHeaders } from '../http/idempotency-key.ts'
import { optional, senderId, shortLine, to } from '../http/message-body.ts'
import { OTP_REFUSALS } from '../http/sending-refusals.ts'
import type { TypedServer } from '../http/validation.ts'
import { POST_ADMISSION_REFUSALS } from './authenticate.ts'
import { messageId, purpose, success } from './fields.ts'
import type { ApiEndpointSchema } from './openapi/headers.ts'
import { answerAccepted, readSending } from './sending.ts'

function limitText(name: keyof typeof OTP_LIMITS, what: string): string {
  const { most, seconds } = OTP_LIMITS[name]
  return `${most} ${what} in ${seconds} seconds`
}

const body = z
  .object({
    to,
    purpose,
    // D38: an empty string means the same as a missing field.
    ip: optional(shortLine(64))
      .transform((value) => value || undefined)
      .describe(`IP address of the end user, which enables the limit of ${limitText('endUser', 'OTPs')} per address.`),
    senderId,
  })
  .meta({
    title: 'CodeRequest',
    samples: { 'For a login': { to: '+9779800000001', purpose: 'login', ip: '203.0.113.7' } },
  })

const answer = z
  .object({
    success,
    otpId: z.uuid().describe('Id of the OTP, for your records. Verification does not need it.'),
    messageId,
    expiresInSeconds: z.literal(OTP_LIFETIME_SECONDS).describe('Validity of the OTP in seconds.'),
  })
  .meta({
    title: 'CodeSent',
    description: 'The OTP is queued.',
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
  summary: 'Send an OTP',
  description: `Creates a six-digit OTP and sends it with the built-in text, without a template. It replaces the previous OTP of the same number and purpose. OTPs are never stored in plain text and never shown.

Limits: one OTP in ${OTP_COOLDOWN_SECONDS} seconds per number and purpose, ${limitText('number', 'OTPs')} per number, ${limitText('endUser', 'OTPs')} per \`ip\`, ${limitText('caller', 'requests')} per calling address, including refused requests. Beyond a limit, the response is 429 \`rate_limited\` with \`Retry-After\`.`,
  body,
  headers: idempotencyHeaders,
  response: { 200: answer },
  refusals: [...POST_ADMISSION_REFUSALS, 'invalid_request', ...OTP_REFUSALS, 'idempotency_conflict'],
} as const satisfies ApiEndpointSchema

export function mountSendOtp(app: TypedServer, ports: Ports, acceptMessage: AcceptMessage): void {
  app.post('/sms/otp/send', { schema, config: { countsCallers: true } }, (request, reply) => {
    const { client, common } = readSending(ports, request, request.body)
    const otpId = ports.ids.next()
    const { purpose: scope, ip } = request.body
    const sending: OtpRequest = {
      kind: 'otp',
      ...common,
      otpId,
      purpose: scope,
      endUserScope: ip === undefined ? null : addressName(ip),
      callerWaitSeconds: request.callerWaitSeconds,
    }
    const outcome = acceptMessage({ client, request: sending, answerOf: (message) => answerOf(otpId, message) })
    answerAccepted(reply, outcome, common.messageId)
  })
}

function answerOf(otpId: string, { request }: AcceptedMessage): string {
  return JSON.stringify({
    success: true,
    otpId,
    messageId: request.messageId,
    expiresInSeconds: OTP_LIFETIME_SECONDS,
  } satisfies z.infer<typeof answer>)
}
