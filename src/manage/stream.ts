// Streamed responses. A slow reader holds neither the turn of its workspace nor a database connection.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Detaches the response from Fastify. The handler must not return the reply, and its turn ends with it. */
export function beginStream(reply: FastifyReply, headers: Record<string, string>): ServerResponse {
  reply.hijack()
  reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...headers })
  return reply.raw
}

interface StreamPace {
  /** How long a reader may pause. */
  graceMs: number
  /** The minimum rate beyond that. */
  bytesPerSecond: number
  maxMs: number
}

/** Writes at the speed of the reader, and fails if the reader is too slow. */
export class PacedWriter {
  readonly #stream: ServerResponse
  readonly #pace: StreamPace
  readonly #endsAt: number

  constructor(stream: ServerResponse, pace: StreamPace) {
    this.#stream = stream
    this.#pace = pace
    this.#endsAt = performance.now() + pace.maxMs
  }

  /** False: the reader is gone, too slow, or out of time. */
  async write(piece: string): Promise<boolean> {
    const remainingMs = this.#endsAt - performance.now()
    if (this.#stream.destroyed || remainingMs <= 0) return false
    if (this.#stream.write(piece)) return true
    const { graceMs, bytesPerSecond } = this.#pace
    const allowedMs = Math.min(remainingMs, graceMs + (Buffer.byteLength(piece) / bytesPerSecond) * 1000)
    const settled = new AbortController()
    const timer = setTimeout(() => settled.abort(), allowedMs)
    const { signal } = settled
    const gone = once(this.#stream, 'close', { signal }).then(() => false)
    const drained = once(this.#stream, 'drain', { signal }).then(() => true)
    const isRead = await Promise.race([gone, drained]).catch(() => false)
    clearTimeout(timer)
    settled.abort()
    return isRead
  }
}
