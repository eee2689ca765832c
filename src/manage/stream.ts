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

/** Waits until it is on its way; false where its reader is gone, or has read nothing for that long. */
export async function writeWhole(stream: ServerResponse, piece: string, patienceMs: number): Promise<boolean> {
  if (stream.destroyed) return false
  if (stream.write(piece)) return true
  const patience = AbortSignal.timeout(patienceMs)
  const gone = once(stream, 'close', { signal: patience }).then(() => false)
  const drained = once(stream, 'drain', { signal: patience }).then(() => true)
  return Promise.race([gone, drained]).catch(() => false)
}
