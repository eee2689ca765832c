// Authentication and admission of the v1 API (§5, D6): key, client, address, rate limit, and for POSTs the workspace status.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Admission, AdmitRequest } from '../actions/workspaces/admit-request.ts'
import { addressName } from '../domain/network.ts'
import { type Refusal, refuse } from '../domain/refusals.ts'
import { hashSecret } from '../domain/workspaces/api-key.ts'
import { refuseInactive } from '../domain/workspaces/workspace.ts'
import { refusalOf, sendRefusal, UNKNOWN_PATH } from '../http/reply.ts'
import { WrongSecrets } from '../http/wrong-secrets.ts'
import type { KnownClient } from '../store/workspaces/admission.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests are limited by calling address (§8.2). */
    countsCallers?: boolean
  }
  interface FastifyRequest {
    client: KnownClient | null
    /** The client of the key, also if the request is refused. */
    keyOf: KnownClient | null
    /** How long the calling address has to wait, on routes with `countsCallers`. */
    callerWaitSeconds: number
  }
}

/** Errors of admission on every endpoint, and on POST endpoints. */
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
  // With a callback, which saves a promise per request.
  app.addHook('onRequest', (request, reply, done) => {
    // An unknown path needs no key; with a key it counts towards the rate limit like any request (D28, D43).
    const reject = (refusal: Refusal) => void sendRefusal(reply, request.is404 ? UNKNOWN_PATH : refusal)
    const apiKey = request.headers['x-api-key']
    if (typeof apiKey !== 'string' || apiKey === '')
      return reject(refuse('unauthorized', { error: 'Missing x-api-key' }))
    const apiKeyHash = hashSecret(apiKey)
    if (wrong.has(apiKeyHash)) return reject(refuse('unauthorized', { error: 'Invalid API key' }))
    const admitted = (admission: Admission) => {
      const refusal = applyAdmission(request, reply, admission)
      if (refusal?.code === 'unauthorized') {
        wrong.add(apiKeyHash)
        reject(refusal)
      } else if (refusal) sendRefusal(reply, refusal)
      else done()
    }
    const caller = request.routeOptions.config.countsCallers ? addressName(request.ip) : null
    admitRequest({ apiKeyHash, address: request.ip, caller }).then(admitted).catch(done)
  })
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, UNKNOWN_PATH))
  // D6: the workspace status is checked before the body, so only an active workspace sees errors of the body.
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const inactive = checkWorkspaceStatus(request)
    if (inactive && refusalOf(error, request).status < 500) return sendRefusal(reply, inactive)
    throw error
  })
}

/** Sets the client on the request. Returns the refusal, or null. */
function applyAdmission(request: FastifyRequest, reply: FastifyReply, admission: Admission): Refusal | null {
  const { refusal, client, tokensLeft, callerWaitSeconds } = admission
  request.keyOf = client
  if (client) setRateHeaders(reply, client, tokensLeft)
  if (refusal) return refusal
  request.client = client
  request.callerWaitSeconds = callerWaitSeconds
  // A replay is answered whatever the status (D6), so with a key the accept lane checks the status.
  return 'idempotency-key' in request.headers ? null : checkWorkspaceStatus(request)
}

export function clientOf(request: FastifyRequest): KnownClient {
  if (request.client === null) throw new Error('an API route ran without authentication')
  return request.client
}

/** §5.3: only POSTs depend on the workspace status. */
function checkWorkspaceStatus({ method, client }: FastifyRequest): Refusal | null {
  return method === 'POST' && client ? refuseInactive(client.workspaceStatus) : null
}

/** D28: the rate limit is a bucket with the requests of one second. */
function setRateHeaders(reply: FastifyReply, { requestsPerSecond }: KnownClient, tokensLeft: number): void {
  reply.header('ratelimit-policy', `"client";q=${requestsPerSecond};w=1`)
  reply.header('ratelimit', `"client";r=${tokensLeft};t=1`)
}
