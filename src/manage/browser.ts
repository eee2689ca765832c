// What a browser sends and keeps: the cookies of who is signed in, and how a change from the console is told from one from elsewhere.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IssuedSession, SignInOrigin } from '../actions/people/sessions.ts'
import { LONGEST_DAYS } from '../domain/people/session.ts'
import { type Refusal, refuse } from '../domain/refusals.ts'
import { addressOf, type PublicUrl } from '../http/address.ts'

const DAY_SECONDS = 86_400
const DEVICE_DAYS = 365
const LONGEST_USER_AGENT = 300

type CookieName = 'hulaki' | 'hulaki-device' | 'hulaki-oidc'

/** Over https a cookie that no other host can have planted; http is for this machine alone, where nobody listens in. */
const NAME_OVER_HTTPS = '__Host-'

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
  const plain = isThisMachine(request.hostname) ? cookies.get(name) : undefined
  return cookies.get(`${NAME_OVER_HTTPS}${name}`) ?? plain ?? null
}

function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)
}

export function fromOf(request: FastifyRequest): SignInOrigin {
  const userAgent = request.headers['user-agent']?.replaceAll(/[^\x20-\x7e]/g, '').slice(0, LONGEST_USER_AGENT) || null
  return { address: request.ip, requestId: request.id, userAgent, device: cookieOf(request, 'hulaki-device') }
}

export function giveTickets(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, device }: Pick<IssuedSession, 'token' | 'device'>,
  publicUrl: PublicUrl = null,
): void {
  const cookies = [
    cookie(request, 'hulaki', { value: token, seconds: LONGEST_DAYS * DAY_SECONDS, publicUrl }),
    cookie(request, 'hulaki-device', { value: device, seconds: DEVICE_DAYS * DAY_SECONDS, publicUrl }),
  ]
  reply.header('set-cookie', cookies)
}

export function takeTicket(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', cookie(request, 'hulaki', { value: '', seconds: 0, publicUrl: null }))
}

const ON_THE_WAY_SECONDS = 300

/** While somebody is at the provider: only the browser that went there comes back. */
export function giveClaim(request: FastifyRequest, reply: FastifyReply, value: string, publicUrl: PublicUrl): void {
  reply.header('set-cookie', cookie(request, 'hulaki-oidc', { value, seconds: ON_THE_WAY_SECONDS, publicUrl }))
}

export function claimOf(request: FastifyRequest): string | null {
  return cookieOf(request, 'hulaki-oidc')
}

interface Cookie {
  value: string
  seconds: number
  publicUrl: PublicUrl
}

function cookie(request: FastifyRequest, name: CookieName, { value, seconds, publicUrl }: Cookie): string {
  const rest = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`
  return isHttps(request, publicUrl)
    ? `${NAME_OVER_HTTPS}${name}=${value}; ${rest}; Secure`
    : `${name}=${value}; ${rest}`
}

/** As the browser sees it, which a proxy in front need not have told us. */
function isHttps(request: FastifyRequest, publicUrl: PublicUrl = null): boolean {
  const origin = originOf(request) ?? publicUrl
  return origin ? origin.protocol === 'https:' : request.protocol === 'https'
}

function originOf(request: FastifyRequest): URL | null {
  const { origin } = request.headers
  return typeof origin === 'string' ? URL.parse(origin) : null
}

const NO_BODY = refuse('invalid_request', {
  error: 'A change from a browser needs a JSON body; send {} where there is nothing to say',
})
const FROM_ELSEWHERE = refuse('forbidden', { error: 'This request does not come from the console of this service' })
const NO_TLS = refuse('forbidden', {
  error: 'Open the console over https to sign in, or on the machine that it runs on',
})

/**
 * Other sites may make a browser send its cookies along, but neither a JSON body nor, with one, an Origin that is ours. Without a
 * cookie it is about signing in, which another site must not do for somebody either.
 */
export function judgeChange(request: FastifyRequest, publicUrl: PublicUrl): Refusal | null {
  const { headers } = request
  const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
  const site = headers['sec-fetch-site']
  const origin = originOf(request)
  if (site !== undefined && site !== 'same-origin') return FROM_ELSEWHERE
  if (headers.origin === undefined ? site === undefined : !isOurs(request, origin, publicUrl)) return FROM_ELSEWHERE
  return isJson && hasBody ? null : NO_BODY
}

function isOurs(request: FastifyRequest, origin: URL | null, publicUrl: PublicUrl): boolean {
  if (origin === null || (origin.protocol === 'http:' && isOnlyHttps(request, publicUrl))) return false
  return origin.host === request.host || origin.origin === publicUrl?.origin
}

/** Behind a proxy that does not say so, the cookie does: a browser keeps one of that name only over https. */
function isOnlyHttps(request: FastifyRequest, publicUrl: PublicUrl): boolean {
  if (request.protocol === 'https') return true
  if (isThisMachine(request.hostname)) return false
  return publicUrl?.protocol === 'https:' || (request.headers.cookie ?? '').includes(NAME_OVER_HTTPS)
}

/** A cookie that anybody on the way could read is not given. */
export function judgeWire(request: FastifyRequest): Refusal | null {
  return isHttps(request) || isThisMachine(request.hostname) ? null : NO_TLS
}

/** Where passkeys are good. A change says where it is from. */
export function siteOf(request: FastifyRequest): { origin: string; host: string } {
  const { origin, hostname } = originOf(request) ?? new URL(`${request.protocol}://${request.host}`)
  return { origin, host: hostname }
}

/** A secret stands behind the #, which no browser sends to anybody and no proxy writes down. */
export function linkTo(request: FastifyRequest, secret: string, publicUrl: PublicUrl): string {
  return consoleLink(addressOf(request, publicUrl), secret)
}

export function consoleLink(origin: string, secret: string): string {
  return `${origin}/console/welcome#${secret}`
}
