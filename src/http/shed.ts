// Under overload a refusal must cost next to nothing, or refusing is all that is done: it is made before routing, parsing and logging,
// and whoever was refused is not read again before the time that it was told to wait.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { OVERLOADED } from '../domain/refusals.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { ON_EVERY_ANSWER } from './every-answer.ts'
import { bodyOf } from './reply.ts'

/** Tells by the head of a request alone that it would be refused for overload; whoever can tell sets it. */
export interface Gate {
  isShutFor: (request: IncomingMessage) => boolean
}

export interface Shedding {
  gate: Gate
  ids: Ids
  metrics: Metrics
  /** Whose connections carry the requests of many: they are never left unread for what one of them sent. */
  isProxy: (address: string) => boolean
  /** From the farewell on, an answer is the last of its connection. */
  isLeaving: () => boolean
}

/** So many refusals in a second are a small part of what a core can do: the more connections wait, the longer each of them does. */
const REFUSALS_PER_SECOND = 2_000

const BODY = JSON.stringify(bodyOf(OVERLOADED))

/** Stands before whoever serves requests now. */
export function shedOverload(server: Server, { gate, ids, metrics, isProxy, isLeaving }: Shedding): void {
  const shed = metrics.counter('http_requests_shed_total', 'Requests that were refused for overload before any work')
  const serving = server.listeners('request')
  const pause = pauser()
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!gate.isShutFor(request)) {
      for (const serve of serving) serve.call(server, request, response)
      return
    }
    shed.inc()
    const seconds = pause.seconds()
    response.writeHead(503, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(BODY),
      'retry-after': String(seconds),
      'x-request-id': ids.next(),
      ...ON_EVERY_ANSWER,
      ...(isLeaving() ? { connection: 'close' } : {}),
    })
    response.end(BODY)
    if (isLeaving() || isProxy(request.socket.remoteAddress ?? '')) return
    // Once Node has done with the request, of which the body may still be on its way.
    response.once('close', () => setImmediate(() => pause.begin(request.socket, seconds)))
  })
}

/** Connections that are not read for a while. */
function pauser() {
  let paused = 0
  const begin = (socket: Socket, seconds: number) => {
    if (socket.destroyed) return
    paused += 1
    socket.pause()
    const end = () => {
      paused -= 1
      clearTimeout(timer)
      socket.off('close', end)
      socket.resume()
    }
    const timer = setTimeout(end, seconds * 1000).unref()
    socket.once('close', end)
  }
  return { begin, seconds: () => 1 + Math.floor(paused / REFUSALS_PER_SECOND) }
}
