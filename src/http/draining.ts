// A stop waits for requests, not for connections. Node's close() would also wait for idle connections, and would first abort
// keep-alive connections whose next request may be on its way.
import { Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** What was on its way when the stop began gets this long to arrive whole. */
const ARRIVAL_MS = 300
const LOOK_MS = 50

/** The reply to the latest request of each connection, until both are over: of pipelined ones, it alone may still arrive. */
const LATEST = Symbol('latest')
const UNANSWERED = Symbol('unanswered')

type Connection = Socket & { [LATEST]?: FastifyReply | null; [UNANSWERED]?: number }

/**
 * A stop closes the listener, answers every request in progress, and then closes the remaining connections. `startDraining` comes
 * before it: from then on each answer is the last of its connection, so that callers come back over a new one.
 */
export function trackDraining(app: FastifyInstance): { startDraining: () => void; isDraining: () => boolean } {
  const connected = new Set<Connection>()
  let isDraining = false
  const track = (socket: Connection) => {
    connected.add(socket)
    socket.once('close', () => connected.delete(socket))
  }
  // Those of TLS count from their first byte, long before there is a connection that HTTP knows of.
  app.server.on('connection', track)
  app.server.on('secureConnection', track)
  // A mark on the connection, and taken off with the answer: a list of requests would keep them alive beyond it.
  app.addHook('onRequest', (request, reply, done) => {
    const socket: Connection = request.raw.socket
    if (isDraining) beLast(reply, socket[LATEST])
    socket[LATEST] = reply
    socket[UNANSWERED] = (socket[UNANSWERED] ?? 0) + 1
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const socket: Connection = request.raw.socket
    if (socket[LATEST] === reply && request.raw.complete) socket[LATEST] = null
    socket[UNANSWERED] = (socket[UNANSWERED] ?? 1) - 1
    done()
  })
  const startDraining = () => {
    isDraining = true
    for (const { [LATEST]: latest } of connected) if (latest) beLast(latest)
  }
  app.addHook('preClose', async () => {
    startDraining()
    Server.prototype.close.call(app.server)
    await sleep(ARRIVAL_MS)
    while ([...connected].some(hasRequestInHand)) await sleep(LOOK_MS)
    for (const socket of connected) socket.destroy()
  })
  return { startDraining, isDraining: () => isDraining }
}

/** Of pipelined requests only the last may say so: what stands behind it is not answered. */
function beLast({ raw }: FastifyReply, before?: FastifyReply | null): void {
  if (before && !before.raw.headersSent) before.raw.removeHeader('connection')
  if (!raw.headersSent) raw.setHeader('connection', 'close')
}

/** A request of which only a part has come is its sender's to finish or to repeat; of one who has hung up, nobody's. */
export function hasRequestInHand({ destroyed, [LATEST]: latest, [UNANSWERED]: unanswered = 0 }: Connection): boolean {
  return !destroyed && (unanswered > 1 || (unanswered === 1 && latest?.request.raw.complete === true))
}

/** Whether the request that is still arriving has its answer already: a key, say, is judged before the body. */
export function isAnswered({ [LATEST]: latest }: Connection): boolean {
  return latest?.sent === true
}
