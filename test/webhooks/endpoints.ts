// Endpoints on loopback for tests: HTTPS servers, and raw TLS servers with custom behaviour.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { listener, requestListener } from '../harness/background.ts'

export type CertificateName = 'receiver' | 'other-host' | 'self-signed'

export interface ReceivedRequest {
  headers: IncomingHttpHeaders
  /** The server name (SNI) of the connection. */
  serverName: string | false | null
  target: string
  body: Buffer
}

export interface Endpoint {
  port: number
  received: ReceivedRequest[]
  connections: { total: number; open: number }
  /** Closes every connection and refuses new ones. */
  close: () => void
}

/** A test, or another end of the work. */
interface Owner {
  after(close: () => void): void
}

interface EndpointOptions {
  certificate?: CertificateName
  address?: string
  /** Connections are accepted, but the TLS handshake waits for this. */
  untilHandshake?: Promise<void>
}

const pem = (name: string) => readFileSync(new URL(`./certificates/${name}.pem`, import.meta.url), 'utf8')

export const testCa = pem('ca.cert')

export async function startEndpoint(
  t: Owner,
  answer: (response: ServerResponse, request: IncomingMessage) => void,
  { certificate = 'receiver', address = '127.0.0.1', untilHandshake }: EndpointOptions = {},
): Promise<Endpoint> {
  const received: ReceivedRequest[] = []
  const server = createHttpsServer(
    credentials(certificate),
    requestListener(async (request, response) => {
      const { headers, url: target = '', socket } = request
      const serverName = socket instanceof TLSSocket && socket.servername
      received.push({ headers, serverName, target, body: Buffer.concat(await request.toArray()) })
      answer(response, request)
    }),
  )
  const silent = createTcpServer(
    { pauseOnConnect: true },
    listener(async (socket) => {
      await untilHandshake
      if (!socket.destroyed) server.emit('connection', socket)
    }),
  )
  return { received, ...(await listen(t, untilHandshake ? silent : server, address)) }
}

/** Calls `onRequest` with the connection after the first bytes of a request. */
export async function startRawEndpoint(t: Owner, onRequest: (socket: TLSSocket) => void): Promise<Endpoint> {
  const server = createTlsServer(credentials('receiver'), (socket) => {
    socket.on('error', () => {}) // The sender closes connections early in these tests.
    socket.once('data', () => onRequest(socket))
  })
  return { received: [], ...(await listen(t, server, '127.0.0.1')) }
}

export async function listen(t: Owner, server: Server, address: string): Promise<Omit<Endpoint, 'received'>> {
  const connections = { total: 0, open: 0 }
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.total += 1
    connections.open += 1
    sockets.add(socket)
    socket.once('close', () => {
      connections.open -= 1
      sockets.delete(socket)
    })
  })
  server.listen(0, address)
  await once(server, 'listening')
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  t.after(close)
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('an endpoint listens on a port')
  return { port: bound.port, connections, close }
}

function credentials(name: CertificateName): { key: string; cert: string } {
  return { key: pem(`${name}.key`), cert: pem(`${name}.cert`) }
}
