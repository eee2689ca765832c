// Whether a request of the API may come in: key, client, address, request rate (§5.2, D6, D26), for a batch of requests at once.
import { type Refusal, refuse } from '../refusals.ts'
import { secondsUntil } from '../sliding-window.ts'

export interface AdmissionRequest {
  apiKeyHash: string
  address: string
  /** Asks for a code: then it counts toward the limit on its calling address (D39), which is named so. */
  caller: string | null
}

export interface AdmissibleClient {
  id: string
  disabledAt: Date | null
  requestsPerSecond: number
  /** Joined by commas. */
  onlyNetworks: string | null
  /** So many requests of the batch found a token. */
  granted: number
  /** What is left in the bucket after them. */
  tokens: number
}

export interface CallerUsage {
  /** So many requests of the batch were within the limit. */
  granted: number
  /** The oldest that counts. */
  oldestAt: Date
}

export interface AdmissionFacts<Client> {
  /** By the hash of the key. */
  clients: ReadonlyMap<string, Client>
  /** By `callerKey`. */
  callers: ReadonlyMap<string, CallerUsage>
  /** How long a request for a code counts toward the limit on its caller. */
  callerSeconds: number
  isWithin: (networks: string, address: string) => boolean
  now: Date
}

export function callerKey({ clientId, caller }: { clientId: string; caller: string | null }): string {
  return `${clientId}:${caller}`
}

/** What was found out about a request before it came in. */
export interface AdmissionDecision<Client> {
  /** Why it may not come in; null when it may. */
  refusal: Refusal | null
  /** Whose key it is: also of most requests that are refused. */
  client: Client | null
  /** Requests left in the bucket, for the RateLimit header (D28). */
  tokensLeft: number
  /** How long its calling address has to wait before it may ask for a code (§8.2); 0 when it need not. */
  callerWaitSeconds: number
}

export const UNKNOWN_CLIENT = { client: null, tokensLeft: 0, callerWaitSeconds: 0 }

/** The first to come get what was granted to the batch. Whatever is decided, a request with a known key has cost its token (D43). */
export function decideAdmissions<Client extends AdmissibleClient>(
  requests: readonly AdmissionRequest[],
  facts: AdmissionFacts<Client>,
): AdmissionDecision<Client>[] {
  const usedByClient = new Map<string, number>()
  const usedByCaller = new Map<string, number>()
  return requests.map((request) => {
    const client = facts.clients.get(request.apiKeyHash)
    if (!client) return { refusal: refuse('unauthorized', { error: 'Invalid API key' }), ...UNKNOWN_CLIENT }
    const hasToken = useOne(usedByClient, client.id) <= client.granted
    const key = callerKey({ clientId: client.id, caller: request.caller })
    const usage = facts.callers.get(key)
    const mayAsk = usage === undefined || useOne(usedByCaller, key) <= usage.granted
    return {
      refusal: refusalOf(client, { request, hasToken, facts }),
      client,
      tokensLeft: hasToken ? Math.floor(client.tokens) : 0,
      callerWaitSeconds: mayAsk ? 0 : waitSeconds(usage, facts),
    }
  })
}

/** In the order of D6. */
function refusalOf(
  client: AdmissibleClient,
  {
    request,
    hasToken,
    facts,
  }: { request: AdmissionRequest; hasToken: boolean; facts: Pick<AdmissionFacts<never>, 'isWithin' | 'now'> },
): Refusal | null {
  if (client.disabledAt) return refuse('client_disabled')
  if (client.onlyNetworks !== null && !facts.isWithin(client.onlyNetworks, request.address))
    return refuse('ip_not_allowed')
  return hasToken ? null : refuseRate(client, facts.now)
}

/** One token flows in every 1/rate seconds; a whole second is the least that Retry-After can say. */
function refuseRate({ requestsPerSecond }: AdmissibleClient, now: Date): Refusal {
  const refilledAt = new Date(now.getTime() + 1000 / requestsPerSecond)
  return refuse('rate_limited', { retryAfterSeconds: Math.max(1, secondsUntil(refilledAt, now)) })
}

function waitSeconds(
  { oldestAt }: CallerUsage,
  { callerSeconds, now }: Pick<AdmissionFacts<never>, 'callerSeconds' | 'now'>,
): number {
  return Math.max(1, secondsUntil(new Date(oldestAt.getTime() + callerSeconds * 1000), now))
}

/** Returns how many there were, with this one. */
function useOne(used: Map<string, number>, key: string): number {
  const uses = (used.get(key) ?? 0) + 1
  used.set(key, uses)
  return uses
}
