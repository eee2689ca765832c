// Who asks: the operator's token may do all, an owner's what is for owners, in its own workspace only.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { recogniseOwner } from '../actions/manage-owner-tokens.ts'
import type { Caller, Ports } from '../actions/ports.ts'
import { type Manager, onlyWorkspace } from '../domain/actor.ts'
import { hashApiKey } from '../domain/api-key.ts'
import { mayUse } from '../domain/permission.ts'
import { type Refusal, refuse } from '../domain/refusals.ts'
import { sendRefusal } from '../http/reply.ts'
import { WrongSecrets } from '../http/wrong-secrets.ts'
import type { Db } from '../store/db.ts'
import { findWorkspace, type Workspace } from '../store/workspaces.ts'
import { permissionOf } from './endpoint.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Manager | null
  }
}

/** Tells of a request that lasts whether whoever made it might still make it, and as the same. */
export type IsStillAllowed = (request: FastifyRequest) => Promise<boolean>

export function authenticateManagers(app: FastifyInstance, ports: Ports, operatorToken: string): IsStillAllowed {
  const operatorHash = sha256(operatorToken)
  const wrong = new WrongSecrets()
  const isOperator = (token: string) => timingSafeEqual(sha256(token), operatorHash)
  const ownerOf = async (token: string): Promise<Manager | null> => {
    const hash = hashApiKey(token)
    if (wrong.has(hash)) return null
    const owner = await recogniseOwner(ports, hash)
    if (!owner) wrong.add(hash)
    return owner && { kind: 'owner', tokenId: owner.id, workspaceId: owner.workspaceId }
  }
  app.decorateRequest('actor', null)
  app.addHook('onRoute', (route) => void permissionOf(route))
  // To an owner, an address that is not there and one that is not theirs look the same to the letter.
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, refuse('not_found')))
  const recognise = async (request: FastifyRequest): Promise<Refusal | null> => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) return refuse('unauthorized', { error: 'Missing bearer token' })
    request.actor = isOperator(token) ? { kind: 'operator' } : await ownerOf(token)
    if (request.actor === null) return refuse('unauthorized', { error: 'Invalid token' })
    // What somebody may not do answers as if it did not exist.
    const { permission } = request.routeOptions.config
    return permission && mayUse(request.actor.kind, permission) ? null : refuse('not_found')
  }
  app.addHook('onRequest', async (request, reply) => {
    const refusal = await recognise(request)
    if (refusal) return sendRefusal(reply, refusal)
  })
  return async (request) => {
    const before = request.actor?.kind
    return (await recognise(request)) === null && request.actor?.kind === before
  }
}

/** Whose connections serve a request: owners have others than the operator, who is never kept waiting by them (D43). */
export function dbOf(ports: Ports, request: FastifyRequest): Db {
  return ports.managementDb(callerOf(request).actor)
}

export function callerOf(request: FastifyRequest): Caller & { actor: Manager } {
  if (request.actor === null) throw new Error('a management route was reached without authentication')
  return { actor: request.actor, address: request.ip, requestId: request.id }
}

/** The workspace in the address, if there is one that whoever asks may see. */
export function findAskedWorkspace(
  ports: Ports,
  request: FastifyRequest<{ Params: { id: string } }>,
): Promise<Workspace | null> {
  return findWorkspace(dbOf(ports, request), { id: request.params.id, within: onlyWorkspace(callerOf(request).actor) })
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
