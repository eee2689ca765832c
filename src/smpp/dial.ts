// Opens a TCP or TLS connection with a timeout.
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export type DialOptions = {
  host: string
  port: number
  /**
   * The certificate is always verified, for `servername` or the host. `ca` replaces the system's CAs; `cert` and `key` are the client
   * certificate.
   */
  tls?: { servername?: string; ca?: string | Buffer; cert?: string; key?: string } | undefined
  /** Aborts the attempt; has no effect on an open connection. */
  signal?: AbortSignal | undefined
}

export async function dial({ host, port, tls, signal }: DialOptions, connectMs: number): Promise<Socket> {
  signal?.throwIfAborted()
  const socket = tls
    ? connectTls({ host, port, ...tls, ...nameOf(host, tls), ...VERIFIED })
    : connectTcp({ host, port })
  const fail = (why: string) => socket.destroy(new Error(`${host}:${port}: ${why}`))
  const timer = setTimeout(fail, connectMs, `no connection within ${connectMs} ms`)
  const abort = () => fail('connection attempt aborted')
  signal?.addEventListener('abort', abort)
  try {
    await once(socket, tls ? 'secureConnect' : 'connect')
    return socket
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** Overrides NODE_TLS_REJECT_UNAUTHORIZED, because carriers get OTPs. */
const VERIFIED = { rejectUnauthorized: true }

/** RFC 6066 §3: the server name must not be an IP address; Node verifies addresses without it. */
function nameOf(host: string, { servername = host }: { servername?: string }): { servername: string } {
  return { servername: isIP(servername) ? '' : servername }
}
