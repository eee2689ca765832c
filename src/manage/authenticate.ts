// Authentication and authorization of the management API: programs send a token, people have a session cookie.
import { createHash, timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authenticateToken } from '../actions/people/manage-owner-tokens.ts'
import { authenticateSession } from '../actions/people/sessions.ts'
import type { Caller, Ports } from '../actions/ports.ts'
import { actorOf, type Manager, onlyWorkspace } from '../domain/people/actor.ts'
import { canUse, type Permission } from '../domain/people/permission.ts'
import { freshUntil } from '../domain/people/session.ts'
import { type Refusal, refuse } from '../domain/refusals.ts'
import { hashSecret } from '../domain/workspaces/api-key.ts'
import type { PublicUrl } from '../http/address.ts'
import { requireFound, sendRefusal } from '../http/reply.ts'
import { WrongSecrets } from '../http/wrong-secrets.ts'
import type { Db } from '../store/database/db.ts'
import type { KnownSession } from '../store/people/sessions.ts'
import { type Client, findClient } from '../store/workspaces/clients.ts'
import { findWorkspace, type Workspace } from '../store/workspaces/workspaces.ts'
import { checkOrigin, sessionTokenOf } from './browser.ts'
import { permissionOf } from './endpoint.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Manager | null
    /** The session of a person; null for programs. */
    session: KnownSession | null
  }
}

interface AuthenticationOptions {
  operatorToken: string
  publicUrl: PublicUrl
}

/** Checks during a long request whether its caller still has the same access. */
export type IsStillAllowed = (request: FastifyRequest) => Promise<boolean>

export function authenticateManagers(
  app: FastifyInstance,
  ports: Ports,
  options: AuthenticationOptions,
): IsStillAllowed {
  const identify = createIdentifier(ports, options.operatorToken)
  app.decorateRequest('actor', null)
  app.decorateRequest('session', null)
  app.addHook('onRoute', (route) => void permissionOf(route))
  // An unknown path has the same answer as a path without access.
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, refuse('not_found')))
  app.addHook('onRequest', async (request, reply) => {
    const refusal = await authorize(request)
    if (refusal) return sendRefusal(reply, refusal)
  })
  return async (request) => {
    // Compares person, workspace and role: a person who was removed here may have the same role elsewhere (D67).
    const before = request.actor
    return (await authorize(request)) === null && isDeepStrictEqual(request.actor, before)
  }

  async function authorize(request: FastifyRequest): Promise<Refusal | null> {
    const { permission } = request.routeOptions.config
    const unknownCaller = await identify(request)
    const isPublic = permission !== undefined && canUse('anybody', permission)
    if (unknownCaller && !isPublic) return unknownCaller
    // A call without permission answers as if it did not exist.
    if (!permission || !(isPublic || isFor(request, permission))) return refuse('not_found')
    return checkBrowser(request, permission)
  }

  /** Checks for browsers: the origin of a change, and the age of the sign-in. */
  function checkBrowser(request: FastifyRequest, permission: Permission): Refusal | null {
    const isByBrowser = request.session !== null || canUse('anybody', permission)
    const isChange = request.method !== 'GET' && request.method !== 'HEAD'
    const foreign = isByBrowser && isChange ? checkOrigin(request, options.publicUrl) : null
    if (foreign || !permission.fresh || !request.session) return foreign
    return freshUntil(request.session) > ports.clock.now() ? null : refuse('sign_in_again')
  }
}

/** The returned function sets actor and session of a request, or returns a refusal. */
function createIdentifier(ports: Ports, operatorToken: string) {
  const operatorHash = sha256(operatorToken)
  const wrong = new WrongSecrets()
  const lookUp = async <Identity>(
    secret: string,
    find: (hash: string) => Promise<Identity | null>,
  ): Promise<Identity | null> => {
    const hash = hashSecret(secret)
    if (wrong.has(hash)) return null
    const known = await find(hash)
    if (known === null) wrong.add(hash)
    return known
  }
  const byToken = (token: string): Promise<Manager | null> | Manager =>
    timingSafeEqual(sha256(token), operatorHash)
      ? { kind: 'operator' }
      : lookUp(token, (hash) => authenticateToken(ports, hash))
  return async (request: FastifyRequest): Promise<Refusal | null> => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token !== undefined) {
      request.actor = await byToken(token)
      return request.actor ? null : refuse('unauthorized', { error: 'Invalid token' })
    }
    const cookie = sessionTokenOf(request)
    if (cookie === null) return refuse('unauthorized', { error: 'Missing bearer token' })
    const workspaceId = workspaceIn(request)
    request.session = await lookUp(cookie, (hash) => authenticateSession(ports, { hash, workspaceId }))
    request.actor = request.session && actorIn(request.session, workspaceId)
    return request.actor ? null : refuse('unauthorized', { error: 'The session has ended; sign in again' })
  }
}

function actorIn(session: KnownSession, workspaceId: string | null): Manager | null {
  const { personId, isOperator, requestedRole, homeId, homeRole } = session
  const requested = requestedRole && workspaceId !== null ? { workspaceId, role: requestedRole } : null
  const home = homeId && homeRole ? { workspaceId: homeId, role: homeRole } : null
  return actorOf({ personId, isOperator, requested, home })
}

/** A person selects a workspace by the path or by a header; a token belongs to one workspace. */
function workspaceIn(request: FastifyRequest): string | null {
  const { id } = request.params as { id?: string }
  const named = isInPath(request) ? id : headerWorkspace(request)
  return named !== undefined && UUID.test(named) ? named.toLowerCase() : null
}
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

function isInPath({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.includes('/workspaces/:id') ?? false
}

export function headerWorkspace(request: FastifyRequest): string | undefined {
  const named = request.headers['x-workspace']
  return typeof named === 'string' ? named : undefined
}

function isFor(request: FastifyRequest, permission: Permission): boolean {
  const { actor, session } = request
  if (!actor || !canUse(actor.kind, permission)) return false
  if (permission.scope === 'person') return session !== null
  // A call for a workspace of which the person is no member must not act on their home workspace.
  const isElsewhere = session?.requestedRole === null && !session.isOperator && headerWorkspace(request) !== undefined
  return permission.scope === 'caller' || !isElsewhere || isInPath(request)
}

/** Operators have their own connections, so that calls of workspaces never delay them (D43). */
export function dbOf(ports: Ports, request: FastifyRequest): Db {
  return ports.managementDb(callerOf(request).actor)
}

export function callerOf(request: FastifyRequest): Caller & { actor: Manager } {
  if (request.actor === null) throw new Error('a management route ran without authentication')
  return { actor: request.actor, address: request.ip, requestId: request.id }
}

/** For routes that only people can use. */
export function sessionOf(request: FastifyRequest): KnownSession {
  if (request.session === null) throw new Error('a route for people ran for a program')
  return request.session
}

type RequestById = FastifyRequest<{ Params: { id: string } }>

/** The workspace of the path. Throws `NotFound` if the caller cannot see it. */
export async function loadWorkspace(ports: Ports, request: RequestById): Promise<Workspace> {
  return requireFound(await findWorkspace(dbOf(ports, request), idWithinAccess(request)))
}

/** The client of the path. Throws `NotFound` if the caller cannot see it. */
export async function loadClient(ports: Ports, request: RequestById): Promise<Client> {
  return requireFound(await findClient(dbOf(ports, request), idWithinAccess(request)))
}

function idWithinAccess(request: RequestById) {
  return { id: request.params.id, within: onlyWorkspace(callerOf(request).actor) }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
