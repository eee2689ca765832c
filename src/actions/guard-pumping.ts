// Asks the pumping guard about the codes of a batch (D33). Whatever goes wrong here lets the messages pass.
import { judgeOtpSend, type PumpingVerdict } from '../domain/pumping.ts'
import type { Log } from '../runtime/log.ts'
import { loadPumpingFacts, type NewHold, type OtpSend } from '../store/pumping.ts'
import type { Sending } from './accept-messages.ts'
import type { House } from './house.ts'

export interface Suspicions {
  /** By message id: the sends to refuse. */
  suspected: Map<string, { retryAfterSeconds: number; reason: string }>
  /** To be remembered, also by a guard that only watches. */
  holds: NewHold[]
}

export async function guardPumping(
  house: House,
  log: Log,
  { batch, now }: { batch: Sending[]; now: Date },
): Promise<Suspicions> {
  const guarded = batch.filter(
    ({ client, request }) => request.kind === 'otp' && client.mode === 'live' && client.pumpingGuard !== 'off',
  )
  const none: Suspicions = { suspected: new Map(), holds: [] }
  if (guarded.length === 0) return none
  try {
    const asked = guarded.flatMap((sending) => otpSend(sending) ?? [])
    const facts = await loadPumpingFacts(house.db, asked, now)
    const verdicts = new Map(
      asked.map((send, index) => [send.messageId, facts[index] ? judgeOtpSend(facts[index]) : null]),
    )
    for (const sending of guarded) note(none, sending, verdicts.get(sending.request.messageId) ?? null, log)
    return none
  } catch (fault) {
    log.error({ err: fault }, 'the pumping guard could not look; the messages pass')
    return { suspected: new Map(), holds: [] }
  }
}

export function otpSend({ client, request }: Sending): OtpSend | null {
  if (request.kind !== 'otp' || !request.number.ok) return null
  return { messageId: request.messageId, workspaceId: client.workspaceId, clientId: client.id, to: request.number.e164 }
}

function note(suspicions: Suspicions, { client, request }: Sending, verdict: PumpingVerdict | null, log: Log): void {
  if (verdict?.verdict === 'outage')
    log.warn({ clientId: client.id, reason: verdict.reason }, 'codes are not being verified')
  if (verdict?.verdict !== 'suspect' || client.pumpingGuard === 'off') return
  const { holdSeconds, newHold, reason } = verdict
  if (newHold) suspicions.holds.push({ ...newHold, clientId: client.id, mode: client.pumpingGuard })
  if (client.pumpingGuard === 'block')
    suspicions.suspected.set(request.messageId, { retryAfterSeconds: holdSeconds, reason })
}
