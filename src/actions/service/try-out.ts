// Sends messages, and sends and verifies test OTPs, for an API client without its key (§5.1 rule 3). They are admitted, limited and billed like
// API calls.
import { isOnlySimulated, type TriggerOutcome, triggerNumber } from '../../domain/carriers/simulated.ts'
import type { VerifyOutcome } from '../../domain/codes/otp.ts'
import { withoutOtp } from '../../domain/message-type.ts'
import type { AcceptedMessage } from '../../domain/messages/acceptance.ts'
import type { TextRequest } from '../../domain/messages/send-request.ts'
import { addressName } from '../../domain/network.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { readPhoneNumber } from '../../domain/phone-number.ts'
import { Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { refuseInactive } from '../../domain/workspaces/workspace.ts'
import { listWorkingRoutes } from '../../store/carriers/routes.ts'
import type { KnownClient } from '../../store/workspaces/admission.ts'
import { findKeyHash } from '../../store/workspaces/client-keys.ts'
import { findSimulatorCarrier } from '../carriers/ensure-simulator-carrier.ts'
import type { VerifyCode } from '../codes/verify-code.ts'
import type { Accepted } from '../idempotency.ts'
import type { AcceptMessage } from '../messages/accept-messages.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import type { AdmitRequest } from '../workspaces/admit-request.ts'

/** The lanes of the v1 API. */
export interface Lanes {
  admitRequest: AdmitRequest
  acceptMessage: AcceptMessage
  verifyCode: VerifyCode
}

interface MessageToSend extends Pick<TextRequest, 'type' | 'senderId' | 'content' | 'idempotency'> {
  clientId: string
  to: string
  answerOf: (message: AcceptedMessage) => string
}

export interface TryOut {
  /** Works like `POST /sms/send` of the client. OTPs are refused. */
  sendMessage: (caller: Caller, requested: MessageToSend) => Promise<Accepted | Refusal>
  sendCode: (caller: Caller, requested: { clientId: string; to: string }) => Promise<{ messageId: string } | Refusal>
  /** Sends an OTP to a number whose ending causes the outcome, and only if it goes to the simulator. */
  triggerEvent: (
    caller: Caller,
    requested: { clientId: string; outcome: TriggerOutcome; to: string | null },
  ) => Promise<{ messageId: string; to: string } | Refusal>
  verifyCode: (
    caller: Caller,
    requested: { clientId: string; to: string; code: string },
  ) => Promise<VerifyOutcome | Refusal>
}

/** A separate purpose, so that a test never replaces an OTP of the client. */
const PURPOSE = 'console'

export function createTryOut(ports: Ports, lanes: Lanes): TryOut {
  const sendCode = async (
    caller: Caller,
    { clientId, numberFor }: { clientId: string; numberFor: (client: KnownClient) => Promise<string | Refusal> },
  ): Promise<{ messageId: string; to: string } | Refusal> => {
    const admitted = await admitActive(ports, lanes, caller, { clientId, asksForCode: true })
    if (admitted instanceof Refusal) return admitted
    const { client, callerWaitSeconds } = admitted
    const to = await numberFor(client)
    if (to instanceof Refusal) return to
    const messageId = ports.ids.next()
    const number = readPhoneNumber(to, client.country)
    const common = { client, messageId, number, senderId: null, idempotency: null }
    const code = { otpId: ports.ids.next(), purpose: PURPOSE, endUserScope: null, callerWaitSeconds }
    const request = { kind: 'otp' as const, ...common, ...code }
    const accepted = await lanes.acceptMessage({ client, request, answerOf: () => '' })
    if (accepted instanceof Refusal) return accepted
    await record(ports, caller, client, { action: 'client.test_otp_sent', details: { messageId } })
    return { messageId, to: number.ok ? number.e164 : to }
  }
  return {
    sendMessage: (caller, requested) => sendMessage(ports, lanes, caller, requested),
    sendCode: (caller, { clientId, to }) => sendCode(caller, { clientId, numberFor: async () => to }),
    triggerEvent: (caller, { clientId, ...requested }) =>
      sendCode(caller, { clientId, numberFor: (client) => numberToTrigger(ports, caller, { client, ...requested }) }),
    verifyCode: async (caller, { clientId, to, code }) => {
      const admitted = await admitActive(ports, lanes, caller, { clientId, asksForCode: false })
      if (admitted instanceof Refusal) return admitted
      const { client } = admitted
      const number = readPhoneNumber(to, client.country)
      const scope = number.ok ? { clientId: client.id, to: number.e164, purpose: PURPOSE } : null
      let outcome: VerifyOutcome = { verified: false, reason: 'no_active_otp' }
      const answerOf = (it: VerifyOutcome) => {
        outcome = it
        return ''
      }
      const answered = await lanes.verifyCode({ scope, client, code, idempotency: null, answerOf })
      if (answered instanceof Refusal) return answered
      // An OTP is verified once, so the number of audit entries is limited by that of the sent OTPs.
      if (outcome.verified) await record(ports, caller, client, { action: 'client.test_otp_verified' })
      return outcome
    },
  }
}

async function sendMessage(
  ports: Ports,
  lanes: Lanes,
  caller: Caller,
  { clientId, to, idempotency, answerOf, ...message }: MessageToSend,
): Promise<Accepted | Refusal> {
  // An inactive workspace is refused with the batch: a replay works while the workspace is inactive (D6).
  const admitted = await admit(ports, lanes, caller, { clientId, asksForCode: false })
  if (admitted instanceof Refusal) return admitted
  const { client } = admitted
  const messageId = ports.ids.next()
  const request: TextRequest = {
    kind: 'text',
    client: { ...client, onlyTypes: withoutOtp(client.onlyTypes) },
    messageId,
    number: readPhoneNumber(to, client.country),
    idempotency: idempotency && { ...idempotency, ownerId: client.id },
    ...message,
  }
  const accepted = await lanes.acceptMessage({ client, request, answerOf })
  if (accepted instanceof Refusal) return accepted.code === 'type_not_allowed' ? TYPE_NOT_ALLOWED : accepted
  if (!accepted.replayed) await record(ports, caller, client, { action: 'client.message_sent', details: { messageId } })
  return accepted
}

const TYPE_NOT_ALLOWED = refuse('type_not_allowed', {
  error: 'This client may not send this message type. An OTP is sent with POST /sms/otp/send',
})

async function numberToTrigger(
  ports: Ports,
  { actor }: Caller,
  { client, outcome, to: given }: { client: KnownClient; outcome: TriggerOutcome; to: string | null },
): Promise<string | Refusal> {
  const { country: home } = client
  const to = triggerNumber(outcome, { given, country: home, draw: (below) => ports.random.below(below) })
  if (to === null) return refuseField('to', 'Enter a mobile number of the country; its last two digits are replaced')
  if (client.mode === 'test')
    return refuse('conflict', { error: 'A client in test mode sends no messages, so there are no events' })
  const db = ports.managementDb(actor)
  const [routes, simulator] = await Promise.all([listWorkingRoutes(db, ports.clock.now()), findSimulatorCarrier(db)])
  if (isOnlySimulated(routes, to, { simulatorId: simulator?.id ?? null, home })) return to
  return refuse('conflict', {
    error: 'A message to this number may use a real carrier instead of the simulator',
  })
}

interface AdmittedClient {
  client: KnownClient
  callerWaitSeconds: number
}

/** D6, like a request with the key of the client from the address of the caller. */
async function admit(
  ports: Ports,
  { admitRequest }: Lanes,
  { actor, address }: Caller,
  { clientId, asksForCode }: { clientId: string; asksForCode: boolean },
): Promise<AdmittedClient | Refusal> {
  const db = ports.managementDb(actor)
  const apiKeyHash = await findKeyHash(db, { id: clientId, within: onlyWorkspace(actor) })
  if (apiKeyHash === null) return refuse('not_found')
  const from = address ?? ''
  const admission = await admitRequest({ apiKeyHash, address: from, caller: asksForCode ? addressName(from) : null })
  const { refusal, client, callerWaitSeconds } = admission
  // The caller is authenticated, so `unauthorized` would be misleading.
  if (refusal?.code === 'unauthorized' || !client) {
    return refuse('conflict', { error: 'The key of this client is being rotated; try again' })
  }
  return refusal ?? { client, callerWaitSeconds }
}

async function admitActive(...given: Parameters<typeof admit>): Promise<AdmittedClient | Refusal> {
  const admitted = await admit(...given)
  return admitted instanceof Refusal ? admitted : (refuseInactive(admitted.client.workspaceStatus) ?? admitted)
}

async function record(
  ports: Ports,
  caller: Caller,
  { id: subject, workspaceId }: KnownClient,
  change: { action: string; details?: Record<string, unknown> },
): Promise<void> {
  await ports
    .managementDb(caller.actor)
    .transaction((tx) => recordChange(tx, { ports, caller, workspaceId, subject, ...change }))
}
