// The role that stands for the outside world: a small SMSC of our own, in real SMPP 3.4 on loopback, in which the number
// a message goes to decides what becomes of it; with a second door, over HTTP.
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { HandsetList, HandsetReply, TriggerEnding } from '../domain/messages/handset-message.ts'
import type { Chance } from '../runtime/chance.ts'
import type { Clock } from '../runtime/clock.ts'
import { inBackground, type Log } from '../runtime/log.ts'
import type { ServiceRole } from '../runtime/loop.ts'
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
  /** Where this one is taken, any free one will do. */
  port: number
  /** Of the HTTP API for carriers; likewise. */
  httpPort: number
  /** the name of the service it belongs to: whoever knows another's is sent away, for his messages are none of ours. */
  systemId: string
  password: string
  receiptDelayMs: number
  segmentsPerSecond: number | null
}

/** For everybody else; whoever binds so hears of no messages but his own. */
const GUEST = { systemId: 'simulator', password: 'hulaki' }

const USUAL_SETTINGS: SimulatorSettings = {
  port: 2775,
  httpPort: 2776,
  ...GUEST,
  receiptDelayMs: 0,
  segmentsPerSecond: null,
}

interface SimulatorOptions {
  clock: Clock
  chance: Chance
  log: Log
  settings?: Partial<SimulatorSettings>
}

const HOST = '127.0.0.1'
const TAKEN = 'the port of the simulator is taken, as by that of another Hulaki; ours listens on another port'
const SMPP_3_4 = 0x34
const WINDOW = 100
/** Twice the largest window a carrier may be given: nobody is held back while he waits for answers. */
const INBOUND_LIMIT = 2_000

export async function startSimulator({ settings, ...ports }: SimulatorOptions): Promise<Simulator> {
  const simulator = new Simulator(ports, { ...USUAL_SETTINGS, ...settings })
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

  /** Made by startSimulator. */
  constructor(ports: { clock: Clock; chance: Chance; log: Log }, settings: SimulatorSettings) {
    this.#settings = settings
    this.#log = ports.log
    this.#smsc = new Smsc({ ...ports, ...settings })
    this.#server = createServer((socket) =>
      inBackground(this.#welcome(socket), this.#log, 'a connection to the simulator'),
    )
    this.#httpApi = new HttpApi({ smsc: this.#smsc, log: ports.log, token: GUEST.password })
  }

  async listen(): Promise<void> {
    const { port, httpPort } = this.#settings
    await this.#listenOnOneOf(
      port,
      (it) => this.#listenOn(it),
      () => this.account.port,
    )
    await this.#listenOnOneOf(
      httpPort,
      (it) => this.#httpApi.listen(it),
      () => Number(new URL(this.httpUrl).port),
    )
    this.#server.on('error', (fault) => this.#log.error({ err: fault }, 'the simulator cannot take a connection'))
  }

  async #listenOnOneOf(wanted: number, listen: (port: number) => Promise<void>, found: () => number): Promise<void> {
    try {
      await listen(wanted)
    } catch (fault) {
      if (!(fault instanceof Error && 'code' in fault && fault.code === 'EADDRINUSE')) throw fault
      await listen(0)
      this.#log.warn({ taken: wanted, port: found() }, TAKEN)
    }
  }

  /** Where a carrier over HTTP finds it. */
  get httpUrl(): string {
    return this.#httpApi.url
  }

  /** Where to bind, and as whom. */
  get account(): { host: string; port: number; systemId: string; password: string } {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the simulator does not listen')
    return { host: HOST, port: address.port, systemId: this.#settings.systemId, password: this.#settings.password }
  }

  /** The last messages that reached a handset, and what handsets wrote, newest first. */
  handsets(number: string | null = null): HandsetList {
    return this.#smsc.messages(number)
  }

  /** A handset writes to the service. Says whether it was taken at once; else it is tried again later. */
  write(reply: Omit<HandsetReply, 'sentAt'>): Promise<boolean> {
    return this.#smsc.write(reply, this.#settings.systemId)
  }

  outcomes(): TriggerEnding[] {
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

  async #welcome(socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    let systemId = ''
    try {
      const session = await acceptSession(socket, {
        window: WINDOW,
        inboundLimit: INBOUND_LIMIT,
        onBind: (bind) => {
          systemId = bind.system_id
          return this.#judge(bind)
        },
        onHandlerFault: (fault) => this.#log.error({ err: fault }, 'the simulator failed at a submission'),
        handlers: { submit_sm: (pdu, session) => this.#smsc.submit(pdu, { session, systemId }) },
      })
      await this.#serve({ session, systemId })
    } catch (fault) {
      this.#log.debug({ err: fault }, 'a connection to the simulator was not bound')
    }
  }

  #judge({ system_id, password }: Pdu<BindCommand>): BindReply {
    const account = [this.#settings, GUEST].find(({ systemId }) => systemId === system_id)
    if (!account) return { status: commandStatus.ESME_RINVSYSID }
    if (password !== account.password) return { status: commandStatus.ESME_RINVPASWD }
    return { system_id: 'hulaki', tlvs: { sc_interface_version: SMPP_3_4 } }
  }

  async #serve(peer: Peer & { session: SmppSession }): Promise<void> {
    const { session } = peer
    this.#sessions.add(session)
    if (session.bindName !== 'bind_transmitter') this.#smsc.outbox.join(peer)
    const closing = await session.closed
    this.#log.debug({ closing }, 'a link of the simulator has ended')
    this.#smsc.outbox.leave(peer)
    this.#sessions.delete(session)
  }
}
