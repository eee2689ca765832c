// Under overload a refusal must cost next to nothing, or refusing is all that is done: it is made before routing, parsing and logging,
// and whoever was refused is not read again before the time that it was told to wait.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { OVERLOADED } from '../domain/refusals.ts'
import type { Ids } from '../runtime/ids.ts'
import { bodyOf } from './reply.ts'

/** Tells by the head of a request alone that it would be refused for overload. Set by whoever can tell. */
export interface Gate {
  isShutFor: (request: IncomingMessage) => boolean
}

export interface Shedding {
  gate: Gate
  ids: Ids
  /** Told of every request that was refused here. */
  onShed: () => void
}

/** So many refusals in a second are a small part of what a core can do: the more connections wait, the longer each of them does. */
const REFUSALS_PER_SECOND = 2_000

const BODY = JSON.stringify(bodyOf(OVERLOADED))

export function shedOverload({ gate, ids, onShed }: Shedding, serve: RequestListener): RequestListener {
  let resting = 0
  const refuse = (request: IncomingMessage, response: ServerResponse) => {
    const seconds = 1 + Math.floor(resting / REFUSALS_PER_SECOND)
    response.writeHead(503, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(BODY),
      'retry-after': String(seconds),
      'x-request-id': ids.next(),
    })
    response.end(BODY)
    onShed()
    // Once Node has done with the request, of which the body may still be on its way.
    response.once('close', () => setImmediate(() => rest(request.socket, seconds)))
  }
  const rest = (socket: Socket, seconds: number) => {
    if (socket.destroyed) return
    resting += 1
    socket.pause()
    const wake = () => {
      resting -= 1
      clearTimeout(timer)
      socket.off('close', wake)
      socket.resume()
    }
    const timer = setTimeout(wake, seconds * 1000).unref()
    socket.once('close', wake)
  }
  return (request, response) => {
    if (gate.isShutFor(request)) refuse(request, response)
    else serve(request, response)
  }
}
