// Looks for the pumping guard at what is known of the codes of a batch (D33). Whatever goes wrong here lets the messages pass.
import type { PumpingLook } from '../domain/pumping.ts'
import type { Log } from '../runtime/log.ts'
import type { KnownClient } from '../store/admission.ts'
import { lookForPumping, type OtpSend } from '../store/pumping.ts'
import type { Sending } from './accept-batch.ts'
import type { Ports } from './ports.ts'

/** By message: what the guard judges by; nothing of what it does not watch. */
export async function lookAtCodes(
  ports: Ports,
  log: Log,
  { batch, now }: { batch: Sending[]; now: Date },
): Promise<Map<string, PumpingLook>> {
  const sends = batch.flatMap((sending) => {
    const send = otpSend(sending)
    return send && isGuarded(sending.client, send) ? [send] : []
  })
  if (sends.length === 0) return new Map()
  try {
    return await lookForPumping(ports.db, sends, now)
  } catch (fault) {
    log.error({ err: fault }, 'the pumping guard could not look; the messages pass')
    return new Map()
  }
}

function isGuarded({ mode, pumpingGuard, pumpingAllowlist }: KnownClient, { to }: OtpSend): boolean {
  const isAllowed = pumpingAllowlist?.some((prefix) => to.startsWith(prefix))
  return mode === 'live' && pumpingGuard !== 'off' && !isAllowed
}

export function otpSend({ client, request }: Sending): OtpSend | null {
  if (request.kind !== 'otp' || !request.number.ok) return null
  return { messageId: request.messageId, workspaceId: client.workspaceId, clientId: client.id, to: request.number.e164 }
}
