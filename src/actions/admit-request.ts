// Who asks, and may it ask now: key, client, address, request rate (§5.2, D6, D26), for many requests in one look.

import { hashApiKey } from '../domain/api-key.ts'
import { compileNetworkList } from '../domain/network.ts'
import { OVERLOADED, type Refusal, refuse } from '../domain/refusals.ts'
import { secondsUntil } from '../domain/sliding-window.ts'
import { Batcher, type Batching } from '../runtime/batcher.ts'
import { type KeyUse, type KnownClient, type Visit, visit } from '../store/admission.ts'
import { courseAfter, type Db } from '../store/db.ts'
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

/** `door` has a connection of its own: nothing else holds up a look. */
export function createAdmission({ clock }: House, door: Db, batching: Batching): AdmitRequest {
  const batcher = new Batcher<Asking, Admission | Turned>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: () => '',
    ...batching,
    whenFull: () => turned(OVERLOADED, null),
    run: (batch) => admit(door, batch, clock.now()),
    onFault: courseAfter,
  })
  return (apiKey, address) => batcher.add({ apiKeyHash: hashApiKey(apiKey), address })
}

async function admit(door: Db, batch: Asking[], now: Date): Promise<(Admission | Turned)[]> {
  const visits = new Map<string, Visit>()
  const look = async (asking: Asking[], judged: boolean) => {
    for (const it of await visit(door, { uses: usesOf(asking), judged, now })) visits.set(it.apiKeyHash, it)
  }
  await look(batch, false)
  const judged = batch.map(({ apiKeyHash, address }) => judge(visits.get(apiKeyHash), address))
  // Where the address had to be judged first, tokens are taken only now, and only for the requests that passed.
  const passed = batch.filter((_, index) => isLimitedToNetworks(judged[index]))
  if (passed.length > 0) await look(passed, true)
  return judged.map((it) => ('id' in it ? spend(visits.get(it.apiKeyHash) ?? it, now) : it))
}

function usesOf(batch: Asking[]): KeyUse[] {
  const uses = new Map<string, KeyUse>()
  for (const { apiKeyHash } of batch) uses.getOrInsert(apiKeyHash, { apiKeyHash, requests: 0 }).requests += 1
  return [...uses.values()]
}

function isLimitedToNetworks(client: Visit | Turned | undefined): boolean {
  return client !== undefined && 'id' in client && client.onlyNetworks !== null
}

function judge(client: Visit | undefined, address: string): Visit | Turned {
  if (!client) return turned(refuse('unauthorized', { error: 'Invalid API key' }), null)
  if (client.disabledAt) return turned(refuse('client_disabled'), client)
  if (client.onlyNetworks && !compileNetworkList(client.onlyNetworks)(address))
    return turned(refuse('ip_not_allowed'), client)
  return client
}

/** The first of them to come get the tokens. */
function spend(client: Visit, now: Date): Admission | Turned {
  const { granted, tokens } = client
  if (granted !== null && tokens !== null && granted > 0) {
    client.granted = granted - 1
    return { client, tokensLeft: Math.floor(tokens) }
  }
  // One token flows in every 1/rate seconds; a whole second is the least that Retry-After can say.
  const refilledAt = new Date(now.getTime() + 1000 / client.requestsPerSecond)
  return turned(refuse('rate_limited', { retryAfterSeconds: Math.max(1, secondsUntil(refilledAt, now)) }), client)
}

function turned(refusal: Refusal, client: KnownClient | null): Turned {
  return { refusal, client }
}
