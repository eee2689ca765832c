// A stop waits for requests, not for connections. Node's close() would also wait for idle connections, and would first abort
// keep-alive connections whose next request may be in transit.
import { Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Requests that are in transit when the stop begins have this long to arrive. */
const ARRIVAL_MS = 300
const CHECK_MS = 50
const SHORT_TURN_MS = 0.1
const SHORT_TURN_WITHIN_MS = 200

/** The reply to the latest request of a connection, until both are complete. Of pipelined requests, only the latest can be incomplete. */
const LATEST = Symbol('latest')
const UNANSWERED = Symbol('unanswered')

type Connection = Socket & { [LATEST]?: FastifyReply | null; [UNANSWERED]?: number }

/**
 * A stop closes the listener, answers every request in progress, and then closes the remaining connections. After `startDraining`,
 * every answer closes its connection, so that callers reconnect to another process.
 */
export function trackDraining(app: FastifyInstance): { startDraining: () => void; isDraining: () => boolean } {
  const connected = new Set<Connection>()
  let isDraining = false
  const track = (socket: Connection) => {
    connected.add(socket)
    socket.once('close', () => connected.delete(socket))
  }
  // A TLS connection is tracked before its handshake, when HTTP has no connection yet.
  app.server.on('connection', track)
  app.server.on('secureConnection', track)
  // The state is on the socket: a list of requests would keep answered requests in memory.
  app.addHook('onRequest', (request, reply, done) => {
    const socket: Connection = request.raw.socket
    if (isDraining) closeAfter(reply, socket[LATEST])
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
    for (const { [LATEST]: latest } of connected) if (latest) closeAfter(latest)
  }
  app.addHook('preClose', async () => {
    startDraining()
    await untilShortTurn()
    Server.prototype.close.call(app.server)
    await sleep(ARRIVAL_MS)
    while ([...connected].some(hasPendingRequest)) await sleep(CHECK_MS)
    for (const socket of connected) socket.destroy()
  })
  return { startDraining, isDraining: () => isDraining }
}

/**
 * A close resets the connections that the kernel has accepted and this process has not. After a short turn of the event loop there is
 * hardly any.
 */
async function untilShortTurn(): Promise<void> {
  const end = performance.now() + SHORT_TURN_WITHIN_MS
  for (let before = performance.now(), now = before; now < end; before = now) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    now = performance.now()
    if (now - before < SHORT_TURN_MS) return
  }
}

/** Only the last of several pipelined requests may close the connection: requests behind it would get no answer. */
function closeAfter({ raw }: FastifyReply, previous?: FastifyReply | null): void {
  if (previous && !previous.raw.headersSent) previous.raw.removeHeader('connection')
  if (!raw.headersSent) raw.setHeader('connection', 'close')
}

/** Whether a complete request has no answer yet. A caller repeats an incomplete request; a closed connection needs no answer. */
export function hasPendingRequest({ destroyed, [LATEST]: latest, [UNANSWERED]: unanswered = 0 }: Connection): boolean {
  return !destroyed && (unanswered > 1 || (unanswered === 1 && latest?.request.raw.complete === true))
}

/** Whether the request that is still arriving has its answer already, such as a 401 before the body. */
export function isAnswered({ [LATEST]: latest }: Connection): boolean {
  return latest?.sent === true
}
