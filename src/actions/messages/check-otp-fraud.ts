// Loads the data that the fraud guard needs (D33). If loading fails, the messages are allowed.
import {
  guardWindows,
  isGuarded,
  needsWideFacts,
  type PumpingCase,
  pumpingCaseOf,
  scopesOf,
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
    return await lookForPumping(ports.db, sends, now)
  } catch (error) {
    log.error({ err: error }, 'fraud guard check failed, messages allowed')
    return new Map()
  }
}

/** By message id. The wider facts (prefix, other traffic of the client) are loaded only for doubtful sends, once per scope. */
export async function lookForPumping(db: Queries, sends: OtpSend[], now: Date): Promise<Map<string, PumpingCase>> {
  const windows = guardWindows(now)
  const known = await loadCloseFacts(db, sends, windows)
  const looks = sends.map((send) => {
    const close = known.get(send.messageId)
    if (!close) throw new Error('facts of a send not found')
    return { send, close, scope: { clientId: send.clientId, prefix: scopesOf(send.to).prefix } }
  })
  const doubtful = looks.filter(({ close }) => needsWideFacts(close, now)).map(({ scope }) => scope)
  const further = doubtful.length > 0 ? await loadWideFacts(db, doubtful, windows) : new Map<string, WideFacts>()
  return new Map(
    looks.map(({ send, close, scope }) => {
      const wide = further.get(wideScopeKey(scope)) ?? null
      return [send.messageId, pumpingCaseOf(send, { close, wide, now })]
    }),
  )
}

export function otpSend({ client, request }: ClientRequest): OtpSend | null {
  if (request.kind !== 'otp' || !request.number.ok) return null
  return { messageId: request.messageId, workspaceId: client.workspaceId, clientId: client.id, to: request.number.e164 }
}
