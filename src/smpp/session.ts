// One connection between an ESME and an SMSC, seen from either end, from its bind to its close (SMPP 3.4 §2.2, §2.3).
import type { Socket } from 'node:net'
import { BindError, type Closing } from './closing.ts'
import { decode, encode, RecoverablePduError } from './codec.ts'
import {
  type BindCommand,
  type Body,
  isResponse,
  type MessageName,
  type OutgoingPdu,
  type Pdu,
  type RequestName,
  type ResponseName,
  responseTo,
} from './commands.ts'
import { Heartbeat } from './heartbeat.ts'
import { Inbound } from './inbound.ts'
import { SmppLink } from './link.ts'
import { type BindReply, defaultLimits, defaultTimers, type Reply, type Timers } from './session-options.ts'
import { commandStatus } from './status.ts'
import { type PduAnswer, type PduRequest, type RequestOutcome, RequestWindow } from './window.ts'

type ControlRequest = Pick<PduRequest, 'timeoutMs' | 'settle'>

/** A Session begins as 'binding'; 'connecting' is what connectSession tells before there is one. */
export type SessionState = 'connecting' | 'binding' | 'bound' | 'draining' | 'closed'

/**
 * Its reply is sent when it resolves. If it throws, the peer hears of a fault and may try again.
 * undefined leaves the peer without an answer, as only one who plays a bad carrier would.
 */
type Handler<C extends MessageName> = (
  request: Pdu<C>,
  session: SmppSession,
) => Reply<C> | undefined | Promise<Reply<C> | undefined>

/** The SMSC's verdict on a bind; a status other than ESME_ROK refuses it. */
export type BindHandler = (bind: Pdu<BindCommand>, session: SmppSession) => BindReply | Promise<BindReply>
export type SessionOptions = {
  handlers?: { [C in MessageName]?: Handler<C> }
  /** How many requests of ours may be in flight. */
  window?: number
  /** How many requests of the peer's may be unanswered before we stop reading. */
  inboundLimit?: number
  maxFrameBytes?: number
  firstSequence?: number
  timers?: Partial<Timers>
  onState?(state: SessionState): void
  onHandlerFault?(error: unknown, request: Pdu): void
  /** Every PDU, as it came or goes; the bytes are the session's own. */
  onFrame?(frame: Buffer, way: 'in' | 'out'): void
  /** A response to nothing we asked. */
  onStray?(response: Pdu<ResponseName>): void
}

export class SmppSession {
  /** Resolves when the bind was accepted; rejects with BindError when the session ends before. */
  readonly bound: Promise<void>
  /** Resolves when the socket is closed; every request has been settled by then. */
  readonly closed: Promise<Closing>

  readonly #options: SessionOptions
  readonly #onBind: BindHandler | undefined
  readonly #timers: typeof defaultTimers
  readonly #link: SmppLink
  readonly #window: RequestWindow
  readonly #inbound: Inbound
  readonly #heartbeat: Heartbeat
  readonly #boundSignal = Promise.withResolvers<void>()
  readonly #quietSignal = Promise.withResolvers<void>()
  readonly #closedSignal = Promise.withResolvers<Closing>()
  readonly #bindTimer: NodeJS.Timeout
  #drainTimer: NodeJS.Timeout | undefined
  #draining: Promise<Closing> | undefined
  #state: SessionState = 'binding'
  #bindName: BindCommand | undefined
  #closing: Closing = { reason: 'lost' }

