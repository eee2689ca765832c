// A bind is one connection to a carrier. One process leases it; all delivery processes share the binds of a carrier.
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

export interface BindHealth {
  state: BindState
  /** The host and port of the connection. */
  peer: string | null
  boundAt: Date | null
  inFlight: number
  lastError: string | null
  lastErrorAt: Date | null
  /** When the next connection is attempted, or a broken carrier is probed; null if nothing is scheduled. */
  retryAt: Date | null
}

/** The state of a bind and of the carrier's circuit in the process that holds it. */
export interface BindReport extends BindHealth {
  segmentsPerSecond: number
  isWorking: boolean
  brokenReason: string | null
  healthSince: Date | null
  /** More messages wait than the bind has capacity for. */
  isFull: boolean
}

/** A bind as the process that holds it reports it. */
export interface HeldBind extends BindName, BindReport {
  /** D40: the carrier works, or the next message probes it. */
  isWorthTrying: boolean
}

export interface BindLease extends BindName {
  processId: string | null
  leasedUntil: Date | null
}

interface SharingFacts<Bind> {
  /** Of all carriers. */
  binds: readonly Bind[]
  /** The leases that this process has just renewed. */
  renewed: readonly BindName[]
  carriers: readonly { id: string; enabled: boolean }[]
  processId: string
  /** Delivery processes, including this one. */
  processes: number
  now: Date
}

interface BindShare<Bind> {
  keep: Bind[]
  take: Bind[]
  /** Leased to this process, which no longer needs them. */
  release: Bind[]
}

/**
 * Each process holds its share of a carrier's binds, rounded up. It keeps its own binds before it takes free ones. A bind beyond the share
 * stays leased until it is drained, because carriers count connections.
 */
export function shareBinds<Bind extends BindLease>(facts: SharingFacts<Bind>): BindShare<Bind> {
  const { binds, carriers, processId, processes, now } = facts
  const isRenewed = new Set(facts.renewed.map(bindKey))
  // A bind that this process leased and did not renew has just been drained, so this process may take it first.
  const isFree = (bind: Bind) =>
    !isRenewed.has(bindKey(bind)) && (bind.processId === processId || !isLeased(bind.leasedUntil, now))
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
  const release = binds.filter((bind) => bind.processId === processId && isFree(bind) && !take.includes(bind))
  return { keep, take, release }
}

/** Carriers that work in other processes, and whether all their binds there are full. */
export function findWorkingElsewhere(
  binds: readonly (BindLease & Pick<BindReport, 'isWorking' | 'isFull'>)[],
  { processId, now }: { processId: string; now: Date },
): Map<string, { isFull: boolean }> {
  const working = binds.filter(
    (bind) => bind.processId !== processId && bind.isWorking && isLeased(bind.leasedUntil, now),
  )
  const ofCarriers = Map.groupBy(working, (bind) => bind.carrierId)
  return new Map(Array.from(ofCarriers, ([id, own]) => [id, { isFull: own.every((bind) => bind.isFull) }]))
}
