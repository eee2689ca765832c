// An answer that is written piece by piece. Whoever reads it holds no turn of its workspace meanwhile, and no connection to the
// database: however slow it is, it holds up nobody.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** From here on Fastify has no part in it; its turn is over with the handler, which must not return the reply. */
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
  longestMs: number
}

/** Writes no faster than its reader reads, and gives up on a reader that is too slow. */
export class PacedWriter {
  readonly #stream: ServerResponse
  readonly #pace: StreamPace
  readonly #endsAt: number

  constructor(stream: ServerResponse, pace: StreamPace) {
    this.#stream = stream
    this.#pace = pace
    this.#endsAt = performance.now() + pace.longestMs
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
