// Sheds load cheaply: refuses requests before routing, parsing and logging, and stops reading the connection for its Retry-After.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { OVERLOADED } from '../domain/refusals.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { COMMON_HEADERS, errorBodyOf } from './reply.ts'

/** Decides by method, URL and headers whether a request would be refused for overload. The v1 API sets the functions. */
export interface Gate {
  isShutFor: (request: IncomingMessage) => boolean
  /** False if no request would be refused. */
  isCrowded: () => boolean
}

interface ShedOptions {
  gate: Gate
  ids: Ids
  metrics: Metrics
  /** Connections of proxies carry requests of many callers, so they are never paused. */
  isProxy: (address: string) => boolean
  /** While draining, every answer closes its connection. */
  isDraining: () => boolean
}

/** A small part of what one core can refuse. The more connections are paused, the longer each pause is. */
const REFUSALS_PER_SECOND = 500
/** How often paused connections are checked, and how many resume early at each check if there is capacity. */
const CHECK_MS = 50
const RESUMED_PER_CHECK = 50

const BODY = JSON.stringify(errorBodyOf(OVERLOADED))

/** Puts the check in front of the current request listeners. */
export function shedOverload(server: Server, { gate, ids, metrics, isProxy, isDraining }: ShedOptions): void {
  const shed = metrics.counter('http_requests_shed_total', 'Requests refused for overload before routing')
  const serving = server.listeners('request')
  const pauses = new Pauses(gate)
  server.removeAllListeners('request')
  const receive = (request: IncomingMessage, response: ServerResponse) => {
    // A request that arrives on a paused connection waits until the connection resumes.
    if (pauses.defer(request.socket, () => receive(request, response))) return
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
      ...COMMON_HEADERS,
      ...(isDraining() ? { connection: 'close' } : {}),
    })
    response.end(BODY)
    if (isDraining() || isProxy(request.socket.remoteAddress ?? '')) return
    pauses.begin(request.socket, seconds)
    // After Node has finished the request, whose body may still be arriving.
    response.once('close', () => setImmediate(() => pauses.stopReading(request.socket)))
  }
  server.on('request', receive)
}

interface Pause {
  until: number
  /** Requests that arrived on the paused connection. */
  deferred: (() => void)[]
  /** The listener for a close during the pause. */
  forget: () => void
}

/** Connections that are not read, in order, until their pause ends or there is capacity again. */
class Pauses {
  readonly #paused = new Map<Socket, Pause>()
  readonly #gate: Gate
  #checking: NodeJS.Timeout | undefined

  constructor(gate: Gate) {
    this.#gate = gate
  }

  get seconds(): number {
    return 1 + Math.floor(this.#paused.size / REFUSALS_PER_SECOND)
  }

  begin(socket: Socket, seconds: number): void {
    if (socket.destroyed) return
    const forget = () => this.#paused.delete(socket)
    this.#paused.set(socket, { until: performance.now() + seconds * 1000, deferred: [], forget })
    socket.once('close', forget)
    this.#checking ??= setInterval(() => this.#resume(), CHECK_MS).unref()
  }

  stopReading(socket: Socket): void {
    if (this.#paused.has(socket)) socket.pause()
  }

  /** Returns whether the connection is paused; if so, `receive` is called when it resumes. */
  defer(socket: Socket, receive: () => void): boolean {
    const pause = this.#paused.get(socket)
    pause?.deferred.push(receive)
    return pause !== undefined
  }

  #resume(): void {
    const now = performance.now()
    let early = this.#gate.isCrowded() ? 0 : RESUMED_PER_CHECK
    for (const [socket, { until, deferred, forget }] of this.#paused) {
      if (until > now && --early < 0) break
      this.#paused.delete(socket)
      socket.off('close', forget)
      socket.resume()
      for (const receive of deferred) receive()
    }
    if (this.#paused.size > 0) return
    clearInterval(this.#checking)
    this.#checking = undefined
  }
}
