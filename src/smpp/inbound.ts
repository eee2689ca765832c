// The peer's requests, from their reading until the reply has left: bounds them by not reading on, survives their handlers.
import { encode } from './codec.ts'
import { type BindCommand, type MessageName, type OutgoingPdu, type Pdu, responseTo, type Tlvs } from './commands.ts'
import type { SmppLink } from './link.ts'
import { commandStatus } from './status.ts'

// What the peer is told where a handler of ours failed: an SMSC shall try again, an ESME hears of a fault of the system.
const faultStatus = {
  deliver_sm: commandStatus.ESME_RX_T_APPN,
  data_sm: commandStatus.ESME_RX_T_APPN,
  submit_sm: commandStatus.ESME_RSYSERR,
  bind_receiver: commandStatus.ESME_RBINDFAIL,
  bind_transmitter: commandStatus.ESME_RBINDFAIL,
  bind_transceiver: commandStatus.ESME_RBINDFAIL,
} as const satisfies Record<MessageName | BindCommand, number>

type Reply = { status?: number; message_id?: string; system_id?: string; tlvs?: Tlvs } | undefined

type InboundOptions = {
  link: SmppLink
  limit: number
  onHandlerFault: ((error: unknown, request: Pdu) => void) | undefined
  /** Called whenever what the getters tell may have changed. */
  onChange(): void
}

export class Inbound {
  readonly #options: InboundOptions
  /** Requests whose reply is not out yet: a peer that asks and asks but reads no answers is bounded as well. */
  #owedReplies = 0
  #runningHandlers = 0

  constructor(options: InboundOptions) {
    this.#options = options
  }

  get runningHandlers(): number {
    return this.#runningHandlers
  }

  /** Whether it is our own handlers' doing that the peer is not being read. */
  get isHoldingPeer(): boolean {
    return this.#owedReplies >= this.#options.limit && this.#runningHandlers > 0
  }

  /** A request has been read, and is to be answered. */
  owe(): void {
    this.#owedReplies += 1
    this.#regulate()
  }

  reply(pdu: OutgoingPdu): void {
    this.#send(encode(pdu))
  }

  /** Replies with what the handler says, whenever it says it. Returns the status that was replied. */
  async serve(request: Pdu<MessageName | BindCommand>, handle: () => Reply | Promise<Reply>): Promise<number> {
    this.#runningHandlers += 1
    this.#options.onChange()
    const status = await this.#answer(request, handle)
    this.#runningHandlers -= 1
    this.#options.onChange()
    return status
  }

  async #answer(request: Pdu<MessageName | BindCommand>, handle: () => Reply | Promise<Reply>): Promise<number> {
    const head = { command: responseTo(request.command), sequence: request.sequence }
    try {
      const reply = await handle()
      if (reply === undefined) this.#settleDebt()
      else this.#send(encode({ ...reply, ...head }))
      return reply?.status ?? commandStatus.ESME_ROK
    } catch (error) {
      this.#options.onHandlerFault?.(error, request)
      const status = faultStatus[request.command]
      this.#send(encode({ ...head, status }))
      return status
    }
  }

  #send(reply: Buffer): void {
    this.#options.link.write(reply, () => this.#settleDebt())
  }

  #settleDebt(): void {
    this.#owedReplies -= 1
    this.#regulate()
  }

  #regulate(): void {
    if (this.#owedReplies >= this.#options.limit) this.#options.link.pause()
    else this.#options.link.resume()
    this.#options.onChange()
  }
}
