// Admits API requests in batches by key, client, address and rate limit (§5.2, D6, D26).
import { OTP_LIMITS } from '../../domain/messages/limits.ts'
import { compileNetworkList, throttleScope } from '../../domain/network.ts'
import { OVERLOADED } from '../../domain/refusals.ts'
import {
  type AdmissionDecision,
  type AdmissionFacts,
  type AdmissionRequest,
  callerKey,
  decideAdmissions,
  UNKNOWN_CLIENT,
} from '../../domain/workspaces/admission.ts'
import { Batcher, type Batching } from '../../runtime/batcher.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import { RecentMap } from '../../runtime/recent.ts'
import { type Db, retryDecision } from '../../store/database/db.ts'
import {
  type CallerUse,
  countCallers,
  type KeyUse,
  type KnownClient,
  type UsedKey,
  useKeys,
} from '../../store/workspaces/admission.ts'
import type { Ports } from '../ports.ts'

export type Admission = AdmissionDecision<KnownClient>

/** The client of a request, which decides its queue. */
export interface Asker {
  id: string
  workspaceId: string
}

export interface AdmitRequest {
  (asking: AdmissionRequest): Promise<Admission>
  /** The client of the key at its last lookup. Not an authentication: the key may have been rotated. */
  ownerOf: (apiKeyHash: string) => Asker | undefined
  /** False while no client can be overloaded. */
  isCrowded: () => boolean
  /** True while every request with this key is refused. */
  isOverloaded: (apiKeyHash: string) => boolean
}

/**
 * Fair queueing needs the client before the lookup, so it uses the client of the last lookup; a key never changes its client. By key
 * alone, a workspace would get a turn per client, and an attacker one per invented key.
 */
const MAX_OWNERS = 10_000
/** At most about 50 MB. */
const MAX_LISTS = 500
/** Lookups are fast; a longer queue would only add to the wait in the accept lane. */
const MAX_WAITING = 1_000
/** A batch of a few requests costs as much as one of fifty, so batches of more than four start at least 6 ms apart. */
const ADMISSION_PACE = { everyMs: 6, few: 4, enough: 64 }
/** Requests with unknown keys share the turn of one workspace, and take turns by address. */
const UNKNOWN_KEYS = 'unknown keys'

export function createAdmission({ clock, admissionDb }: Ports, batching: Batching, metrics: Metrics): AdmitRequest {
  const owners = new RecentMap<Asker>({ most: MAX_OWNERS })
  const isWithin = cachedNetworkLists()
  const batcher = new Batcher<AdmissionRequest, Admission>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: ({ apiKeyHash, address }) => {
      const owner = owners.get(apiKeyHash)
      return owner ? [owner.workspaceId, owner.id] : [UNKNOWN_KEYS, throttleScope(address)]
    },
    ...batching,
    pace: ADMISSION_PACE,
    onBatch: metrics.batchObserver('admission'),
    maxWaiting: Math.min(batching.maxWaiting, MAX_WAITING),
    whenFull: () => ({ refusal: OVERLOADED, ...UNKNOWN_CLIENT }),
    run: async (batch) => {
      const found = await lookUp(admissionDb, batch, clock.now())
      // Rotated keys and disabled clients are removed, so that they get their own error also while their workspace is overloaded.
      for (const { apiKeyHash } of batch)
        if (found.clients.get(apiKeyHash)?.disabledAt !== null) owners.forget(apiKeyHash)
      for (const { apiKeyHash, id, workspaceId, disabledAt } of found.clients.values())
        if (disabledAt === null) owners.set(apiKeyHash, { id, workspaceId })
      return decideAdmissions(batch, { ...found, callerSeconds: OTP_LIMITS.caller.seconds, isWithin })
    },
    onError: retryDecision,
  })
  return Object.assign((asking: AdmissionRequest) => batcher.add(asking), {
    ownerOf: (hash: string) => owners.get(hash),
    isCrowded: () => batcher.isCrowded,
    isOverloaded: (apiKeyHash: string) => batcher.isFullFor({ apiKeyHash, address: '', caller: null }),
  })
}

type Found = Pick<AdmissionFacts<UsedKey>, 'clients' | 'callers' | 'now'>

async function lookUp(db: Db, batch: AdmissionRequest[], now: Date): Promise<Found> {
  const requested = new Map<string, KeyUse>()
  const callerUses = new Map<string, CallerUse>()
  for (const { apiKeyHash, caller } of batch) {
    requested.getOrInsertComputed(apiKeyHash, () => ({ apiKeyHash, requests: 0 })).requests += 1
    if (caller === null) continue
    const use = callerUses.getOrInsertComputed(`${apiKeyHash}:${caller}`, () => ({ apiKeyHash, caller, requests: 0 }))
    use.requests += 1
  }
  // One packet and one implicit transaction.
  const [uses, callers] = await db.pipelined((queries) =>
    Promise.all([
      useKeys(queries, [...requested.values()], now),
      callerUses.size > 0
        ? countCallers(queries, { uses: [...callerUses.values()], limit: OTP_LIMITS.caller, now })
        : [],
    ]),
  )
  return {
    now,
    clients: new Map(uses.map((it) => [it.apiKeyHash, it])),
    callers: new Map(callers.map((it) => [callerKey(it), it])),
  }
}

/** Compiles each list of networks once, keyed by its text. */
function cachedNetworkLists(): AdmissionFacts<never>['isWithin'] {
  const lists = new RecentMap<(address: string) => boolean>({ most: MAX_LISTS })
  return (networks, address) => {
    const known = lists.get(networks)
    if (known) return known(address)
    const contains = compileNetworkList(networks.split(','))
    lists.set(networks, contains)
    return contains(address)
  }
}
