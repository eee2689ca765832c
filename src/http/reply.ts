// Writes every error response: one shape (§2.6), never a stack trace.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type FieldError, Refusal, refuse } from '../domain/refusals.ts'
import { UnreadableBody } from './json-body.ts'
import { InvalidInput } from './validation.ts'

export const COMMON_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** D28: a larger body gets a 413. */
export const BODY_LIMIT_BYTES = 65_536

declare module 'fastify' {
  interface FastifyReply {
    /** The error code of the response, for the request log. */
    refusalCode?: string
  }
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, code, retryAfterSeconds } = refusal
  reply.refusalCode = code
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBodyOf(refusal)))
}

export const UNKNOWN_PATH = refuse('not_found', {
  error: 'No endpoint has this path; check the method and the path',
})

/** Bounds the response to a request that consists of errors. */
const MAX_ERRORS = 100

export function errorBodyOf({ error, code, details }: Refusal) {
  if (details === undefined) return { error, code }
  return { error, code, details: Array.isArray(details) ? details.slice(0, MAX_ERRORS) : details }
}

/** Thrown by handlers and answered with 404. */
class NotFound extends Error {}

export function requireFound<Value>(value: Value | null): Value {
  if (value === null) throw new NotFound()
  return value
}

/** Sends the refusal of an action, or 204. */
export function respondEmpty(reply: FastifyReply, result: unknown): FastifyReply {
  return result instanceof Refusal ? sendRefusal(reply, result) : reply.code(204).send(null)
}

/** Sends the refusal of an action, or the view of its result, which has the type of the route's response. */
export function respond<Result, Reply extends FastifyReply>(
  reply: Reply,
  result: Result | Refusal,
  { status = 200, view }: { status?: number; view: (result: Result) => Parameters<Reply['send']>[0] },
): FastifyReply {
  if (result instanceof Refusal) return sendRefusal(reply, result)
  return reply.code(status).send(view(result))
}

type ErrorHandler = (cause: FastifyError, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Fastify's error handler, for parsing, validation and thrown errors. During an outage nothing was charged, and a retry helps. */
export function createErrorHandler(isOutage: (error: unknown) => boolean): ErrorHandler {
  const outages = new LogThrottle()
  return (error, request, reply) => {
    const { id: requestId, log } = request
    // D28: a request that fails before routing has passed no hook that sets these headers.
    reply.header('x-request-id', requestId)
    reply.headers(COMMON_HEADERS)
    if (isOutage(error)) {
      const requests = outages.count()
      if (requests > 0) log.error({ err: error, requestId, requests }, 'database unavailable, requests refused')
      return sendRefusal(reply, refuse('unavailable', OUTAGE))
    }
    const refusal = refusalOf(error, request)
    if (refusal.status >= 500) log.error({ err: error, requestId }, 'request failed')
    return sendRefusal(reply, refusal)
  }
}

const OUTAGE = { error: 'The service is temporarily unavailable; nothing was charged', retryAfterSeconds: 1 }

/** The response to an error that is not an outage. A status below 500 is an error of the request. */
export function refusalOf(cause: FastifyError, request: FastifyRequest): Refusal {
  if (cause instanceof InvalidInput) {
    const more = cause.validationContext === 'headers' ? [] : headerErrors(request)
    return refuse('invalid_request', { details: [...cause.errors, ...more] })
  }
  if (cause instanceof UnreadableBody) {
    const details = headerErrors(request)
    return refuse('invalid_request', { error: cause.message, ...(details.length > 0 && { details }) })
  }
  if (cause instanceof NotFound) return refuse('not_found')
  const status = cause.statusCode ?? 500
  if (status < 400 || status >= 500) return refuse('server_error')
  const error =
    REQUEST_ERRORS[cause.code] ?? 'The request is not valid HTTP; check the method, the headers and the body'
  return refuse('invalid_request', status === 413 ? { error, status } : { error })
}

/** D38: the response lists every error. Fastify stops at the first invalid part of a request, and validates headers last. */
function headerErrors(request: FastifyRequest): FieldError[] {
  const result: unknown = request.getValidationFunction('headers')?.(request.headers)
  const error = typeof result === 'object' && result !== null && 'error' in result ? result.error : null
  return error instanceof InvalidInput ? error.errors : []
}

export const TOO_LARGE = `The body is larger than ${BODY_LIMIT_BYTES / 1024} KiB`

const REQUEST_ERRORS: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: TOO_LARGE,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The content type is not supported; send application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body differs from its Content-Length',
}

const LOG_INTERVAL_MS = 1000

class LogThrottle {
  #loggedAt = Number.NEGATIVE_INFINITY
  #unlogged = 0

  /** Counts an event. Returns the events since the last log line, or 0 if that line is less than a second old. */
  count(): number {
    this.#unlogged += 1
    const now = performance.now()
    if (now - this.#loggedAt < LOG_INTERVAL_MS) return 0
    const unlogged = this.#unlogged
    this.#loggedAt = now
    this.#unlogged = 0
    return unlogged
  }
}
