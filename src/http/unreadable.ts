// What is no HTTP request, or never becomes a whole one, is still answered in the one shape of §2.6, then hung up on.
import type { Socket } from 'node:net'
import { refuse } from '../domain/refusals.ts'
import { ON_EVERY_ANSWER } from './every-answer.ts'
import { bodyOf } from './reply.ts'

/** Node's own names for what went wrong before there was a request. */
const STATUS_LINES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

export function answerUnreadable(fault: Error & { code?: string }, socket: Socket): void {
  if (fault.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(bodyOf(refuse('invalid_request', { error: 'This is not a request that can be read' })))
  const status = STATUS_LINES[fault.code ?? ''] ?? '400 Bad Request'
  const head = [
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...Object.entries(ON_EVERY_ANSWER).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
}
