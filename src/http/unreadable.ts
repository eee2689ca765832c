// What is no HTTP request, or never becomes a whole one, is still answered in the one shape of §2.6, then hung up on.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { refuse } from '../domain/refusals.ts'
import type { Ids } from '../runtime/ids.ts'
import { hasRequestInHand, isAnswered } from './draining.ts'
import { errorBodyOf, ON_EVERY_ANSWER } from './reply.ts'

interface Answer {
  status: string
  error: string
}

/** Whoever was answered gets this long to hang up too. */
const LINGER_MS = 500

/** The caller is gone, or TLS never came about: then an answer would wait for it, for ever. */
const UNANSWERABLE = /^(ECONNRESET$|ERR_(TLS|SSL)_)/

const NOT_HTTP: Answer = { status: '400 Bad Request', error: 'This is not a request that can be read' }

/** Node's own names for what went wrong before there was a request. */
const ANSWERS: Record<string, Answer> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    error: 'The headers of the request are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', error: 'The request did not arrive in time' },
}

/** For Fastify: answers whatever Node could not make a request of. */
export function answerUnreadable(ids: Ids) {
  return (fault: Error & { code?: string }, socket: Socket): void => {
    if (UNANSWERABLE.test(fault.code ?? '') || !socket.writable || socket.destroyed) {
      socket.destroy()
      return
    }
    // What follows a whole request must not be taken for its answer: that one is on its way.
    if (hasRequestInHand(socket)) return
    if (isAnswered(socket)) socket.end()
    else abortWith(socket, ANSWERS[fault.code ?? ''] ?? NOT_HTTP, ids)
  }
}

/** Two kinds that Node reads, but answers without a body or not at all. */
export function answerOddRequests(server: Server, ids: Ids): void {
  server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    abortWith(socket, { status: '400 Bad Request', error: 'This server is no proxy' }, ids),
  )
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { headers, body } = compose('No expectation but 100-continue can be met', ids)
    response.writeHead(417, headers).end(body)
  })
}

function abortWith(socket: Duplex, { status, error }: Answer, ids: Ids): void {
  const { headers, body } = compose(error, ids)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  // Not at once: with something of it still unread, the caller would hear a reset instead of the answer.
  const late = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(late))
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}

function compose(error: string, ids: Ids) {
  const body = JSON.stringify(errorBodyOf(refuse('invalid_request', { error })))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': ids.next(),
    ...ON_EVERY_ANSWER,
    connection: 'close',
  }
  return { headers, body }
}
