// Opens a connection, plain or TLS, within its time.
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export type DialOptions = {
  host: string
  port: number
  /**
   * TLS with the certificate verified, always: for this name, else for the host. An own CA may take the place of the system's; a
   * certificate and key are what we show ourselves by.
   */
  tls?: { servername?: string; ca?: string | Buffer; cert?: string; key?: string } | undefined
  /** Gives up the attempt. It has no say over a connection that stands. */
  signal?: AbortSignal | undefined
}

export async function dial({ host, port, tls, signal }: DialOptions, connectMs: number): Promise<Socket> {
  signal?.throwIfAborted()
  const socket = tls
    ? connectTls({ host, port, ...tls, ...nameOf(host, tls), ...VERIFIED })
    : connectTcp({ host, port })
  const giveUp = (why: string) => socket.destroy(new Error(`${host}:${port}: ${why}`))
  const timer = setTimeout(giveUp, connectMs, `no connection within ${connectMs} ms`)
  const abort = () => giveUp('the attempt was given up')
  signal?.addEventListener('abort', abort)
  try {
    await once(socket, tls ? 'secureConnect' : 'connect')
    return socket
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** Whatever NODE_TLS_REJECT_UNAUTHORIZED says: a carrier gets codes. */
const VERIFIED = { rejectUnauthorized: true }

/** RFC 6066 §3: a server is named by its name, never by an address; Node verifies an address without being told. */
function nameOf(host: string, { servername = host }: { servername?: string }): { servername: string } {
  return { servername: isIP(servername) ? '' : servername }
}
