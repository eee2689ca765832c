// Who asks, and may it ask now: key, client, address, request rate (§5.2, D6, D26), for many requests in one look.

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
import { Recent } from '../../runtime/recent.ts'
import { courseAfter, type Db } from '../../store/database/db.ts'
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

/** A client, as far as it decides where its requests wait. */
export interface Asker {
  id: string
  workspaceId: string
}

export interface AdmitRequest {
  (asking: AdmissionRequest): Promise<Admission>
  /** Whose key it was when it was last looked up, or undefined. Nothing may be granted on it: the key may be rotated by now. */
  ownerOf: (apiKeyHash: string) => Asker | undefined
  /** False while nobody can be overloaded. */
  isCrowded: () => boolean
  /** True while all that comes with this key, whose owner is known, is refused for it. */
  isOverloaded: (apiKeyHash: string) => boolean
}

/**
 * Whose turn it is must be known before the look: it is whoever had the key at the last one, for a key never changes
 * hands. By the key alone a workspace would have as many turns as clients, and whoever makes up keys as many as it likes.
 */
const MOST_OWNERS = 10_000
/** About 50 MB at worst, should all be as long as lists once could be. */
const MOST_LISTS = 500
/** A look is quick: a longer line before it would only add to the wait in the accept lane behind it. */
const MOST_WAITING = 1_000
/** Those whose keys were never seen here share the turn of one workspace, and take turns by their address. */
const STRANGERS = 'strangers'

export function createAdmission({ clock, admissionDb }: Ports, batching: Batching): AdmitRequest {
  const owners = new Recent<Asker>({ most: MOST_OWNERS })
  const isWithin = compiledOnce()
  const batcher = new Batcher<AdmissionRequest, Admission>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: ({ apiKeyHash, address }) => {
      const owner = owners.get(apiKeyHash)
      return owner ? [owner.workspaceId, owner.id] : [STRANGERS, throttleScope(address)]
    },
    ...batching,
    mostWaiting: Math.min(batching.mostWaiting, MOST_WAITING),
    whenFull: () => ({ refusal: OVERLOADED, ...UNKNOWN_CLIENT }),
    run: async (batch) => {
      const found = await lookUp(admissionDb, batch, clock.now())
      // A key that was rotated, or whose client is disabled, is told so, however full the lane of its workspace is.
      for (const { apiKeyHash } of batch)
        if (found.clients.get(apiKeyHash)?.disabledAt !== null) owners.forget(apiKeyHash)
      for (const { apiKeyHash, id, workspaceId, disabledAt } of found.clients.values())
        if (disabledAt === null) owners.set(apiKeyHash, { id, workspaceId })
      return decideAdmissions(batch, { ...found, callerSeconds: OTP_LIMITS.caller.seconds, isWithin })
    },
    onFault: courseAfter,
  })
  return Object.assign((asking: AdmissionRequest) => batcher.add(asking), {
    ownerOf: (hash: string) => owners.get(hash),
    isCrowded: () => batcher.isCrowded,
    isOverloaded: (apiKeyHash: string) => batcher.isFullFor({ apiKeyHash, address: '', caller: null }),
  })
}

type Found = Pick<AdmissionFacts<UsedKey>, 'clients' | 'callers' | 'now'>

async function lookUp(db: Db, batch: AdmissionRequest[], now: Date): Promise<Found> {
  const asked = new Map<string, KeyUse>()
  const callerUses = new Map<string, CallerUse>()
  for (const { apiKeyHash, caller } of batch) {
    asked.getOrInsertComputed(apiKeyHash, () => ({ apiKeyHash, requests: 0 })).requests += 1
    if (caller === null) continue
    const use = callerUses.getOrInsertComputed(`${apiKeyHash}:${caller}`, () => ({ apiKeyHash, caller, requests: 0 }))
    use.requests += 1
  }
  // In one packet, and done together or not at all.
  const [uses, callers] = await db.pipelined((queries) =>
    Promise.all([
      useKeys(queries, [...asked.values()], now),
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

/** A list is compiled when it is first met, and known again by all that stands in it: another list is never taken for it. */
function compiledOnce(): AdmissionFacts<never>['isWithin'] {
  const lists = new Recent<(address: string) => boolean>({ most: MOST_LISTS })
  return (networks, address) => {
    const known = lists.get(networks)
    if (known) return known(address)
    const contains = compileNetworkList(networks.split(','))
    lists.set(networks, contains)
    return contains(address)
  }
}
