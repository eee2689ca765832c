// Loads the data that the fraud guard needs (D33). If loading fails, the messages are allowed.
import {
  guardWindows,
  isGuarded,
  needsWideFacts,
  type PumpingCase,
  pumpingCaseOf,
  splitNumber,
  type WideFacts,
} from '../../domain/codes/pumping.ts'
import type { SendRequest } from '../../domain/messages/send-request.ts'
import type { Log } from '../../runtime/log.ts'
import { loadCloseFacts, loadWideFacts, type OtpSend, wideScopeKey } from '../../store/codes/pumping.ts'
import type { Queries } from '../../store/database/db.ts'
import type { KnownClient } from '../../store/workspaces/admission.ts'
import type { Ports } from '../ports.ts'

interface ClientRequest {
  client: KnownClient
  request: SendRequest
}

/** By message id; only messages that the guard watches. */
export async function checkOtpFraud(
  ports: Ports,
  log: Log,
  { batch, now }: { batch: ClientRequest[]; now: Date },
): Promise<Map<string, PumpingCase>> {
  const sends = batch.flatMap((sending) => {
    const send = otpSend(sending)
    return send && isGuarded(sending.client, send.to) ? [send] : []
  })
  if (sends.length === 0) return new Map()
  try {
    return await detectPumping(ports.db, sends, now)
  } catch (error) {
    log.error({ err: error }, 'fraud guard check failed, messages allowed')
    return new Map()
  }
}

/** By message id. The wider facts (prefix, other traffic of the client) are loaded only for suspicious sends, once per scope. */
export async function detectPumping(db: Queries, sends: OtpSend[], now: Date): Promise<Map<string, PumpingCase>> {
  const windows = guardWindows(now)
  const known = await loadCloseFacts(db, sends, windows)
  const checks = sends.map((send) => {
    const close = known.get(send.messageId)
    if (!close) throw new Error('facts of a send not found')
    return { send, close, scope: { clientId: send.clientId, prefix: splitNumber(send.to).prefix } }
  })
  const suspiciousScopes = checks.filter(({ close }) => needsWideFacts(close, now)).map(({ scope }) => scope)
  const wideFacts =
    suspiciousScopes.length > 0 ? await loadWideFacts(db, suspiciousScopes, windows) : new Map<string, WideFacts>()
  return new Map(
    checks.map(({ send, close, scope }) => {
      const wide = wideFacts.get(wideScopeKey(scope)) ?? null
      return [send.messageId, pumpingCaseOf(send, { close, wide, now })]
    }),
  )
}

export function otpSend({ client, request }: ClientRequest): OtpSend | null {
  if (request.kind !== 'otp' || !request.number.ok) return null
  return { messageId: request.messageId, workspaceId: client.workspaceId, clientId: client.id, to: request.number.e164 }
}
