// The door of the v1 API (§5, D6): key, client, address, request rate, and for sends the workspace's status.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Admission, AdmitRequest } from '../actions/workspaces/admit-request.ts'
import { addressName } from '../domain/network.ts'
import { type Refusal, refuse } from '../domain/refusals.ts'
import { hashApiKey } from '../domain/workspaces/api-key.ts'
import { refuseInactive } from '../domain/workspaces/workspace.ts'
import { NO_SUCH_ADDRESS, refusalOf, sendRefusal } from '../http/reply.ts'
import { WrongSecrets } from '../http/wrong-secrets.ts'
import type { KnownClient } from '../store/workspaces/admission.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its calls are counted by their calling address (§8.2). */
    countsCallers?: boolean
  }
  interface FastifyRequest {
    client: KnownClient | null
    /** Whose key it is, also where it comes no further. */
    keyOf: KnownClient | null
    /** Where calls are counted: how long its calling address has to wait. */
    callerWaitSeconds: number
  }
}

/** What admission may answer on every endpoint, and what it adds before a POST. */
export const ADMISSION_REFUSALS = [
  'unauthorized',
  'client_disabled',
  'ip_not_allowed',
  'rate_limited',
  'server_error',
  'unavailable',
] as const
export const POST_ADMISSION_REFUSALS = [...ADMISSION_REFUSALS, 'workspace_pending', 'workspace_suspended'] as const

export function authenticateClients(app: FastifyInstance, admitRequest: AdmitRequest): void {
  const wrong = new WrongSecrets()
  app.decorateRequest('client', null)
  app.decorateRequest('keyOf', null)
  app.decorateRequest('callerWaitSeconds', 0)
  // With a callback: of every request, a promise less.
  app.addHook('onRequest', (request, reply, done) => {
    // An address that is none needs no key; with one it costs a token like any other (D28, D43).
    const turnAway = (refusal: Refusal) => void sendRefusal(reply, request.is404 ? NO_SUCH_ADDRESS : refusal)
    const apiKey = request.headers['x-api-key']
    if (typeof apiKey !== 'string' || apiKey === '')
      return turnAway(refuse('unauthorized', { error: 'Missing x-api-key' }))
    const apiKeyHash = hashApiKey(apiKey)
    if (wrong.has(apiKeyHash)) return turnAway(refuse('unauthorized', { error: 'Invalid API key' }))
    const admitted = (admission: Admission) => {
      const refusal = enter(request, reply, admission)
      if (refusal?.code === 'unauthorized') {
        wrong.add(apiKeyHash)
        turnAway(refusal)
      } else if (refusal) sendRefusal(reply, refusal)
      else done()
    }
    const caller = request.routeOptions.config.countsCallers ? addressName(request.ip) : null
    admitRequest({ apiKeyHash, address: request.ip, caller }).then(admitted).catch(done)
  })
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, NO_SUCH_ADDRESS))
  // D6: the workspace's status comes before the body, whose fault is told only to who may send.
  app.setErrorHandler((fault: FastifyError, request, reply) => {
    const inactive = judgeWorkspace(request)
    if (inactive && refusalOf(fault, request).status < 500) return sendRefusal(reply, inactive)
    throw fault
  })
}

/** Notes on the request who sends it; why it comes no further, or null. */
function enter(request: FastifyRequest, reply: FastifyReply, admission: Admission): Refusal | null {
  const { refusal, client, tokensLeft, callerWaitSeconds } = admission
  request.keyOf = client
  if (client) showRate(reply, client, tokensLeft)
  if (refusal) return refusal
  request.client = client
  request.callerWaitSeconds = callerWaitSeconds
  // It may be a replay, which comes before the status (D6): then the lane judges both, and no look more is needed.
  return 'idempotency-key' in request.headers ? null : judgeWorkspace(request)
}

export function clientOf(request: FastifyRequest): KnownClient {
  if (request.client === null) throw new Error('a route of the API was reached without authentication')
  return request.client
}

/** §5.3: only sends depend on the workspace's status. */
function judgeWorkspace({ method, client }: FastifyRequest): Refusal | null {
  return method === 'POST' && client ? refuseInactive(client.workspaceStatus) : null
}

/** D28: the policy is a bucket of one second's requests, and this is what is left of it. */
function showRate(reply: FastifyReply, { requestsPerSecond }: KnownClient, tokensLeft: number): void {
  reply.header('ratelimit-policy', `"client";q=${requestsPerSecond};w=1`)
  reply.header('ratelimit', `"client";r=${tokensLeft};t=1`)
}
