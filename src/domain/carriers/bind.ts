// A bind, which is one connection to a carrier: one process leases it, and all processes that deliver share the binds of a carrier.
import { isLeased } from './carrier.ts'

export type BindMode = 'transceiver' | 'transmitter' | 'receiver'
export type BindState = 'idle' | 'connecting' | 'bound' | 'waiting'

export interface BindName {
  carrierId: string
  number: number
}

export function bindKey({ carrierId, number }: BindName): string {
  return `${carrierId} ${number}`
}

/** How the link does. */
export interface BindHealth {
  state: BindState
  /** The host and port that it stands with. */
  peer: string | null
  boundAt: Date | null
  inFlight: number
  lastError: string | null
  lastErrorAt: Date | null
}

/** ... and what its process makes of the carrier behind it. */
export interface BindReport extends BindHealth {
  segmentsPerSecond: number
  works: boolean
  brokenReason: string | null
  healthSince: Date | null
  /** There is more to send than it has room for. */
  isFull: boolean
}

/** What one process knows of a bind it holds. */
export interface HeldBind extends BindName, BindReport {
  /** D40: the carrier works, or is about to be tried. */
  isHopeful: boolean
}

export interface BindLease extends BindName {
  holder: string | null
  leasedUntil: Date | null
}

export interface SharingFacts<Bind> {
  /** Of all carriers. */
  binds: readonly Bind[]
  /** The leases that this process has renewed just now. */
  renewed: readonly BindName[]
  carriers: readonly { id: string; enabled: boolean }[]
  holder: string
  /** How many processes deliver, this one among them. */
  processes: number
  now: Date
}

export interface BindShare<Bind> {
  keep: Bind[]
  take: Bind[]
  /** Leased to this process, which neither uses nor wants them. */
  release: Bind[]
}

/**
 * Of each carrier's binds a process holds its share, rounded up. It keeps what it has before it takes what is free, and a bind beyond
 * its share stays leased until it is drained, for carriers count binds.
 */
export function shareBinds<Bind extends BindLease>(facts: SharingFacts<Bind>): BindShare<Bind> {
  const { binds, carriers, holder, processes, now } = facts
  const isRenewed = new Set(facts.renewed.map(bindKey))
  // A bind that is ours by its lease and was not renewed has just been drained: it is free, for us before others.
  const isFree = (bind: Bind) =>
    !isRenewed.has(bindKey(bind)) && (bind.holder === holder || !isLeased(bind.leasedUntil, now))
  const bindsOf = Map.groupBy(binds, (bind) => bind.carrierId)
  const keep: Bind[] = []
  const take: Bind[] = []
  for (const { id } of carriers.filter((carrier) => carrier.enabled)) {
    const own = bindsOf.get(id) ?? []
    const share = Math.ceil(own.length / processes)
    const kept = own.filter((bind) => isRenewed.has(bindKey(bind))).slice(0, share)
    keep.push(...kept)
    take.push(...own.filter(isFree).slice(0, share - kept.length))
  }
  const release = binds.filter((bind) => bind.holder === holder && isFree(bind) && !take.includes(bind))
  return { keep, take, release }
}

/** By carrier: those that work for other processes, and whether all of those have more to send than there is room for. */
export function workingElsewhere(
  binds: readonly (BindLease & Pick<BindReport, 'works' | 'isFull'>)[],
  { holder, now }: { holder: string; now: Date },
): Map<string, { isFull: boolean }> {
  const working = binds.filter((bind) => bind.holder !== holder && bind.works && isLeased(bind.leasedUntil, now))
  const ofCarriers = Map.groupBy(working, (bind) => bind.carrierId)
  return new Map(Array.from(ofCarriers, ([id, own]) => [id, { isFull: own.every((bind) => bind.isFull) }]))
}
