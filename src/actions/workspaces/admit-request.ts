// Who asks, and may it ask now: key, client, address, request rate (§5.2, D6, D26), for many requests in one look.

import { OTP_LIMITS } from '../../domain/messages/limits.ts'
import { compileNetworkList, throttleScope } from '../../domain/network.ts'
import { OVERLOADED, type Refusal, refuse } from '../../domain/refusals.ts'
import { secondsUntil } from '../../domain/sliding-window.ts'
import { Batcher, type Batching } from '../../runtime/batcher.ts'
import { Recent } from '../../runtime/recent.ts'
import { courseAfter, type Db } from '../../store/database/db.ts'
import {
  type CallerUse,
  type CountedCaller,
  countCallers,
  type KeyUse,
  type KnownClient,
  type UsedKey,
  useKeys,
} from '../../store/workspaces/admission.ts'
import type { Ports } from '../ports.ts'

/** What was found out about a request before it came in. */
export interface Admission {
  /** Why it may not come in; null when it may. */
  refusal: Refusal | null
  /** Whose key it is: also of most requests that are refused. */
  client: KnownClient | null
  /** Requests left in the bucket, for the RateLimit header (D28). */
  tokensLeft: number
  /** How long its calling address has to wait before it may ask for a code (§8.2); 0 when it need not. */
  callerWaitSeconds: number
}

export interface Asking {
  apiKeyHash: string
  address: string
  /** Asks for a code: then it counts toward the limit on its calling address (D39), which is named so. */
  caller: string | null
}

/** A client, as far as it decides where its requests wait. */
export interface Asker {
  id: string
  workspaceId: string
}

export interface AdmitRequest {
  (asking: Asking): Promise<Admission>
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
  const batcher = new Batcher<Asking, Admission>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: ({ apiKeyHash, address }) => {
      const owner = owners.get(apiKeyHash)
      return owner ? [owner.workspaceId, owner.id] : [STRANGERS, throttleScope(address)]
    },
    ...batching,
    mostWaiting: Math.min(batching.mostWaiting, MOST_WAITING),
    whenFull: () => ({ refusal: OVERLOADED, ...NOBODY }),
    run: async (batch) => {
      const look = await lookUp(admissionDb, batch, clock.now())
      // A key that was rotated, or whose client is disabled, is told so, however full the lane of its workspace is.
      for (const { apiKeyHash } of batch) if (look.uses.get(apiKeyHash)?.disabledAt !== null) owners.forget(apiKeyHash)
      for (const { apiKeyHash, id, workspaceId, disabledAt } of look.uses.values())
        if (disabledAt === null) owners.set(apiKeyHash, { id, workspaceId })
      return batch.map((asking) => admit(asking, look, isWithin))
    },
    onFault: courseAfter,
  })
  return Object.assign((asking: Asking) => batcher.add(asking), {
    ownerOf: (hash: string) => owners.get(hash),
    isCrowded: () => batcher.isCrowded,
    isOverloaded: (apiKeyHash: string) => batcher.isFullFor({ apiKeyHash, address: '', caller: null }),
  })
}

const NOBODY = { client: null, tokensLeft: 0, callerWaitSeconds: 0 }

interface Look {
  now: Date
  /** By the hash of the key. */
  uses: Map<string, UsedKey>
  /** By client and calling address. */
  callers: Map<string, CountedCaller>
}

async function lookUp(db: Db, batch: Asking[], now: Date): Promise<Look> {
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
    uses: new Map(uses.map((it) => [it.apiKeyHash, it])),
    callers: new Map(callers.map((it) => [`${it.clientId}:${it.caller}`, it])),
  }
}

/** In the order of D6. Whatever comes of it, a request with a known key has cost its token (D43). */
function admit({ apiKeyHash, address, caller }: Asking, { now, uses, callers }: Look, isWithin: IsWithin): Admission {
  const client = uses.get(apiKeyHash)
  if (!client) return { refusal: refuse('unauthorized', { error: 'Invalid API key' }), ...NOBODY }
  const hasToken = takeOne(client)
  const known = {
    client,
    tokensLeft: hasToken ? Math.floor(client.tokens) : 0,
    callerWaitSeconds: callerWaitSeconds(callers.get(`${client.id}:${caller}`), now),
  }
  if (client.disabledAt) return { refusal: refuse('client_disabled'), ...known }
  if (client.onlyNetworks !== null && !isWithin(client.onlyNetworks, address))
    return { refusal: refuse('ip_not_allowed'), ...known }
  return { refusal: hasToken ? null : refuseRate(client, now), ...known }
}

/** The first to come get what was granted. */
function takeOne(visited: { granted: number }): boolean {
  if (visited.granted === 0) return false
  visited.granted -= 1
  return true
}

/** One token flows in every 1/rate seconds; a whole second is the least that Retry-After can say. */
function refuseRate({ requestsPerSecond }: KnownClient, now: Date): Refusal {
  const refilledAt = new Date(now.getTime() + 1000 / requestsPerSecond)
  return refuse('rate_limited', { retryAfterSeconds: Math.max(1, secondsUntil(refilledAt, now)) })
}

function callerWaitSeconds(visited: CountedCaller | undefined, now: Date): number {
  if (!visited || takeOne(visited)) return 0
  return Math.max(1, secondsUntil(new Date(visited.oldestAt.getTime() + OTP_LIMITS.caller.seconds * 1000), now))
}

type IsWithin = (networks: string, address: string) => boolean

/** A list is compiled when it is first met, and known again by all that stands in it: another list is never taken for it. */
function compiledOnce(): IsWithin {
  const lists = new Recent<(address: string) => boolean>({ most: MOST_LISTS })
  return (networks, address) => {
    const known = lists.get(networks)
    if (known) return known(address)
    const contains = compileNetworkList(networks.split(','))
    lists.set(networks, contains)
    return contains(address)
  }
}
