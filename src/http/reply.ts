// The only writer of error bodies (§2.6). Whatever went wrong, the answer has one shape and never a stack trace.

import { Readable } from 'node:stream'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type Fault, Refusal, refuse } from '../domain/refusals.ts'
import { UnreadableBody } from './json-body.ts'
import { InvalidInput } from './validation.ts'

export const ON_EVERY_ANSWER = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** D28: a larger body is refused, with 413. */
export const BODY_LIMIT_BYTES = 65_536

declare module 'fastify' {
  interface FastifyReply {
    /** What it was refused with, if it was. */
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

export const NO_SUCH_ADDRESS = refuse('not_found', { error: 'There is no such address' })

/** No request that somebody means has more faults; one that is made of them gets no answer many times its size. */
const MOST_FAULTS = 100

/** The body of every error; `details` only where there are some. */
export function errorBodyOf({ error, code, details }: Refusal) {
  if (details === undefined) return { error, code }
  return { error, code, details: Array.isArray(details) ? details.slice(0, MOST_FAULTS) : details }
}

/** Sends what an action came to: its refusal, or the view of its result, which must be an answer that the route describes. */
export function respond<Result, Reply extends FastifyReply>(
  reply: Reply,
  result: Result | Refusal,
  { status = 200, view }: { status?: number; view: (result: Result) => Parameters<Reply['send']>[0] },
): FastifyReply {
  if (result instanceof Refusal) return sendRefusal(reply, result)
  return reply.code(status).send(view(result))
}

type AnswerFault = (fault: FastifyError, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** For Fastify: faults of parsing and validation, and whatever was thrown. In an outage nothing was done, and it will pass. */
export function answerFaults(isOutage: (fault: unknown) => boolean): AnswerFault {
  const outages = new LogThrottle()
  return (fault, request, reply) => {
    const { id: requestId, log } = request
    // D28: what fails before it has a route has passed no hook.
    reply.header('x-request-id', requestId)
    reply.headers(ON_EVERY_ANSWER)
    if (isOutage(fault)) {
      const requests = outages.count()
      if (requests > 0) log.error({ err: fault, requestId, requests }, 'the database cannot serve requests now')
      return sendRefusal(reply, refuse('unavailable', OUTAGE))
    }
    const refusal = refusalOf(fault, request)
    if (refusal.status >= 500) log.error({ err: fault, requestId }, 'a request failed')
    return sendRefusal(reply, refusal)
  }
}

const OUTAGE = { error: 'The service is temporarily unavailable; nothing was charged', retryAfterSeconds: 1 }

/** What is told of a fault that is no outage: below 500, it is one of the request. */
export function refusalOf(fault: FastifyError, request: FastifyRequest): Refusal {
  if (fault instanceof InvalidInput) {
    const more = fault.validationContext === 'headers' ? [] : headerFaults(request)
    return refuse('invalid_request', { details: [...fault.faults, ...more] })
  }
  if (fault instanceof UnreadableBody) {
    const details = headerFaults(request)
    return refuse('invalid_request', { error: fault.message, ...(details.length > 0 && { details }) })
  }
  const status = fault.statusCode ?? 500
  if (status < 400 || status >= 500) return refuse('server_error')
  const error = SENTENCES[fault.code] ?? 'The request could not be read'
  return refuse('invalid_request', status === 413 ? { error, status } : { error })
}

/** D38: every fault at once. Fastify stops at the first part of a request that is wrong, and reads the headers last. */
function headerFaults(request: FastifyRequest): Fault[] {
  const judged: unknown = request.getValidationFunction('headers')?.(request.headers)
  const error = typeof judged === 'object' && judged !== null && 'error' in judged ? judged.error : null
  return error instanceof InvalidInput ? error.faults : []
}

export const TOO_LARGE = `The body is larger than ${BODY_LIMIT_BYTES / 1024} KiB`

const SENTENCES: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: TOO_LARGE,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The content type must be application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as its Content-Length says',
}

/** As a file to keep. Nothing of it waits in memory but what is under way. */
export function sendCsv(
  reply: FastifyReply,
  { name, lines }: { name: string; lines: AsyncIterable<string> },
): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(lines))
}

const PAUSE_MS = 1000

class LogThrottle {
  #toldAt = Number.NEGATIVE_INFINITY
  #untold = 0

  /** Counts one more; how many there were since it was last told, or 0 while it is too early to tell again. */
  count(): number {
    this.#untold += 1
    const now = performance.now()
    if (now - this.#toldAt < PAUSE_MS) return 0
    const untold = this.#untold
    this.#toldAt = now
    this.#untold = 0
    return untold
  }
}
