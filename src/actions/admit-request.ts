// Who asks, and may it ask now: key, client, address, request rate (§5.2, D6, D26), for many requests in one look.

import { hashApiKey } from '../domain/api-key.ts'
import { compileNetworkList } from '../domain/network.ts'
import { type Refusal, refuse } from '../domain/refusals.ts'
import { secondsUntil } from '../domain/sliding-window.ts'
import { Batcher, type Batching } from '../runtime/batcher.ts'
import { type BucketGrant, findClientsByKey, type KnownClient, takeTokens } from '../store/admission.ts'
import { courseAfter } from '../store/db.ts'
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
  apiKeyHash: Buffer
  address: string
}

export type AdmitRequest = (apiKey: string, address: string) => Promise<Admission | Turned>

export function createAdmission(house: House, batching: Batching): AdmitRequest {
  const batcher = new Batcher<Asking, Admission | Turned>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: () => '',
    ...batching,
    whenFull: () => turned(refuse('unavailable'), null),
    run: (batch) => admit(house, batch),
    onFault: courseAfter,
  })
  return (apiKey, address) => batcher.add({ apiKeyHash: hashApiKey(apiKey), address })
}

async function admit(house: House, batch: Asking[]): Promise<(Admission | Turned)[]> {
  const now = house.clock.now()
  const clients = await findClientsByKey(house.db, [...new Set(batch.map((asking) => asking.apiKeyHash))])
  const byHash = new Map(clients.map((client) => [client.apiKeyHash.toString('base64'), client]))
  const judged = batch.map(({ apiKeyHash, address }) => judge(byHash.get(apiKeyHash.toString('base64')), address))
  const wanted = new Map<KnownClient, number>()
  for (const client of judged) if ('id' in client) wanted.set(client, (wanted.get(client) ?? 0) + 1)
  if (wanted.size === 0) return judged as Turned[]
  const claims = [...wanted].map(([{ id, requestsPerSecond }, count]) => ({
    clientId: id,
    requestsPerSecond,
    wanted: count,
  }))
  const grants = new Map((await takeTokens(house.db, claims, now)).map((grant) => [grant.clientId, grant]))
  return judged.map((client) => ('id' in client ? spend(client, grants.get(client.id), now) : client))
}

function judge(client: KnownClient | undefined, address: string): KnownClient | Turned {
  if (!client) return turned(refuse('unauthorized', { error: 'Invalid API key' }), null)
  if (client.disabledAt) return turned(refuse('client_disabled'), client)
  if (client.onlyNetworks && !compileNetworkList(client.onlyNetworks)(address))
    return turned(refuse('ip_not_allowed'), client)
  return client
}

function spend(client: KnownClient, grant: BucketGrant | undefined, now: Date): Admission | Turned {
  if (grant && grant.granted > 0) {
    grant.granted -= 1
    return { client, tokensLeft: Math.floor(grant.tokens) }
  }
  // One token flows in every 1/rate seconds; a whole second is the least that Retry-After can say.
  const refilledAt = new Date(now.getTime() + 1000 / client.requestsPerSecond)
  return turned(refuse('rate_limited', { retryAfterSeconds: Math.max(1, secondsUntil(refilledAt, now)) }), client)
}

function turned(refusal: Refusal, client: KnownClient | null): Turned {
  return { refusal, client }
}
