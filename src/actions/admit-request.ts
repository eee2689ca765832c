// Who asks, and may it ask now: key, client, address, request rate (§5.2, D6, D26), for many requests in one look.

import { hashApiKey } from '../domain/api-key.ts'
import { compileNetworkList } from '../domain/network.ts'
import { type Refusal, refuse } from '../domain/refusals.ts'
import { secondsUntil } from '../domain/sliding-window.ts'
import { Batcher, type Batching } from '../runtime/batcher.ts'
import { type KeyUse, type KnownClient, type KnownKey, useKeys } from '../store/admission.ts'
import { courseAfter, type Queries } from '../store/db.ts'
import type { House } from './house.ts'

export interface Admission {
  client: KnownClient
  /** Requests left in the bucket, for the RateLimit header (D28). */
  tokensLeft: number
}

/** Refused for its rate, a request still tells whose rate that was. */
export interface Turned {
  refusal: Refusal
  client: KnownClient | null
}

interface Asking {
  apiKeyHash: string
  address: string
}

export type AdmitRequest = (apiKey: string, address: string) => Promise<Admission | Turned>

/** `door` is a database that does not wait for the disk: a token that a crash gives back does no harm. */
export function createAdmission({ clock }: House, door: Queries, batching: Batching): AdmitRequest {
  const batcher = new Batcher<Asking, Admission | Turned>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: () => '',
    ...batching,
    whenFull: () => turned(refuse('unavailable'), null),
    run: (batch) => admit(door, batch, clock.now()),
    onFault: courseAfter,
  })
  return (apiKey, address) => batcher.add({ apiKeyHash: hashApiKey(apiKey), address })
}

async function admit(door: Queries, batch: Asking[], now: Date): Promise<(Admission | Turned)[]> {
  const known = await use(door, batch, { judged: false, now })
  const judged = batch.map(({ apiKeyHash, address }) => judge(known.get(apiKeyHash), address))
  // Where the address had to be judged first, tokens are taken only now, and only for the requests that passed.
  const passed = batch.filter((_, index) => isLimitedToNetworks(judged[index]))
  const late = passed.length > 0 ? await use(door, passed, { judged: true, now }) : new Map<string, KnownKey>()
  return judged.map((client, index) => {
    if ('refusal' in client) return client
    return spend(late.get(batch[index]?.apiKeyHash ?? '') ?? client, now)
  })
}

async function use(
  door: Queries,
  batch: Asking[],
  how: { judged: boolean; now: Date },
): Promise<Map<string, KnownKey>> {
  const uses = new Map<string, KeyUse>()
  for (const { apiKeyHash } of batch) uses.getOrInsert(apiKeyHash, { apiKeyHash, requests: 0 }).requests += 1
  const asked = [...uses.values()]
  const known = await useKeys(door, { uses: asked, ...how })
  return new Map(known.map((it) => [asked[it.place - 1]?.apiKeyHash ?? '', it]))
}

function isLimitedToNetworks(client: KnownKey | Turned | undefined): boolean {
  return client !== undefined && 'id' in client && client.onlyNetworks !== null
}

function judge(client: KnownKey | undefined, address: string): KnownKey | Turned {
  if (!client) return turned(refuse('unauthorized', { error: 'Invalid API key' }), null)
  if (client.disabledAt) return turned(refuse('client_disabled'), client)
  if (client.onlyNetworks && !compileNetworkList(client.onlyNetworks)(address))
    return turned(refuse('ip_not_allowed'), client)
  return client
}

function spend(client: KnownKey, now: Date): Admission | Turned {
  if (client.granted !== null && client.granted > 0) {
    client.granted -= 1
    return { client, tokensLeft: Math.floor(client.tokens ?? 0) }
  }
  // One token flows in every 1/rate seconds; a whole second is the least that Retry-After can say.
  const refilledAt = new Date(now.getTime() + 1000 / client.requestsPerSecond)
  return turned(refuse('rate_limited', { retryAfterSeconds: Math.max(1, secondsUntil(refilledAt, now)) }), client)
}

function turned(refusal: Refusal, client: KnownClient | null): Turned {
  return { refusal, client }
}
