// Which binds this process holds: leases are renewed while it lives, free binds are taken, and shared with other processes.

import {
  type BindMode,
  type BindName,
  greetProcesses,
  type HeldBind,
  leaveProcesses,
  listBinds,
  releaseBinds,
  renewBinds,
  type StoredBind,
  takeBinds,
} from '../store/carrier-binds.ts'
import { type Carrier, listAllCarriers } from '../store/carriers.ts'
import type { Tx } from '../store/db.ts'
import type { House } from './house.ts'

/** Longer than a process may be held up, shorter than a customer may wait for another to take over. */
const LEASE_MS = 8_000

export interface Holding {
  carriers: Carrier[]
  /** What this process holds from now on. */
  held: (BindName & { mode: BindMode })[]
  /** The carriers that other processes have bound. */
  boundElsewhere: Set<string>
}

export function holdBinds(house: House, { holder, held }: { holder: string; held: HeldBind[] }): Promise<Holding> {
  const now = house.clock.now()
  const leasedUntil = new Date(now.getTime() + LEASE_MS)
  return house.db.transaction(async (tx) => {
    const living = await greetProcesses(tx, { id: holder, seenUntil: leasedUntil, now })
    const renewed = held.length > 0 ? await renewBinds(tx, { holder, held, leasedUntil }) : []
    const [carriers, binds] = await Promise.all([listAllCarriers(tx), listBinds(tx)])
    const wanted = shareOut(binds, { carriers, holder, living, now })
    const isRenewed = new Set(renewed.map(nameOf))
    const surplus = renewed.filter((bind) => !wanted.keep.has(nameOf(bind)))
    if (surplus.length > 0) await releaseBinds(tx, { holder, binds: surplus })
    const taken = wanted.take.length > 0 ? await takeBinds(tx, { holder, binds: wanted.take, leasedUntil, now }) : []
    const kept = binds.filter((bind) => isRenewed.has(nameOf(bind)) && wanted.keep.has(nameOf(bind)))
    return { carriers, held: [...kept, ...taken], boundElsewhere: boundElsewhere(binds, holder, now) }
  })
}

export function letGoOfBinds(house: House, { holder, binds }: { holder: string; binds: BindName[] }): Promise<void> {
  return house.db.transaction(async (tx: Tx) => {
    await releaseBinds(tx, { holder, binds })
    await leaveProcesses(tx, holder)
  })
}

/** Of each carrier's binds a process holds its share, rounded up; what is beyond that it leaves to the others. */
function shareOut(
  binds: StoredBind[],
  { carriers, holder, living, now }: { carriers: Carrier[]; holder: string; living: number; now: Date },
): { keep: Set<string>; take: BindName[] } {
  const keep = new Set<string>()
  const take: BindName[] = []
  const byCarrier = Map.groupBy(binds, (bind) => bind.carrierId)
  for (const { id } of carriers.filter((carrier) => carrier.enabled)) {
    const all = byCarrier.get(id) ?? []
    const share = Math.ceil(all.length / living)
    const mine = all.filter((bind) => bind.holder === holder).slice(0, share)
    const free = all.filter((bind) => bind.holder === null || (bind.leasedUntil !== null && bind.leasedUntil <= now))
    for (const bind of mine) keep.add(nameOf(bind))
    take.push(...free.filter((bind) => bind.holder !== holder).slice(0, share - mine.length))
  }
  return { keep, take }
}

function boundElsewhere(binds: StoredBind[], holder: string, now: Date): Set<string> {
  const bound = binds.filter(
    (bind) =>
      bind.holder !== holder &&
      bind.state === 'bound' &&
      bind.mode !== 'receiver' &&
      bind.leasedUntil !== null &&
      bind.leasedUntil > now,
  )
  return new Set(bound.map((bind) => bind.carrierId))
}

function nameOf({ carrierId, number }: BindName): string {
  return `${carrierId} ${number}`
}
