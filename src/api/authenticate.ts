// The door of the v1 API (§5, D6): key, client, address, request rate, and for sends the workspace's status.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Admission, AdmitRequest } from '../actions/admit-request.ts'
import { refuse } from '../domain/refusals.ts'
import { FailureThrottle } from '../http/failure-throttle.ts'
import { sendRefusal } from '../http/reply.ts'
import type { KnownClient } from '../store/admission.ts'

declare module 'fastify' {
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

export function authenticateClients(app: FastifyInstance, admitRequest: AdmitRequest): void {
  const throttle = new FailureThrottle()
  app.decorateRequest('client', null)
  app.addHook('onRequest', async (request, reply) => {
    const retryAfterSeconds = throttle.secondsLeft(request.ip)
    if (retryAfterSeconds > 0) return sendRefusal(reply, refuse('rate_limited', { retryAfterSeconds }))
    const apiKey = request.headers['x-api-key']
    if (typeof apiKey !== 'string' || apiKey === '') {
      return sendRefusal(reply, refuse('unauthorized', { error: 'Missing x-api-key' }))
    }
    const admission = apiKey.length > LONGEST_KEY ? unknownKey() : await admitRequest(apiKey, request.ip)
    if (admission.client) showRate(reply, admission.client, 'refusal' in admission ? 0 : admission.tokensLeft)
    if ('refusal' in admission) {
      if (admission.refusal.code === 'unauthorized') throttle.failed(request.ip)
      return sendRefusal(reply, admission.refusal)
    }
    request.client = admission.client
    return judgeWorkspace(request, reply, admission)
  })
}

export function clientOf(request: FastifyRequest): KnownClient {
  if (request.client === null) throw new Error('a route of the API was reached without authentication')
  return request.client
}

function unknownKey() {
  return { refusal: refuse('unauthorized', { error: 'Invalid API key' }), client: null }
}

/** §5.3: only sends depend on the workspace's status. */
function judgeWorkspace(request: FastifyRequest, reply: FastifyReply, { client }: Admission): FastifyReply | undefined {
  if (request.method !== 'POST' || client.workspaceStatus === 'active') return undefined
  return sendRefusal(reply, refuse(client.workspaceStatus === 'pending' ? 'workspace_pending' : 'workspace_suspended'))
}

/** D28: the policy is a bucket of one second's requests, and this is what is left of it. */
function showRate(reply: FastifyReply, { requestsPerSecond }: KnownClient, tokensLeft: number): void {
  reply.header('ratelimit-policy', `"client";q=${requestsPerSecond};w=1`)
  reply.header('ratelimit', `"client";r=${tokensLeft};t=1`)
}
