// Leases of binds: this process renews its leases, takes free binds and shares them with other processes.

import {
  type BindMode,
  type BindName,
  findWorkingElsewhere,
  type HeldBind,
  shareBinds,
} from '../../domain/carriers/bind.ts'
import type { Carrier } from '../../domain/carriers/carrier.ts'
import {
  claimBinds,
  deleteDeliveryProcess,
  type LastMinuteCounts,
  listBinds,
  recordDeliveryHeartbeat,
  releaseBinds,
  renewBinds,
} from '../../store/carriers/carrier-binds.ts'
import { listAllCarriers } from '../../store/carriers/carriers.ts'
import type { Tx } from '../../store/database/db.ts'
import type { Ports } from '../ports.ts'

/** Longer than a process may stall, and short enough for a fast takeover by another process. */
export const LEASE_MS = 8_000

export interface HoldResult {
  carriers: Carrier[]
  /** The binds that this process keeps. It drains its other binds and keeps their leases until then. */
  held: (BindName & { mode: BindMode })[]
  /** Carriers that work in other processes, and whether their windows there are full. */
  workingElsewhere: ReadonlyMap<string, { isFull: boolean }>
  /** Number of delivering processes, including this one. */
  processes: number
}

export function holdBinds(
  ports: Ports,
  { processId, held, recently }: { processId: string; held: HeldBind[]; recently: LastMinuteCounts },
): Promise<HoldResult> {
  const now = ports.clock.now()
  const leasedUntil = new Date(now.getTime() + LEASE_MS)
  return ports.db.transaction(async (tx) => {
    const processes = await recordDeliveryHeartbeat(tx, {
      id: processId,
      seenUntil: leasedUntil,
      counts: recently,
      now,
    })
    const renewed = held.length > 0 ? await renewBinds(tx, { processId, held, leasedUntil, now }) : []
    const [carriers, binds] = await Promise.all([listAllCarriers(tx), listBinds(tx)])
    const { keep, take, release } = shareBinds({ binds, renewed, carriers, processId, processes, now })
    if (release.length > 0) await releaseBinds(tx, { processId, binds: release })
    const taken = take.length > 0 ? await claimBinds(tx, { processId, binds: take, leasedUntil, now }) : []
    return {
      carriers,
      held: [...keep, ...taken],
      workingElsewhere: findWorkingElsewhere(binds, { processId, now }),
      processes,
    }
  })
}

export function releaseHeldBinds(
  ports: Ports,
  { processId, binds }: { processId: string; binds: BindName[] },
): Promise<void> {
  return ports.db.transaction(async (tx: Tx) => {
    await releaseBinds(tx, { processId, binds })
    await deleteDeliveryProcess(tx, processId)
  })
}
