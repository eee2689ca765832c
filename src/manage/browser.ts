// Cookies of the console, and the protection of its changes against other sites (CSRF).
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IssuedSession, SignInOrigin } from '../actions/people/sessions.ts'
import { DAY_SECONDS } from '../domain/durations.ts'
import { MAX_SESSION_DAYS } from '../domain/people/session.ts'
import { type Refusal, refuse } from '../domain/refusals.ts'
import { type PublicUrl, serviceAddress } from '../http/address.ts'

const DEVICE_DAYS = 365
const MAX_USER_AGENT_LENGTH = 300

type CookieName = 'hulaki' | 'hulaki-device' | 'hulaki-oidc'

/** Prevents that another host sets the cookie over https. Plain http is only for localhost. */
const HTTPS_PREFIX = '__Host-'

export function sessionTokenOf(request: FastifyRequest): string | null {
  return cookieOf(request, 'hulaki')
}

function cookieOf(request: FastifyRequest, name: CookieName): string | null {
  const cookies = new Map(
    (request.headers.cookie ?? '').split(';').map((pair) => {
      const [key = '', ...value] = pair.split('=')
      return [key.trim(), value.join('=').trim()]
    }),
  )
  const plain = isLocalhost(request.hostname) ? cookies.get(name) : undefined
  return cookies.get(`${HTTPS_PREFIX}${name}`) ?? plain ?? null
}

function isLocalhost(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)
}

export function fromOf(request: FastifyRequest): SignInOrigin {
  const userAgent =
    request.headers['user-agent']?.replaceAll(/[^\x20-\x7e]/g, '').slice(0, MAX_USER_AGENT_LENGTH) || null
  return { address: request.ip, requestId: request.id, userAgent, device: cookieOf(request, 'hulaki-device') }
}

export function setSessionCookies(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, device }: Pick<IssuedSession, 'token' | 'device'>,
  publicUrl: PublicUrl = null,
): void {
  const cookies = [
    cookie(request, 'hulaki', { value: token, seconds: MAX_SESSION_DAYS * DAY_SECONDS, publicUrl }),
    cookie(request, 'hulaki-device', { value: device, seconds: DEVICE_DAYS * DAY_SECONDS, publicUrl }),
  ]
  reply.header('set-cookie', cookies)
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', cookie(request, 'hulaki', { value: '', seconds: 0, publicUrl: null }))
}

const PROVIDER_SECONDS = 300

/** Binds the sign-in at the provider to this browser. */
export function setProviderCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  value: string,
  publicUrl: PublicUrl,
): void {
  reply.header('set-cookie', cookie(request, 'hulaki-oidc', { value, seconds: PROVIDER_SECONDS, publicUrl }))
}

export function readProviderCookie(request: FastifyRequest): string | null {
  return cookieOf(request, 'hulaki-oidc')
}

interface Cookie {
  value: string
  seconds: number
  publicUrl: PublicUrl
}

function cookie(request: FastifyRequest, name: CookieName, { value, seconds, publicUrl }: Cookie): string {
  const rest = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`
  return isHttps(request, publicUrl) ? `${HTTPS_PREFIX}${name}=${value}; ${rest}; Secure` : `${name}=${value}; ${rest}`
}

/** Whether the browser uses https. The Origin header counts first, because a proxy may not forward the protocol. */
function isHttps(request: FastifyRequest, publicUrl: PublicUrl = null): boolean {
  const origin = originOf(request) ?? publicUrl
  return origin ? origin.protocol === 'https:' : request.protocol === 'https'
}

function originOf(request: FastifyRequest): URL | null {
  const { origin } = request.headers
  return typeof origin === 'string' ? URL.parse(origin) : null
}

const NO_BODY = refuse('invalid_request', {
  error: 'A change from a browser needs a JSON body; send at least {}',
})
export const FOREIGN_ORIGIN = refuse('forbidden', {
  error: 'This request does not come from the console of this service; open the console and try again',
})
const NO_TLS = refuse('forbidden', {
  error: 'Signing in needs https; open the console over https, or on localhost',
})

/**
 * Another site can make a browser send its cookies, but cannot send a JSON body with the origin of the console. This also holds
 * without a cookie: another site must not sign a person in.
 */
export function checkOrigin(request: FastifyRequest, publicUrl: PublicUrl): Refusal | null {
  const { headers } = request
  const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
  const site = headers['sec-fetch-site']
  const origin = originOf(request)
  if (site !== undefined && site !== 'same-origin') return FOREIGN_ORIGIN
  if (headers.origin === undefined ? site === undefined : !isOwnOrigin(request, origin, publicUrl))
    return FOREIGN_ORIGIN
  return isJson && hasBody ? null : NO_BODY
}

function isOwnOrigin(request: FastifyRequest, origin: URL | null, publicUrl: PublicUrl): boolean {
  if (origin === null || (origin.protocol === 'http:' && isOnlyHttps(request, publicUrl))) return false
  return origin.host === request.host || origin.origin === publicUrl?.origin
}

/** If a proxy does not forward the protocol, the cookie shows it: browsers keep the prefix only over https. */
function isOnlyHttps(request: FastifyRequest, publicUrl: PublicUrl): boolean {
  if (request.protocol === 'https') return true
  if (isLocalhost(request.hostname)) return false
  return publicUrl?.protocol === 'https:' || (request.headers.cookie ?? '').includes(HTTPS_PREFIX)
}

/** Session cookies are not sent over plain http, where others could read them. */
export function checkHttps(request: FastifyRequest): Refusal | null {
  return isHttps(request) || isLocalhost(request.hostname) ? null : NO_TLS
}

/** The site of a passkey, from the Origin header of the change. */
export function siteOf(request: FastifyRequest): { origin: string; host: string } {
  const { origin, hostname } = originOf(request) ?? new URL(`${request.protocol}://${request.host}`)
  return { origin, host: hostname }
}

/** The secret is behind the #, so browsers do not send it and proxies do not log it. */
export function linkFor(request: FastifyRequest, secret: string, publicUrl: PublicUrl): string {
  return consoleLink(serviceAddress(request, publicUrl), secret)
}

export function consoleLink(origin: string, secret: string): string {
  return `${origin}/console/welcome#${secret}`
}
