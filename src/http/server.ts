// The HTTP server of a process: health checks for every role, and the routes that the api role mounts.
import type { Server as TlsServer } from 'node:tls'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { compileNetworkList } from '../domain/network.ts'
import { refuse } from '../domain/refusals.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { trackDraining } from './draining.ts'
import { readJsonBodies } from './json-body.ts'
import { BODY_LIMIT_BYTES, COMMON_HEADERS, createErrorHandler, sendRefusal, UNKNOWN_PATH } from './reply.ts'
import { type Gate, shedOverload } from './shed.ts'
import { answerOddRequests, createClientErrorHandler } from './unreadable.ts'
import { zodCompiler } from './validation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The URL pattern of the route; set when the request is answered. */
    route: string
  }
}

/** A certificate with its chain, and its private key, in PEM. */
export interface TlsPair {
  cert: string
  key: string
}

interface ServerOptions {
  log: Log
  ids: Ids
  metrics: Metrics
  trustedProxies: string[]
  tls: TlsPair | null
  gate: Gate
  /** Whether an error is an outage of the database. */
  isOutage: (error: unknown) => boolean
  /** Only tests set it. */
  requestMs?: number
}

interface Server {
  app: FastifyInstance
  /** From now on every answer closes its connection. */
  startDraining: () => void
}

/** How long a slow request may hold a connection. */
const REQUEST_MS = 30_000
/** How often Node checks for timeouts; with its default of 30 s, a request could take twice the timeout. */
const TIMEOUT_CHECK_MS = 500
/** Longer than Node accepts, so that a long path still reaches its route. */
const MAX_PATH_LENGTH = 65_536

const NO_HOST = refuse('invalid_request', { error: 'The Host header is missing; HTTP/1.1 requires it' })

export function createServer(options: ServerOptions): Server {
  const { log, ids, trustedProxies, tls, requestMs = REQUEST_MS } = options
  const settings = {
    headersTimeout: requestMs,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    // Node's own error for a missing Host header lacks the shape of §2.6.
    requireHostHeader: false,
  }
  const handleError = createErrorHandler(options.isOutage)
  const app = Fastify({
    loggerInstance: childless(log),
    // `addRequestHooks` logs one line per request, instead of Fastify's two.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => ids.next(),
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: requestMs,
    clientErrorHandler: createClientErrorHandler(ids),
    frameworkErrors: handleError,
    // A drain refuses no request: the listener closes, and requests in progress are answered.
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => readablePath(url),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PATH_LENGTH },
    // This keeps Fastify from loading its own compilers, a hundred modules at every start.
    schemaController: { compilersFactory: { buildValidator: notUsed, buildSerializer: notUsed } },
    ...(tls ? { https: { ...settings, handshakeTimeout: requestMs, ...tls } } : { http: settings }),
  }) as unknown as FastifyInstance

  const { startDraining, isDraining } = trackDraining(app)
  shedOverload(app.server, { ...options, isProxy: compileNetworkList(trustedProxies), isDraining })
  answerOddRequests(app.server, ids)
  readJsonBodies(app)
  // Declared up front, so that all replies have the same hidden class.
  app.decorateReply('refusalCode', undefined)
  app.decorateRequest('route', '')
  app.decorateRequest('createdMessageId', '')
  app.setValidatorCompiler(zodCompiler)
  // Responses are built by typed views, and tests check every response against its schema. Validation at run time would turn a
  // mismatch into a 500, and would drop extra fields without a failing test.
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer))
  app.setErrorHandler(handleError)
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, UNKNOWN_PATH))
  addRequestHooks(app, options)
  return { app, startDraining }
}

/** The hooks take a callback, which saves a promise per request. */
function addRequestHooks(app: FastifyInstance, { log, metrics }: ServerOptions): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.headers(COMMON_HEADERS)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') sendRefusal(reply, NO_HOST)
    else done()
  })
  const seconds = metrics.histogram('http_request_seconds', 'Duration of requests, by route and status', {
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method } = request
    const { statusCode: status, elapsedTime } = reply
    // The route, not the path, because paths are unbounded. Kept, because Fastify computes `routeOptions` at every access.
    const route = request.routeOptions.url ?? 'unknown'
    request.route = route
    seconds.observe({ method, route, status }, elapsedTime / 1000)
    log.debug({ requestId, method, route, status, ms: Math.round(elapsedTime * 10) / 10 }, 'request')
    done()
  })
}

/** Takes a path with invalid escapes literally, so that its route answers with 404 like for any unknown id. */
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
  throw new Error('only zod compiles schemas')
}

/** For new connections; open ones keep theirs. */
export function replaceCertificate(app: FastifyInstance, pair: TlsPair): void {
  const server = app.server as unknown as Partial<TlsServer>
  server.setSecureContext?.(pair)
}

/** Fastify creates a child logger per request, which costs more than its log line. Every line has its own request id. */
function childless(log: Log): Log {
  const it: Log = Object.create(log, { child: { value: () => it } })
  return it
}
