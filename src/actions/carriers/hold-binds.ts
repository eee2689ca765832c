// Which binds this process holds: leases are renewed while it lives, free binds are taken, and shared with other processes.

import type { Carrier } from '../../domain/carriers/carrier.ts'
import {
  type BindMode,
  type BindName,
  greetProcesses,
  type HeldBind,
  type LastMinute,
  leaveProcesses,
  listBinds,
  releaseBinds,
  renewBinds,
  type StoredBind,
  takeBinds,
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
  { holder, held, lately }: { holder: string; held: HeldBind[]; lately: LastMinute },
): Promise<Holding> {
  const now = ports.clock.now()
  const leasedUntil = new Date(now.getTime() + LEASE_MS)
  return ports.db.transaction(async (tx) => {
    const living = await greetProcesses(tx, { id: holder, seenUntil: leasedUntil, lately, now })
    const renewed = held.length > 0 ? await renewBinds(tx, { holder, held, leasedUntil, now }) : []
    const [carriers, binds] = await Promise.all([listAllCarriers(tx), listBinds(tx)])
    const isRenewed = new Set(renewed.map(nameOf))
    // A bind that is ours by its lease but not in our hands was just let go of: it is free, for us before others.
    const free = binds.filter((bind) => !isRenewed.has(nameOf(bind)) && isFree(bind, { holder, now }))
    const mine = binds.filter((bind) => isRenewed.has(nameOf(bind)))
    const wanted = shareOut({ binds, mine, free }, { carriers, living })
    // Carriers count binds: one that is beyond our share is another's only once we have let go of it, drained.
    const isTaken = new Set(wanted.take.map(nameOf))
    const leftOver = free.filter((bind) => bind.holder === holder && !isTaken.has(nameOf(bind)))
    if (leftOver.length > 0) await releaseBinds(tx, { holder, binds: leftOver })
    const taken = wanted.take.length > 0 ? await takeBinds(tx, { holder, binds: wanted.take, leasedUntil, now }) : []
    const kept = mine.filter((bind) => wanted.keep.has(nameOf(bind)))
    return {
      carriers,
      held: [...kept, ...taken],
      workingElsewhere: workingElsewhere(binds, holder, now),
      processes: living,
    }
  })
}

export function letGoOfBinds(ports: Ports, { holder, binds }: { holder: string; binds: BindName[] }): Promise<void> {
  return ports.db.transaction(async (tx: Tx) => {
    await releaseBinds(tx, { holder, binds })
    await leaveProcesses(tx, holder)
  })
}

/** Of each carrier's binds a process holds its share, rounded up; what is beyond that it leaves to the others. */
function shareOut(
  { binds, mine, free }: { binds: StoredBind[]; mine: StoredBind[]; free: StoredBind[] },
  { carriers, living }: { carriers: Carrier[]; living: number },
): { keep: Set<string>; take: BindName[] } {
  const keep = new Set<string>()
  const take: BindName[] = []
  for (const { id } of carriers.filter((carrier) => carrier.enabled)) {
    const ofCarrier = (some: StoredBind[]) => some.filter((bind) => bind.carrierId === id)
    const share = Math.ceil(ofCarrier(binds).length / living)
    const kept = ofCarrier(mine).slice(0, share)
    for (const bind of kept) keep.add(nameOf(bind))
    take.push(...ofCarrier(free).slice(0, share - kept.length))
  }
  return { keep, take }
}

function isFree(bind: StoredBind, { holder, now }: { holder: string; now: Date }): boolean {
  return bind.leasedUntil === null || bind.leasedUntil <= now || bind.holder === holder
}

function workingElsewhere(binds: StoredBind[], holder: string, now: Date): Map<string, { isFull: boolean }> {
  const isLeased = ({ leasedUntil }: StoredBind) => leasedUntil !== null && leasedUntil > now
  const working = binds.filter((bind) => bind.holder !== holder && bind.works && isLeased(bind))
  const ofCarriers = Map.groupBy(working, (bind) => bind.carrierId)
  return new Map(Array.from(ofCarriers, ([id, own]) => [id, { isFull: own.every((bind) => bind.isFull) }]))
}

function nameOf({ carrierId, number }: BindName): string {
  return `${carrierId} ${number}`
}
