// A stop waits for requests, not for connections: Node's close() would also wait for whoever connected and never asked.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** What was on its way when the stop began gets this long to arrive whole. */
const ARRIVAL_MS = 300
const LOOK_MS = 50

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

/** Once a stop has answered every request in hand, hangs up on whoever is still connected. */
export function hangUpAfterDrain(app: FastifyInstance): void {
  // Those of TLS count from their first byte, long before there is a connection that HTTP knows of.
  const connected = new Set<Socket>()
  /** The latest of each connection: pipelined ones are answered in order, so it is also the last to be done. */
  const exchanges = new Map<Socket, Exchange>()
  app.server.on('connection', (socket: Socket) => {
    connected.add(socket)
    socket.once('close', () => connected.delete(socket))
  })
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (!exchanges.has(socket)) socket.once('close', () => exchanges.delete(socket))
    exchanges.set(socket, { request, response })
  })
  const hangUp = async () => {
    await sleep(ARRIVAL_MS, null, { ref: false })
    while ([...exchanges.values()].some(isInHand)) await sleep(LOOK_MS, null, { ref: false })
    for (const socket of connected) socket.destroy()
  }
  // Beside the close, not before it: nothing new is accepted meanwhile.
  app.addHook('preClose', (done) => {
    hangUp()
    done()
  })
}

/** A request of which only a part has come is its sender's to finish or to repeat. */
function isInHand({ request, response }: Exchange): boolean {
  return request.complete && !response.writableFinished
}
