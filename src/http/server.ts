// One HTTP server per process: health for every role, and whatever the api role mounts on it.
import { readFileSync } from 'node:fs'
import type { Server as TlsServer } from 'node:tls'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { compileNetworkList } from '../domain/network.ts'
import { refuse } from '../domain/refusals.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { trackDraining } from './draining.ts'
import { readJsonBodies } from './json-body.ts'
import { answerFaults, BODY_LIMIT_BYTES, NO_SUCH_ADDRESS, ON_EVERY_ANSWER, sendRefusal } from './reply.ts'
import { type Gate, shedOverload } from './shed.ts'
import { answerOddRequests, answerUnreadable } from './unreadable.ts'
import { zodCompiler } from './validation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** As it is mounted; known once the request is answered. */
    route: string
  }
}

interface ServerOptions {
  log: Log
  ids: Ids
  metrics: Metrics
  trustedProxies: string[]
  tls: { certFile: string; keyFile: string } | null
  gate: Gate
  /** A fault of what the service stands on, not of its own. */
  isOutage: (fault: unknown) => boolean
  /** For tests; everybody else gets the usual. */
  requestMs?: number
}

export interface Server {
  app: FastifyInstance
  /** From now on every answer is the last of its connection. */
  startDraining: () => void
}

/** Whoever drips a request holds a connection no longer than this. */
const REQUEST_MS = 30_000
/** Node looks this often for those whose time is up; its own half a minute would let them stay for twice as long. */
const LOOK_AT_TIMES_MS = 500
/** More than Node takes in: whatever stands in a path, its route answers. */
const LONGEST_PATH = 65_536

const NO_HOST = refuse('invalid_request', { error: 'A request of HTTP/1.1 must have a Host header' })

export function createServer(options: ServerOptions): Server {
  const { log, ids, trustedProxies, tls, requestMs = REQUEST_MS } = options
  const settings = {
    headersTimeout: requestMs,
    connectionsCheckingInterval: LOOK_AT_TIMES_MS,
    // Node would refuse a request without a Host header in words of its own.
    requireHostHeader: false,
  }
  const answerFault = answerFaults(options.isOutage)
  const app = Fastify({
    loggerInstance: childless(log),
    // One line of our own per request, with chosen fields, instead of Fastify's two.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => ids.next(),
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: requestMs,
    clientErrorHandler: answerUnreadable(ids),
    frameworkErrors: answerFault,
    // A drain refuses nobody: the listener closes, and what is in hand is answered.
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => readablePath(url),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_PATH },
    // Fastify's own are not loaded then: a hundred modules at every start, for what is set below.
    schemaController: { compilersFactory: { buildValidator: notUsed, buildSerializer: notUsed } },
    ...(tls ? { https: { ...settings, handshakeTimeout: requestMs, ...certificatesIn(tls) } } : { http: settings }),
  }) as unknown as FastifyInstance

  const { startDraining, isDraining } = trackDraining(app)
  shedOverload(app.server, { ...options, isProxy: compileNetworkList(trustedProxies), isDraining })
  answerOddRequests(app.server, ids)
  readJsonBodies(app)
  // Also where there is none: all replies are of one shape.
  app.decorateReply('refusalCode', undefined)
  app.decorateRequest('route', '')
  app.setValidatorCompiler(zodCompiler)
  // What is sent is made by typed views; schemas of answers only describe them, and the tests hold every answer against them. To run
  // answers through them would cost little, but where one does not fit, a person would get a 500 in its place, and a member too
  // many would be dropped in silence, unseen by the tests.
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer))
  app.setErrorHandler(answerFault)
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, NO_SUCH_ADDRESS))
  addRequestHooks(app, options)
  return { app, startDraining }
}

/** The hooks take a callback: a promise with nothing to wait for is still made and awaited, for every request. */
function addRequestHooks(app: FastifyInstance, { log, metrics }: ServerOptions): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.headers(ON_EVERY_ANSWER)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') sendRefusal(reply, NO_HOST)
    else done()
  })
  const seconds = metrics.histogram('http_request_seconds', 'How long requests took, by route and status', {
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method } = request
    const { statusCode: status, elapsedTime } = reply
    // The route, not the path: a label must not grow with what is asked. Kept: Fastify makes it anew whenever it is asked for.
    const route = request.routeOptions.url ?? 'unknown'
    request.route = route
    seconds.observe({ method, route, status }, elapsedTime / 1000)
    log.debug({ requestId, method, route, status, ms: Math.round(elapsedTime * 10) / 10 }, 'request')
    done()
  })
}

/** A path whose escapes cannot be read is taken literally, so that its route answers it like any other that names nothing. */
function readablePath(url: string): string {
  if (!url.includes('%')) return url
  const end = url.search(/[?;#]/)
  const path = end < 0 ? url : url.slice(0, end)
  try {
    decodeURI(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

function notUsed(): never {
  throw new Error('schemas are read by zod alone')
}

/** What cannot be used is not: the service goes on with what it has, and says so. */
export function renewCertificates(app: FastifyInstance, tls: NonNullable<ServerOptions['tls']>, log: Log): void {
  if (!('setSecureContext' in app.server)) return
  try {
    const server = app.server as unknown as TlsServer
    server.setSecureContext(certificatesIn(tls))
    log.info({ certFile: tls.certFile }, 'the certificate was read again')
  } catch (fault) {
    log.error({ err: fault, ...tls }, 'the certificate cannot be read again; the one so far stays in use')
  }
}

function certificatesIn({ certFile, keyFile }: NonNullable<ServerOptions['tls']>) {
  return { cert: readFileSync(certFile), key: readFileSync(keyFile) }
}

/** Every line names its request itself: a logger of its own for each, which Fastify asks for, would cost more than the line. */
function childless(log: Log): Log {
  const it: Log = Object.create(log, { child: { value: () => it } })
  return it
}
