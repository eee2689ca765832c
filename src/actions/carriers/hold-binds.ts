// Which binds this process holds: leases are renewed while it lives, free binds are taken, and shared with other processes.

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

/** Longer than a process may be held up, shorter than a customer may wait for another to take over. */
export const LEASE_MS = 8_000

export interface Holding {
  carriers: Carrier[]
  /** What this process shall hold from now on. What it holds beyond that is leased to it until it has drained. */
  held: (BindName & { mode: BindMode })[]
  /** The carriers that work for other processes, and whether all of those have more to send than it has room for. */
  workingElsewhere: ReadonlyMap<string, { isFull: boolean }>
  /** How many processes deliver, this one among them. */
  processes: number
}

export function holdBinds(
  ports: Ports,
  { holder, held, lately }: { holder: string; held: HeldBind[]; lately: LastMinuteCounts },
): Promise<Holding> {
  const now = ports.clock.now()
  const leasedUntil = new Date(now.getTime() + LEASE_MS)
  return ports.db.transaction(async (tx) => {
    const processes = await recordDeliveryHeartbeat(tx, { id: holder, seenUntil: leasedUntil, counts: lately, now })
    const renewed = held.length > 0 ? await renewBinds(tx, { holder, held, leasedUntil, now }) : []
    const [carriers, binds] = await Promise.all([listAllCarriers(tx), listBinds(tx)])
    const { keep, take, release } = shareBinds({ binds, renewed, carriers, holder, processes, now })
    if (release.length > 0) await releaseBinds(tx, { holder, binds: release })
    const taken = take.length > 0 ? await claimBinds(tx, { holder, binds: take, leasedUntil, now }) : []
    return {
      carriers,
      held: [...keep, ...taken],
      workingElsewhere: findWorkingElsewhere(binds, { holder, now }),
      processes,
    }
  })
}

export function letGoOfBinds(ports: Ports, { holder, binds }: { holder: string; binds: BindName[] }): Promise<void> {
  return ports.db.transaction(async (tx: Tx) => {
    await releaseBinds(tx, { holder, binds })
    await deleteDeliveryProcess(tx, holder)
  })
}
