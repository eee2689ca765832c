// Admission of API requests: key, client, address, request rate (§5.2, D6, D26), for a batch at once.
import { type Refusal, refuse } from '../refusals.ts'
import { secondsUntil } from '../sliding-window.ts'

export interface AdmissionRequest {
  apiKeyHash: string
  address: string
  /** The name of the calling address for an OTP request, which counts toward its limit (D39); null for other requests. */
  caller: string | null
}

export interface AdmissibleClient {
  id: string
  disabledAt: Date | null
  requestsPerSecond: number
  /** Separated by commas. */
  onlyNetworks: string | null
  /** How many requests of the batch got a token. */
  granted: number
  /** The tokens left after them. */
  tokens: number
}

export interface CallerUsage {
  /** How many requests of the batch were within the limit. */
  granted: number
  /** The oldest one that counts. */
  oldestAt: Date
}

export interface AdmissionFacts<Client> {
  /** By key hash. */
  clients: ReadonlyMap<string, Client>
  /** By `callerKey`. */
  callers: ReadonlyMap<string, CallerUsage>
  /** How long an OTP request counts toward the limit of its address. */
  callerSeconds: number
  isWithin: (networks: string, address: string) => boolean
  now: Date
}

export function callerKey({ clientId, caller }: { clientId: string; caller: string | null }): string {
  return `${clientId}:${caller}`
}

export interface AdmissionDecision<Client> {
  /** null if the request is admitted. */
  refusal: Refusal | null
  /** The client of the key, also for most rejected requests. */
  client: Client | null
  /** Tokens left, for the RateLimit header (D28). */
  tokensLeft: number
  /** How long its calling address must wait before the next OTP request (§8.2); 0 for now. */
  callerWaitSeconds: number
}

export const UNKNOWN_CLIENT = { client: null, tokensLeft: 0, callerWaitSeconds: 0 }

/** The first requests get the granted tokens. Every request with a known key costs a token, also a rejected one (D43). */
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

/** The bucket gains a token every 1/rate seconds; Retry-After has a minimum of one second. */
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

/** Returns the number of uses, including this one. */
function useOne(used: Map<string, number>, key: string): number {
  const uses = (used.get(key) ?? 0) + 1
  used.set(key, uses)
  return uses
}
