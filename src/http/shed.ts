// Under overload a refusal must cost next to nothing, or refusing is all that is done: it is made before routing, parsing and logging,
// and whoever was refused is not read again before the time that it was told to wait.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { OVERLOADED } from '../domain/refusals.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { errorBodyOf, ON_EVERY_ANSWER } from './reply.ts'

/** Tells by the head of a request alone that it would be refused for overload; whoever can tell sets it. */
export interface Gate {
  isShutFor: (request: IncomingMessage) => boolean
  /** False while it is shut for nobody. */
  isCrowded: () => boolean
}

interface Shedding {
  gate: Gate
  ids: Ids
  metrics: Metrics
  /** Whose connections carry the requests of many: they are never left unread for what one of them sent. */
  isProxy: (address: string) => boolean
  /** While draining, every answer is the last of its connection. */
  isDraining: () => boolean
}

/** So many refusals in a second are a small part of what a core can do: the more connections wait, the longer each of them does. */
const REFUSALS_PER_SECOND = 500
/** How often it is seen whether there is room again, and how many are read again for it each time. */
const LOOK_MS = 50
const READ_AGAIN_AT_ONCE = 50

const BODY = JSON.stringify(errorBodyOf(OVERLOADED))

/** Stands before whoever serves requests now. */
export function shedOverload(server: Server, { gate, ids, metrics, isProxy, isDraining }: Shedding): void {
  const shed = metrics.counter('http_requests_shed_total', 'Requests that were refused for overload before any work')
  const serving = server.listeners('request')
  const pauses = new Pauses(gate)
  server.removeAllListeners('request')
  const take = (request: IncomingMessage, response: ServerResponse) => {
    // What was on its way before its connection was left unread waits as if it had not been read.
    if (pauses.putOff(request.socket, () => take(request, response))) return
    if (!gate.isShutFor(request)) {
      for (const serve of serving) serve.call(server, request, response)
      return
    }
    shed.inc()
    const seconds = pauses.seconds
    response.writeHead(503, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(BODY),
      'retry-after': String(seconds),
      'x-request-id': ids.next(),
      ...ON_EVERY_ANSWER,
      ...(isDraining() ? { connection: 'close' } : {}),
    })
    response.end(BODY)
    if (isDraining() || isProxy(request.socket.remoteAddress ?? '')) return
    pauses.begin(request.socket, seconds)
    // Once Node has done with the request, of which the body may still be on its way.
    response.once('close', () => setImmediate(() => pauses.stopReading(request.socket)))
  }
  server.on('request', take)
}

interface Pause {
  until: number
  /** What had come before the connection was left unread. */
  putOff: (() => void)[]
  /** When it is closed meanwhile. */
  forget: () => void
}

/** Connections that are not read for a while, the first of them first: until their time is over, or there is room again. */
class Pauses {
  readonly #paused = new Map<Socket, Pause>()
  readonly #gate: Gate
  #looking: NodeJS.Timeout | undefined

  constructor(gate: Gate) {
    this.#gate = gate
  }

  get seconds(): number {
    return 1 + Math.floor(this.#paused.size / REFUSALS_PER_SECOND)
  }

  begin(socket: Socket, seconds: number): void {
    if (socket.destroyed) return
    const forget = () => this.#paused.delete(socket)
    this.#paused.set(socket, { until: performance.now() + seconds * 1000, putOff: [], forget })
    socket.once('close', forget)
    this.#looking ??= setInterval(() => this.#look(), LOOK_MS).unref()
  }

  stopReading(socket: Socket): void {
    if (this.#paused.has(socket)) socket.pause()
  }

  /** Whether the connection is to be left unread: then `take` is called when it is read again. */
  putOff(socket: Socket, take: () => void): boolean {
    const pause = this.#paused.get(socket)
    pause?.putOff.push(take)
    return pause !== undefined
  }

  #look(): void {
    const now = performance.now()
    let early = this.#gate.isCrowded() ? 0 : READ_AGAIN_AT_ONCE
    for (const [socket, { until, putOff, forget }] of this.#paused) {
      if (until > now && --early < 0) break
      this.#paused.delete(socket)
      socket.off('close', forget)
      socket.resume()
      for (const take of putOff) take()
    }
    if (this.#paused.size > 0) return
    clearInterval(this.#looking)
    this.#looking = undefined
  }
}
