// A raw peer that does exactly what a test says.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { decode, encode } from '../../src/smpp/codec.ts'
import type { CommandName, OutgoingPdu, Pdu } from '../../src/smpp/commands.ts'
import { FrameReader } from '../../src/smpp/frame-reader.ts'
import { type AcceptOptions, acceptSession, type ConnectOptions, connectSession } from '../../src/smpp/open-session.ts'
import type { SmppSession } from '../../src/smpp/session.ts'

export class RawPeer {
  readonly socket: Socket
  readonly #frames = new FrameReader(1024 * 1024)
  readonly #unread: Pdu[] = []
  readonly #readers: ((pdu: Pdu) => void)[] = []

  constructor(socket: Socket) {
    this.socket = socket
    socket.setNoDelay(true)
    socket.on('error', () => {}) // the test observes the session's side
    socket.on('data', (chunk) => this.#receive(chunk as Buffer))
  }

  /** The next PDU, which must have this command. */
  async next<C extends CommandName>(command: C): Promise<Pdu<C>> {
    const pdu = this.#unread.shift() ?? (await new Promise<Pdu>((resolve) => this.#readers.push(resolve)))
    if (pdu.command !== command) throw new Error(`expected ${command}, got ${pdu.command}`)
    return pdu as Pdu<C>
  }

  get unread(): readonly Pdu[] {
    return this.#unread
  }

  /** Sends PDUs in one chunk. */
  send(...pdus: OutgoingPdu[]): void {
    this.sendBytes(Buffer.concat(pdus.map(encode)))
  }

  sendBytes(bytes: Buffer): void {
    this.socket.write(bytes)
  }

  /** Whether the session has closed the connection. */
  async ended(): Promise<void> {
    this.socket.resume()
    if (!this.socket.closed) await once(this.socket, 'close')
  }

  #receive(chunk: Buffer): void {
    this.#frames.append(chunk)
    for (let frame = this.#frames.next(); frame; frame = this.#frames.next()) {
      const pdu = decode(frame)
      const reader = this.#readers.shift()
      if (reader) reader(pdu)
      else this.#unread.push(pdu)
    }
  }
}

export async function listen(t: TestContext, onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    t.after(() => socket.destroy())
    onSocket(socket)
  })
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A raw SMSC that waits for one connection, and the connect options for it. */
export async function rawSmsc(t: TestContext) {
  const connected = Promise.withResolvers<RawPeer>()
  const port = await listen(t, (socket) => connected.resolve(new RawPeer(socket)))
  const target = {
    host: '127.0.0.1',
    port,
    bindName: 'bind_transceiver',
    bind: { system_id: 'esme', password: 'secret' },
  } as const
  return { smsc: connected.promise, target }
}

/** Our ESME session, bound to a raw SMSC. */
export async function boundEsme(t: TestContext, options: Partial<ConnectOptions> = {}) {
  const { smsc, target } = await rawSmsc(t)
  const connecting = connectSession({ ...target, ...options })
  const peer = await smsc
  const bind = await peer.next('bind_transceiver')
  peer.send({ command: 'bind_transceiver_resp', sequence: bind.sequence, system_id: 'smsc' })
  const session = await connecting
  t.after(() => session.close())
  return { session, smsc: peer }
}

/** Our SMSC session with a bound raw ESME. */
export async function boundSmsc(t: TestContext, options: Partial<AcceptOptions> = {}) {
  const accepted = Promise.withResolvers<Promise<SmppSession>>()
  const port = await listen(t, (socket) => {
    accepted.resolve(acceptSession(socket, { onBind: () => ({ system_id: 'hulaki' }), ...options }))
  })
  const esme = await rawEsme(t, port)
  esme.send({ command: 'bind_transceiver', sequence: 1, system_id: 'esme' })
  await esme.next('bind_transceiver_resp')
  const session = await await accepted.promise
  t.after(() => session.close())
  return { session, esme }
}

export async function rawEsme(t: TestContext, port: number): Promise<RawPeer> {
  const socket = connect({ host: '127.0.0.1', port })
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return new RawPeer(socket)
}
