// The door of the v1 API (§5, D6): key, client, address, request rate, and for sends the workspace's status.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Admission, AdmitRequest, Turned } from '../actions/admit-request.ts'
import { OVERLOADED, type Refusal, refuse } from '../domain/refusals.ts'
import { FailureThrottle } from '../http/failure-throttle.ts'
import { sendRefusal } from '../http/reply.ts'
import type { KnownClient } from '../store/admission.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What it sends waits in the accept lane. */
    sends?: boolean
  }
  interface FastifyRequest {
    client: KnownClient | null
  }
}

/** What the door may answer on every endpoint, and what it adds before a POST. */
export const DOOR_REFUSALS = [
  'unauthorized',
  'client_disabled',
  'ip_not_allowed',
  'rate_limited',
  'server_error',
  'unavailable',
] as const
export const POST_DOOR_REFUSALS = [...DOOR_REFUSALS, 'workspace_pending', 'workspace_suspended'] as const

const LONGEST_KEY = 200

export interface Door {
  admitRequest: AdmitRequest
  /** True while every send is refused: it is told so before any work is done for it. */
  isOverloaded: () => boolean
}

export function authenticateClients(app: FastifyInstance, { admitRequest, isOverloaded }: Door): void {
  const throttle = new FailureThrottle()
  app.decorateRequest('client', null)
  const judge = (request: FastifyRequest, reply: FastifyReply, admission: Admission | Turned): Refusal | null => {
    if (admission.client) showRate(reply, admission.client, 'refusal' in admission ? 0 : admission.tokensLeft)
    if ('refusal' in admission) {
      const retryAfterSeconds = admission.refusal.code === 'unauthorized' ? throttle.failed(request.ip) : 0
      return retryAfterSeconds > 0 ? refuse('rate_limited', { retryAfterSeconds }) : admission.refusal
    }
    request.client = admission.client
    return judgeWorkspace(request, admission.client)
  }
  // With a callback: of every request, a promise less.
  app.addHook('onRequest', (request, reply, done) => {
    const apiKey = request.headers['x-api-key']
    if (typeof apiKey !== 'string' || apiKey === '')
      return void sendRefusal(reply, refuse('unauthorized', { error: 'Missing x-api-key' }))
    if (request.routeOptions.config.sends && isOverloaded()) return void sendRefusal(reply, OVERLOADED)
    const admitted = (admission: Admission | Turned) => {
      const refusal = judge(request, reply, admission)
      if (refusal) sendRefusal(reply, refusal)
      else done()
    }
    if (apiKey.length > LONGEST_KEY) admitted(unknownKey())
    else admitRequest(apiKey, request.ip).then(admitted).catch(done)
  })
}

export function clientOf(request: FastifyRequest): KnownClient {
  if (request.client === null) throw new Error('a route of the API was reached without authentication')
  return request.client
}

function unknownKey(): Turned {
  return { refusal: refuse('unauthorized', { error: 'Invalid API key' }), client: null }
}

/** §5.3: only sends depend on the workspace's status. */
function judgeWorkspace({ method }: FastifyRequest, { workspaceStatus }: KnownClient): Refusal | null {
  if (method !== 'POST' || workspaceStatus === 'active') return null
  return refuse(workspaceStatus === 'pending' ? 'workspace_pending' : 'workspace_suspended')
}

/** D28: the policy is a bucket of one second's requests, and this is what is left of it. */
function showRate(reply: FastifyReply, { requestsPerSecond }: KnownClient, tokensLeft: number): void {
  reply.header('ratelimit-policy', `"client";q=${requestsPerSecond};w=1`)
  reply.header('ratelimit', `"client";r=${tokensLeft};t=1`)
}
