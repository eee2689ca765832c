// The simulator role: a small SMSC with SMPP 3.4 and an HTTP API on loopback. The recipient's number decides the outcome.
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { HandsetList, HandsetReply, OutcomeDescription } from '../domain/messages/handset-message.ts'
import type { Clock } from '../runtime/clock.ts'
import { inBackground, type Log } from '../runtime/log.ts'
import type { ServiceRole } from '../runtime/loop.ts'
import type { Random } from '../runtime/random.ts'
import type { BindCommand, Pdu } from '../smpp/commands.ts'
import { acceptSession } from '../smpp/open-session.ts'
import type { SmppSession } from '../smpp/session.ts'
import type { BindReply } from '../smpp/session-options.ts'
import { commandStatus } from '../smpp/status.ts'
import { HttpApi } from './http-api.ts'
import type { Peer } from './outbox.ts'
import { listOutcomes } from './outcomes.ts'
import { Smsc } from './smsc.ts'

export interface SimulatorSettings {
  /** If this port is in use, a free one is chosen. */
  port: number
  /** The port of the HTTP API; chosen in the same way. */
  httpPort: number
  /** Identifies the service: binds of other services are rejected. */
  systemId: string
  password: string
  receiptDelayMs: number
  segmentsPerSecond: number | null
}

/** For other clients, which get receipts of their own messages only. */
const GUEST_ACCOUNT = { systemId: 'simulator', password: 'hulaki' }

const DEFAULT_SETTINGS: SimulatorSettings = {
  port: 2775,
  httpPort: 2776,
  ...GUEST_ACCOUNT,
  receiptDelayMs: 0,
  segmentsPerSecond: null,
}

interface SimulatorOptions {
  clock: Clock
  random: Random
  log: Log
  settings?: Partial<SimulatorSettings>
}

const HOST = '127.0.0.1'
const SMPP_3_4 = 0x34
const WINDOW = 100
/** Twice the largest window of a carrier, so that no client is throttled by back-pressure. */
const INBOUND_LIMIT = 2_000

export async function startSimulator({ settings, ...ports }: SimulatorOptions): Promise<Simulator> {
  const simulator = new Simulator(ports, { ...DEFAULT_SETTINGS, ...settings })
  await simulator.listen()
  return simulator
}

export class Simulator implements ServiceRole {
  readonly name = 'simulator'
  readonly #settings: SimulatorSettings
  readonly #log: Log
  readonly #smsc: Smsc
  readonly #server: Server
  readonly #httpApi: HttpApi
  readonly #sockets = new Set<Socket>()
  readonly #sessions = new Set<SmppSession>()

  constructor(ports: { clock: Clock; random: Random; log: Log }, settings: SimulatorSettings) {
    this.#settings = settings
    this.#log = ports.log
    this.#smsc = new Smsc({ ...ports, ...settings })
    this.#server = createServer((socket) =>
      inBackground(this.#acceptConnection(socket), this.#log, 'serving a simulator connection'),
    )
    this.#httpApi = new HttpApi({ smsc: this.#smsc, log: ports.log, token: GUEST_ACCOUNT.password })
  }

  async listen(): Promise<void> {
    const { port, httpPort } = this.#settings
    await this.#listenWithFallback(
      port,
      (it) => this.#listenOn(it),
      () => this.account.port,
    )
    await this.#listenWithFallback(
      httpPort,
      (it) => this.#httpApi.listen(it),
      () => Number(new URL(this.httpUrl).port),
    )
    this.#server.on('error', (error) => this.#log.error({ err: error }, 'simulator server error'))
  }

  async #listenWithFallback(
    wanted: number,
    listen: (port: number) => Promise<void>,
    actualPort: () => number,
  ): Promise<void> {
    try {
      await listen(wanted)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
      await listen(0)
      this.#log.warn({ port: actualPort() }, `simulator port ${wanted} in use; using ${actualPort()}`)
    }
  }

  /** The base URL of the HTTP API. */
  get httpUrl(): string {
    return this.#httpApi.url
  }

  /** The address and credentials of the service's own carrier. */
  get account(): { host: string; port: number; systemId: string; password: string } {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the simulator is not listening')
    return { host: HOST, port: address.port, systemId: this.#settings.systemId, password: this.#settings.password }
  }

  /** The latest messages and replies of the handsets, newest first. */
  handsets(number: string | null = null): HandsetList {
    return this.#smsc.messages(number)
  }

  /** Sends a reply to the service. Returns whether it was accepted at once; otherwise it is retried. */
  write(reply: Omit<HandsetReply, 'sentAt'>): Promise<boolean> {
    return this.#smsc.write(reply, this.#settings.systemId)
  }

  outcomes(): OutcomeDescription[] {
    return listOutcomes()
  }

  settle(): Promise<boolean> {
    return this.#smsc.settle()
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#smsc.stop()
    await this.#httpApi.close()
    await Promise.all(Array.from(this.#sessions, (session) => session.drain()))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async #listenOn(port: number): Promise<void> {
    this.#server.listen(port, HOST)
    await once(this.#server, 'listening')
  }

  async #acceptConnection(socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    let systemId = ''
    try {
      const session = await acceptSession(socket, {
        window: WINDOW,
        inboundLimit: INBOUND_LIMIT,
        onBind: (bind) => {
          systemId = bind.system_id
          return this.#authenticate(bind)
        },
        onHandlerError: (error) => this.#log.error({ err: error }, 'simulator submission failed'),
        handlers: { submit_sm: (pdu, session) => this.#smsc.submit(pdu, { session, systemId }) },
      })
      await this.#serve({ session, systemId })
    } catch (error) {
      this.#log.debug({ err: error }, 'simulator bind failed')
    }
  }

  #authenticate({ system_id, password }: Pdu<BindCommand>): BindReply {
    const account = [this.#settings, GUEST_ACCOUNT].find(({ systemId }) => systemId === system_id)
    if (!account) return { status: commandStatus.ESME_RINVSYSID }
    if (password !== account.password) return { status: commandStatus.ESME_RINVPASWD }
    return { system_id: 'hulaki', tlvs: { sc_interface_version: SMPP_3_4 } }
  }

  async #serve(peer: Peer & { session: SmppSession }): Promise<void> {
    const { session } = peer
    this.#sessions.add(session)
    if (session.bindName !== 'bind_transmitter') this.#smsc.outbox.join(peer)
    const closing = await session.closed
    this.#log.debug({ closing }, 'simulator connection closed')
    this.#smsc.outbox.leave(peer)
    this.#sessions.delete(session)
  }
}
