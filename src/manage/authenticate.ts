// Who asks: a program by its token, a person by the cookie of a session. The operator may do all, who belongs to a workspace what is
// for its role, in that workspace only.
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
import { hashApiKey } from '../domain/workspaces/api-key.ts'
import type { PublicUrl } from '../http/address.ts'
import { sendRefusal } from '../http/reply.ts'
import { WrongSecrets } from '../http/wrong-secrets.ts'
import type { Db } from '../store/database/db.ts'
import type { KnownSession } from '../store/people/sessions.ts'
import { findWorkspace, type Workspace } from '../store/workspaces/workspaces.ts'
import { judgeChange, sessionTokenOf } from './browser.ts'
import { permissionOf } from './endpoint.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Manager | null
    /** Of a person who signed in; null for programs. */
    session: KnownSession | null
  }
}

interface Doorkeeping {
  operatorToken: string
  publicUrl: PublicUrl
}

/** Tells of a request that lasts whether whoever made it might still make it, and as the same. */
export type IsStillAllowed = (request: FastifyRequest) => Promise<boolean>

export function authenticateManagers(app: FastifyInstance, ports: Ports, options: Doorkeeping): IsStillAllowed {
  const recognise = recogniser(ports, options.operatorToken)
  app.decorateRequest('actor', null)
  app.decorateRequest('session', null)
  app.addHook('onRoute', (route) => void permissionOf(route))
  // To an owner, an address that is not there and one that is not theirs look the same to the letter.
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, refuse('not_found')))
  app.addHook('onRequest', async (request, reply) => {
    const refusal = await judge(request)
    if (refusal) return sendRefusal(reply, refusal)
  })
  return async (request) => {
    // The person, the place and the role: who is removed here may have the same role elsewhere (D67).
    const before = request.actor
    return (await judge(request)) === null && isDeepStrictEqual(request.actor, before)
  }

  async function judge(request: FastifyRequest): Promise<Refusal | null> {
    const { permission } = request.routeOptions.config
    const stranger = await recognise(request)
    const isForAnybody = permission !== undefined && canUse('anybody', permission)
    if (stranger && !isForAnybody) return stranger
    // What somebody may not do answers as if it did not exist.
    if (!permission || !(isForAnybody || isFor(request, permission))) return refuse('not_found')
    return judgePerson(request, permission)
  }

  /** What programs need not bear in mind: where a change comes from, and how long ago somebody showed who they are. */
  function judgePerson(request: FastifyRequest, permission: Permission): Refusal | null {
    const isByBrowser = request.session !== null || canUse('anybody', permission)
    const isChange = request.method !== 'GET' && request.method !== 'HEAD'
    const fromElsewhere = isByBrowser && isChange ? judgeChange(request, options.publicUrl) : null
    if (fromElsewhere || !permission.fresh || !request.session) return fromElsewhere
    return freshUntil(request.session) > ports.clock.now() ? null : refuse('sign_in_again')
  }
}

/** Finds out who asks, and says so on the request; a refusal where it is nobody. */
function recogniser(ports: Ports, operatorToken: string) {
  const operatorHash = sha256(operatorToken)
  const wrong = new WrongSecrets()
  const known = async <Known>(secret: string, look: (hash: string) => Promise<Known | null>): Promise<Known | null> => {
    const hash = hashApiKey(secret)
    if (wrong.has(hash)) return null
    const found = await look(hash)
    if (found === null) wrong.add(hash)
    return found
  }
  const byToken = (token: string): Promise<Manager | null> | Manager =>
    timingSafeEqual(sha256(token), operatorHash)
      ? { kind: 'operator' }
      : known(token, (hash) => authenticateToken(ports, hash))
  return async (request: FastifyRequest): Promise<Refusal | null> => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token !== undefined) {
      request.actor = await byToken(token)
      return request.actor ? null : refuse('unauthorized', { error: 'Invalid token' })
    }
    const cookie = sessionTokenOf(request)
    if (cookie === null) return refuse('unauthorized', { error: 'Missing bearer token' })
    const workspaceId = workspaceIn(request)
    request.session = await known(cookie, (hash) => authenticateSession(ports, { hash, workspaceId }))
    request.actor = request.session && actorIn(request.session, workspaceId)
    return request.actor ? null : refuse('unauthorized', { error: 'Nobody is signed in here any more' })
  }
}

function actorIn(session: KnownSession, workspaceId: string | null): Manager | null {
  const { personId, isOperator, askedRole, homeId, homeRole } = session
  const asked = askedRole && workspaceId !== null ? { workspaceId, role: askedRole } : null
  const home = homeId && homeRole ? { workspaceId: homeId, role: homeRole } : null
  return actorOf({ personId, isOperator, asked, home })
}

/** A person says where by the address, or beside it; a program's token is for one place. */
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
  // Who means another workspace shall not do in this one what was meant for that.
  const isElsewhere = session?.askedRole === null && !session.isOperator && headerWorkspace(request) !== undefined
  return permission.scope === 'caller' || !isElsewhere || isInPath(request)
}

/** Whose connections serve a request: workspaces have others than the operator, who is never kept waiting by them (D43). */
export function dbOf(ports: Ports, request: FastifyRequest): Db {
  return ports.managementDb(callerOf(request).actor)
}

export function callerOf(request: FastifyRequest): Caller & { actor: Manager } {
  if (request.actor === null) throw new Error('a management route was reached without authentication')
  return { actor: request.actor, address: request.ip, requestId: request.id }
}

/** Of a route that works on what only people have. */
export function sessionOf(request: FastifyRequest): KnownSession {
  if (request.session === null) throw new Error('a route for people was reached by a program')
  return request.session
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