  /** Made by connectSession and acceptSession. With a bind handler this end is the SMSC. */
  constructor(socket: Socket, options: SessionOptions, onBind?: BindHandler) {
    const limits = { ...defaultLimits, ...options }
    this.#options = options
    this.#onBind = onBind
    this.#timers = { ...defaultTimers, ...options.timers }
    this.bound = this.#boundSignal.promise
    this.bound.catch(() => {}) // nobody is obliged to wait for it
    this.closed = this.#closedSignal.promise
    this.#link = new SmppLink(
      socket,
      { maxFrameBytes: limits.maxFrameBytes, lingerMs: this.#timers.lingerMs },
      {
        frame: (frame) => this.#receive(frame),
        wrote: (bytes) => options.onFrame?.(bytes, 'out'),
        relieved: () => this.#advance(),
        garbled: (error) => this.#refuseStream(error),
        closed: (error) => this.#socketClosed(error),
      },
    )
    this.#window = new RequestWindow({
      limit: limits.window,
      firstSequence: limits.firstSequence,
      onFreed: () => this.#advance(),
    })
    this.#inbound = new Inbound({
      link: this.#link,
      limit: limits.inboundLimit,
      onHandlerFault: options.onHandlerFault,
      onChange: () => this.#inboundChanged(),
    })
    this.#heartbeat = new Heartbeat({
      idleMs: this.#timers.enquireAfterMs,
      answerMs: this.#timers.enquireAnswerMs,
      ask: () => this.#link.write(encode({ command: 'enquire_link', sequence: this.#window.nextSequence() })),
      giveUp: () => this.#end({ reason: 'silent' }),
    })
    this.#bindTimer = setTimeout(() => this.#end({ reason: 'bind_timeout' }), this.#timers.bindMs)
    options.onState?.('binding')
  }

  get state(): SessionState {
    return this.#state
  }

  /** How this session was bound, or is being bound. */
  get bindName(): BindCommand | undefined {
    return this.#bindName
  }

  /** How many requests would be written at once if they were made now. */
  get room(): number {
    return this.#state === 'bound' ? this.#window.room : 0
  }

  submit(message: Body<'submit_sm'>, onLateAnswer?: (answer: PduAnswer) => void): Promise<RequestOutcome> {
    return this.request('submit_sm', message, onLateAnswer)
  }

  deliver(message: Body<'deliver_sm'>, onLateAnswer?: (answer: PduAnswer) => void): Promise<RequestOutcome> {
    return this.request('deliver_sm', message, onLateAnswer)
  }

  /**
   * Sends a message and tells what became of it; waits for its place while the window is full.
   * After an outcome of 'unknown' an answer may still come on the same link: `onLateAnswer` hears it.
   * Rejects only with UnwritablePduError, for a message that must not reach the wire.
   */
  async request<C extends MessageName>(
    command: C,
    message: Body<C>,
    onLateAnswer?: (answer: PduAnswer) => void,
  ): Promise<RequestOutcome> {
    if (this.#state !== 'bound') return { kind: 'not_written' }
    const sequence = this.#window.nextSequence()
    const bytes = encode({ ...message, command, sequence } as OutgoingPdu)
    return new Promise((settle) => {
      this.#window.wait({ command, sequence, bytes, timeoutMs: this.#timers.responseMs, settle, onLateAnswer })
      this.#advance()
    })
  }

  /** Asks whether the peer is there, past the window: it answers at once, or is not. */
  async enquire(timeoutMs: number): Promise<RequestOutcome> {
    if (this.#state !== 'bound') return { kind: 'not_written' }
    return new Promise((settle) => this.#control('enquire_link', {}, { timeoutMs, settle }))
  }

  /** The ESME's first request; `bound` tells how it went. */
  bind(command: BindCommand, fields: Body<BindCommand>): void {
    this.#bindName = command
    const settle = (outcome: RequestOutcome) => {
      // Without an answer it is the bind timer or the end of the link that decides.
      if (outcome.kind !== 'answered') return
      // At once, not a promise later: the next frame of the same chunk may be a deliver_sm.
      if (outcome.status === commandStatus.ESME_ROK) this.#becomeBound()
      else this.#end({ reason: 'bind_refused', status: outcome.status })
    }
    this.#control(command, fields, { timeoutMs: this.#timers.bindMs, settle })
  }

  /** Takes no new requests, lets those under way finish, unbinds and closes. */
  drain(): Promise<Closing> {
    this.#draining ??= this.#unbindWhenQuiet()
    return this.#draining
  }

  /** Ends the connection at once. */
  close(): void {
    this.#end({ reason: 'closed' })
  }

  #receive(frame: Buffer): void {
    this.#heartbeat.heard()
    this.#options.onFrame?.(frame, 'in')
    const pdu = this.#read(frame)
    if (pdu === undefined) return
    if (isResponse(pdu)) this.#takeResponse(pdu)
    else this.#takeRequest(pdu)
  }

  #read(frame: Buffer): Pdu | undefined {
    try {
      return decode(frame)
    } catch (error) {
      if (!(error instanceof RecoverablePduError)) throw error
      if (error.wantsNoAnswer) return undefined
      this.#inbound.owe()
      const command = error.command === undefined ? 'generic_nack' : responseTo(error.command)
      this.#inbound.reply({ command, sequence: error.sequence, status: error.status })
      return undefined
    }
  }

  #takeResponse(pdu: Pdu<ResponseName>): void {
    const isStray = this.#window.answer(pdu) === 'stray'
    // An enquire_link_resp has said all it has to say by coming.
    if (isStray && pdu.command !== 'enquire_link_resp') this.#options.onStray?.(pdu)
  }

  #takeRequest(pdu: Pdu<RequestName>): void {
    if (!this.#link.isOpen) return // nobody is left to answer
    this.#inbound.owe()
    switch (pdu.command) {
      case 'enquire_link':
        this.#inbound.reply({ command: 'enquire_link_resp', sequence: pdu.sequence })
        break
      case 'unbind':
        this.#followUnbind(pdu).catch(this.#fail)
        break
      case 'bind_receiver':
      case 'bind_transmitter':
      case 'bind_transceiver':
        this.#answerBind(pdu).catch(this.#fail)
        break
      case 'submit_sm':
        this.#serve(pdu, this.#options.handlers?.submit_sm)
        break
      case 'deliver_sm':
        this.#serve(pdu, this.#options.handlers?.deliver_sm)
        break
      case 'data_sm':
        this.#serve(pdu, this.#options.handlers?.data_sm)
        break
      default:
        throw pdu satisfies never
    }
  }

  #serve<C extends MessageName>(request: Pdu<C> & Pdu<MessageName>, handler: Handler<C> | undefined): void {
    const { command, sequence } = request
    const isOutOfPlace = this.#state === 'binding' || (command === 'submit_sm' && this.#bindName === 'bind_receiver')
    if (handler === undefined) {
      this.#inbound.reply({ command: 'generic_nack', sequence, status: commandStatus.ESME_RINVCMDID })
    } else if (isOutOfPlace) {
      this.#inbound.reply({ command: responseTo(command), sequence, status: commandStatus.ESME_RINVBNDSTS })
    } else {
      this.#inbound.serve(request, () => handler(request, this)).catch(this.#fail)
    }
  }

  async #answerBind(bind: Pdu<BindCommand>): Promise<void> {
    const onBind = this.#onBind
    if (onBind === undefined || this.#bindName !== undefined) {
      const { ESME_RALYBND: status } = commandStatus
      return this.#inbound.reply({ command: responseTo(bind.command), sequence: bind.sequence, status })
    }
    this.#bindName = bind.command
    const status = await this.#inbound.serve(bind, () => onBind(bind, this))
    if (status === commandStatus.ESME_ROK) this.#becomeBound()
    else this.#end({ reason: 'bind_refused', status })
  }

  #becomeBound(): void {
    if (this.#state !== 'binding') return
    clearTimeout(this.#bindTimer)
    this.#heartbeat.start()
    this.#enter('bound')
    this.#boundSignal.resolve()
  }

  async #unbindWhenQuiet(): Promise<Closing> {
    if (this.#state === 'binding') this.close()
    const { drainMs, responseMs } = this.#timers
    // A request that is cut off before its answer may come is unknown, and an unknown one may have been accepted.
    await this.#quieten(Math.max(drainMs, responseMs))
    if (this.#state === 'draining') {
      const timeoutMs = drainMs
      await new Promise<RequestOutcome>((settle) => this.#control('unbind', {}, { timeoutMs, settle }))
      this.#end({ reason: 'unbound' })
    }
    return this.closed
  }

  // Our own answers are still read and the peer's still written, for as long as both sides have patience.
  async #followUnbind(unbind: Pdu<'unbind'>): Promise<void> {
    await this.#quieten(this.#timers.drainMs)
    this.#inbound.reply({ command: 'unbind_resp', sequence: unbind.sequence })
    this.#end({ reason: 'unbound' })
  }

  /** Stops new requests; resolves when none is under way on either side, or after the limit. */
  #quieten(limitMs: number): Promise<void> {
    if (this.#state === 'bound' || this.#state === 'binding') {
      this.#enter('draining')
      this.#window.refuseWaiting()
      this.#drainTimer = setTimeout(() => this.#quietSignal.resolve(), limitMs)
      this.#checkQuiet()
    }
    return this.#quietSignal.promise
  }

  #checkQuiet(): void {
    const isQuiet = this.#window.inFlight === 0 && this.#inbound.runningHandlers === 0
    if (this.#state === 'draining' && isQuiet) this.#quietSignal.resolve()
  }

  /** Writes what waits, as far as the window and the socket have room. */
  #advance(): void {
    while (this.#link.isOpen && !this.#link.isCongested) {
      const request = this.#window.next()
      if (request === undefined) break
      this.#window.launch(request)
      this.#link.write(request.bytes)
    }
    this.#checkQuiet()
  }

  /** A request about the session itself goes past the window: it must not wait for messages. */
  #control<C extends BindCommand | 'unbind' | 'enquire_link'>(
    command: C,
    body: Body<C>,
    request: ControlRequest,
  ): void {
    const sequence = this.#window.nextSequence()
    const bytes = encode({ ...body, command, sequence } as OutgoingPdu)
    this.#window.launch({ ...request, command, sequence, bytes })
    this.#link.write(bytes)
  }

  #inboundChanged(): void {
    // While it is we who do not listen, silence says nothing about the peer.
    if (this.#inbound.isHoldingPeer) this.#heartbeat.stop()
    else if (this.#state === 'bound' || this.#state === 'draining') this.#heartbeat.start()
    this.#checkQuiet()
  }

  #refuseStream(error: Error): void {
    // Without a frame there is no sequence number to answer to: SMPP 3.4 §4.3.1 has 0 for that.
    this.#link.write(encode({ command: 'generic_nack', sequence: 0, status: commandStatus.ESME_RINVCMDLEN }))
    this.#end({ reason: 'garbled', error })
  }

  #socketClosed(error: Error | undefined): void {
    this.#end({ reason: 'lost', error })
    this.#closedSignal.resolve(this.#closing)
  }

  /** A failure of our own code ends this session, not the process. */
  readonly #fail = (fault: unknown): void => {
    this.#end({ reason: 'lost', error: fault instanceof Error ? fault : new Error(String(fault)) })
  }

  #end(closing: Closing): void {
    if (this.#state === 'closed') return
    this.#closing = closing
    this.#enter('closed')
    clearTimeout(this.#bindTimer)
    clearTimeout(this.#drainTimer)
    this.#heartbeat.stop()
    this.#window.abandon()
    this.#boundSignal.reject(new BindError(closing))
    this.#quietSignal.resolve()
    const hasLastWords = ['unbound', 'bind_refused', 'garbled'].includes(closing.reason)
    if (hasLastWords) this.#link.end()
    else this.#link.destroy()
  }

  #enter(state: SessionState): void {
    this.#state = state
    this.#options.onState?.(state)
  }
}
