// What is no HTTP request, or never becomes a whole one, is still answered in the one shape of §2.6, then hung up on.
import type { Socket } from 'node:net'
import { refuse } from '../domain/refusals.ts'
import { bodyOf } from './reply.ts'

/** Node's own names for what went wrong before there was a request. */
const STATUS_LINES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Whoever was answered gets this long to hang up too. */
const LINGER_MS = 500

/** The caller is gone, or TLS never came about: then an answer would wait for it, for ever. */
const UNANSWERABLE = /^(ECONNRESET$|ERR_(TLS|SSL)_)/

export function answerUnreadable(fault: Error & { code?: string }, socket: Socket): void {
  if (UNANSWERABLE.test(fault.code ?? '') || !socket.writable || socket.destroyed) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(bodyOf(refuse('invalid_request', { error: 'This is not a request that can be read' })))
  const status = STATUS_LINES[fault.code ?? ''] ?? '400 Bad Request'
  const head = [
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  // Not at once: with something of it still unread, the caller would hear a reset instead of the answer.
  const late = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(late))
  socket.end(`HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
}
