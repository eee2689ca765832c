// Answers input that is not a complete HTTP request with an error of §2.6, and closes the connection.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { refuse } from '../domain/refusals.ts'
import type { Ids } from '../runtime/ids.ts'
import { hasPendingRequest, isAnswered } from './draining.ts'
import { COMMON_HEADERS, errorBodyOf } from './reply.ts'

interface Answer {
  status: string
  error: string
}

/** How long the caller has to close the connection after the answer. */
const LINGER_MS = 500

/** The caller is gone, or the TLS handshake failed: an answer could never be sent. */
const UNANSWERABLE = /^(ECONNRESET$|ERR_(TLS|SSL)_)/

const NOT_HTTP: Answer = { status: '400 Bad Request', error: 'The input is not an HTTP request; send HTTP/1.1' }

/** By Node's error code. */
const ANSWERS: Record<string, Answer> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    error: 'The headers are too large; send fewer or shorter headers',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    error: 'The request did not arrive in time; send it again',
  },
}

/** Fastify's handler for input that Node cannot parse as a request. */
export function createClientErrorHandler(ids: Ids) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (UNANSWERABLE.test(error.code ?? '') || !socket.writable || socket.destroyed) {
      socket.destroy()
      return
    }
    // An error here would look like the answer to the complete request before it, whose answer follows.
    if (hasPendingRequest(socket)) return
    if (isAnswered(socket)) socket.end()
    else abortWith(socket, ANSWERS[error.code ?? ''] ?? NOT_HTTP, ids)
  }
}

/** Node answers CONNECT and unknown expectations without a body, or not at all. */
export function answerOddRequests(server: Server, ids: Ids): void {
  server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    abortWith(
      socket,
      { status: '400 Bad Request', error: 'CONNECT is not supported; this server is not a proxy' },
      ids,
    ),
  )
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { headers, body } = compose('The expectation is not supported; only 100-continue is', ids)
    response.writeHead(417, headers).end(body)
  })
}

function abortWith(socket: Duplex, { status, error }: Answer, ids: Ids): void {
  const { headers, body } = compose(error, ids)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  // Destroyed later: with unread input, an immediate close would send a reset instead of the answer.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}

function compose(error: string, ids: Ids) {
  const body = JSON.stringify(errorBodyOf(refuse('invalid_request', { error })))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': ids.next(),
    ...COMMON_HEADERS,
    connection: 'close',
  }
  return { headers, body }
}
