// Serves the requests of the peer: limits them by pausing the socket and handles failing handlers.
import { encode } from './codec.ts'
import { type BindCommand, type MessageName, type OutgoingPdu, type Pdu, responseTo, type Tlvs } from './commands.ts'
import type { SmppLink } from './link.ts'
import { commandStatus } from './status.ts'

// The status after a failed handler: an SMSC retries, and an ESME gets a system error.
const failureStatus = {
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
  onHandlerError: ((error: unknown, request: Pdu) => void) | undefined
  /** Called with an internal error. */
  onInternalError(error: unknown): void
  /** Called when the getters may have changed. */
  onChange(): void
}

export class Inbound {
  readonly #options: InboundOptions
  /** Requests without a sent reply; also limits a peer that does not read replies. */
  #pendingReplies = 0
  #runningHandlers = 0

  constructor(options: InboundOptions) {
    this.#options = options
  }

  get runningHandlers(): number {
    return this.#runningHandlers
  }

  /** Whether reading is paused because of our own handlers. */
  get isHoldingPeer(): boolean {
    return this.#pendingReplies >= this.#options.limit && this.#runningHandlers > 0
  }

  /** Call for each request that needs a reply. */
  expectReply(): void {
    this.#pendingReplies += 1
    this.#regulate()
  }

  reply(pdu: OutgoingPdu): void {
    this.#send(encode(pdu))
  }

  /** Sends the handler's reply, then calls `onServed` with its status. */
  serve(
    request: Pdu<MessageName | BindCommand>,
    handle: () => Reply | Promise<Reply>,
    onServed?: (status: number) => void,
  ): void {
    this.#runningHandlers += 1
    this.#options.onChange()
    const end = (status: number) => {
      this.#runningHandlers -= 1
      this.#options.onChange()
      onServed?.(status)
    }
    const fail = (error: unknown) => {
      this.#options.onHandlerError?.(error, request)
      const status = failureStatus[request.command]
      this.#send(encode({ ...headOf(request), status }))
      end(status)
    }
    const succeed = (reply: Reply) => {
      let bytes: Buffer | null
      try {
        bytes = reply === undefined ? null : encode({ ...reply, ...headOf(request) })
      } catch (error) {
        return fail(error)
      }
      if (bytes === null) this.#replySent()
      else this.#send(bytes)
      end(reply?.status ?? commandStatus.ESME_ROK)
    }
    let handled: Reply | Promise<Reply>
    try {
      handled = handle()
    } catch (error) {
      fail(error)
      return
    }
    if (handled instanceof Promise) handled.then(succeed, fail).catch(this.#options.onInternalError)
    else succeed(handled)
  }

  #send(reply: Buffer): void {
    this.#options.link.write(reply, () => this.#replySent())
  }

  #replySent(): void {
    this.#pendingReplies -= 1
    this.#regulate()
  }

  #regulate(): void {
    if (this.#pendingReplies >= this.#options.limit) this.#options.link.pause()
    else this.#options.link.resume()
    this.#options.onChange()
  }
}

function headOf({ command, sequence }: Pdu<MessageName | BindCommand>) {
  return { command: responseTo(command), sequence }
}
