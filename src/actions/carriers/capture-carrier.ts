// Starts packet captures of a carrier (D60); captures.ts records and stores the frames.
import { type Refusal, refuse } from '../../domain/refusals.ts'
import {
  type CapturedFrame,
  type CarrierCapture,
  findCapture,
  insertCapture,
  insertFrames,
  listOpenCaptures,
  type OpenCapture,
} from '../../store/carriers/carrier-captures.ts'
import { findCarrier } from '../../store/carriers/carriers.ts'
import { lockScopes } from '../../store/sliding-windows.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

/** Broadcast to every process: any may hold a bind of the carrier or receive its callbacks. */
export const CAPTURES_SUBJECT = 'captures'

/** At most one capture per carrier at a time. */
export async function captureCarrier(
  ports: Ports,
  caller: Caller,
  { carrierId, seconds }: { carrierId: string; seconds: number },
): Promise<CarrierCapture | Refusal> {
  const result = await ports.managementDb(caller.actor).transaction(async (tx) => {
    await lockScopes(tx, [`capture:${carrierId}`])
    if (!(await findCarrier(tx, carrierId))) return refuse('not_found')
    const startedAt = ports.clock.now()
    const running = await listOpenCaptures(tx, startedAt)
    const other = running.find((it) => it.carrierId === carrierId)
    if (other) {
      const error = `A capture of this carrier is already running until ${other.endsAt.toISOString()}`
      return refuse('conflict', { error })
    }
    const id = ports.ids.next()
    await insertCapture(tx, { id, carrierId, startedAt, endsAt: new Date(startedAt.getTime() + seconds * 1000) })
    const change = { workspaceId: null, action: 'carrier.captured', subject: carrierId, details: { seconds } }
    await recordChange(tx, { ports, caller, ...change })
    return (await findCapture(tx, { id, carrierId })) ?? refuse('not_found')
  })
  ports.notifications.broadcast(CAPTURES_SUBJECT, carrierId)
  return result
}

export function loadOpenCaptures({ db, clock }: Ports): Promise<OpenCapture[]> {
  return listOpenCaptures(db, clock.now())
}

export async function storeCaptured(
  { db, changeFeed }: Ports,
  captured: { captureId: string; processId: string; frames: CapturedFrame[] },
): Promise<void> {
  await insertFrames(db, captured)
  changeFeed.publishIn(null, 'carriers')
}
