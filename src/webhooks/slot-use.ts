// What the service, a workspace and an endpoint hold: places, slots and waiting deliveries.
import { type AttemptRank, type ByRank, type EndpointPace, SLOTS_AT_FIRST, zeroByRank } from './slot-limits.ts'

/** Places and slots in use by the service, a workspace or an endpoint. */
export interface Use {
  held: ByRank
  running: ByRank
}

export interface Workspace<Delivery> extends Use {
  id: string
  /** Endpoints with waiting deliveries, in the order of their turns. */
  inTurn: Set<Endpoint<Delivery>>
}

export interface Endpoint<Delivery> extends Use, EndpointPace {
  clientId: string
  workspace: Workspace<Delivery>
  /** End of the last attempt. */
  idleSince: number
  waiting: Record<AttemptRank, Delivery[]>
  lastStarted: AttemptRank
  /** The last claim of the rank reached the limit of the endpoint, so the queue may have more. */
  isCut: Record<AttemptRank, boolean>
}

export function newUse(): Use {
  return { held: zeroByRank(), running: zeroByRank() }
}

export function newWorkspace<Delivery>(id: string): Workspace<Delivery> {
  return { ...newUse(), id, inTurn: new Set() }
}

export function newEndpoint<Delivery>(clientId: string, workspace: Workspace<Delivery>): Endpoint<Delivery> {
  return {
    ...newUse(),
    ...{ clientId, workspace, slots: SLOTS_AT_FIRST, timeOutsInARow: 0, averageMs: 0, idleSince: 0 },
    waiting: { first: [], retry: [] },
    lastStarted: 'retry',
    isCut: { first: false, retry: false },
  }
}

export function isWaiting({ waiting }: Endpoint<unknown>): boolean {
  return waiting.first.length + waiting.retry.length > 0
}
