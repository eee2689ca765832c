// One SMPP session of either side, from bind to close (SMPP 3.4 §2.2, §2.3).
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

/** A session starts as 'binding'; connectSession reports 'connecting' before that. */
export type SessionState = 'connecting' | 'binding' | 'bound' | 'draining' | 'closed'

/**
 * The reply is sent when the handler resolves. If it throws, the peer gets an error and may retry. undefined sends no response, to
 * simulate a bad carrier.
 */
type Handler<C extends MessageName> = (
  request: Pdu<C>,
  session: SmppSession,
) => Reply<C> | undefined | Promise<Reply<C> | undefined>

/** A status other than ESME_ROK rejects the bind. */
export type BindHandler = (bind: Pdu<BindCommand>, session: SmppSession) => BindReply | Promise<BindReply>
export type SessionOptions = {
  handlers?: { [C in MessageName]?: Handler<C> }
  /** The maximum number of own requests in flight. */
  window?: number
  /** The number of unanswered peer requests after which reading pauses. */
  inboundLimit?: number
  maxFrameBytes?: number
  firstSequence?: number
  timers?: Partial<Timers>
  onState?(state: SessionState): void
  onHandlerError?(error: unknown, request: Pdu): void
  /** Called for every PDU; the bytes belong to the session. */
  onFrame?(frame: Buffer, way: 'in' | 'out'): void
  /** Called for a response without a matching request. */
  onUnexpectedResponse?(response: Pdu<ResponseName>): void
}

export class SmppSession {
  /** Resolves after the bind; rejects with BindError if the session ends before. */
  readonly bound: Promise<void>
  /** Resolves when the socket is closed and every request is settled. */
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

  /** Use connectSession or acceptSession. With a bind handler this side is the SMSC. */
  constructor(socket: Socket, options: SessionOptions, onBind?: BindHandler) {
    const limits = { ...defaultLimits, ...options }
    this.#options = options
    this.#onBind = onBind
    this.#timers = { ...defaultTimers, ...options.timers }
    this.bound = this.#boundSignal.promise
    this.bound.catch(() => {}) // awaiting it is optional
    this.closed = this.#closedSignal.promise
    this.#link = new SmppLink(
      socket,
      { maxFrameBytes: limits.maxFrameBytes, lingerMs: this.#timers.lingerMs },
      {
        frame: (frame) => this.#receive(frame),
        wrote: (bytes) => options.onFrame?.(bytes, 'out'),
        relieved: () => this.#advance(),
        garbled: (error) => this.#rejectStream(error),
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
      onHandlerError: options.onHandlerError,
      onInternalError: (error) => this.#fail(error),
      onChange: () => this.#inboundChanged(),
    })
    this.#heartbeat = new Heartbeat({
      idleMs: this.#timers.enquireAfterMs,
      answerMs: this.#timers.enquireAnswerMs,
      ping: () => this.#link.write(encode({ command: 'enquire_link', sequence: this.#window.nextSequence() })),
      onTimeout: () => this.#end({ reason: 'silent' }),
    })
    this.#bindTimer = setTimeout(() => this.#end({ reason: 'bind_timeout' }), this.#timers.bindMs)
    options.onState?.('binding')
  }

  get state(): SessionState {
    return this.#state
  }

  /** The bind command of this session. */
  get bindName(): BindCommand | undefined {
    return this.#bindName
  }

  /** How many requests could be written at once now. */
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
   * Sends a message and resolves with its outcome; waits while the window is full. A response after an 'unknown' outcome goes to
   * `onLateAnswer`. Rejects only with UnwritablePduError.
   */
  async request<C extends MessageName>(
    command: C,
    message: Body<C>,
    onLateAnswer?: (answer: PduAnswer) => void,
  ): Promise<RequestOutcome> {
    return new Promise((settle) => this.send(command, message, { settle, onLateAnswer }))
  }

  /** Like `request`, without a promise. Throws only UnwritablePduError, and then calls nothing. */
  send<C extends MessageName>(
    command: C,
    message: Body<C>,
    { settle, onLateAnswer }: Pick<PduRequest, 'settle' | 'onLateAnswer'>,
  ): void {
    if (this.#state !== 'bound') {
      settle({ kind: 'not_written' })
      return
    }
    const sequence = this.#window.nextSequence()
    const bytes = encode({ ...message, command, sequence } as OutgoingPdu)
    this.#window.wait({ command, sequence, bytes, timeoutMs: this.#timers.responseMs, settle, onLateAnswer })
    this.#advance()
  }

  /** Sends an enquire_link outside of the window. */
  async enquire(timeoutMs: number): Promise<RequestOutcome> {
    if (this.#state !== 'bound') return { kind: 'not_written' }
    return new Promise((settle) => this.#control('enquire_link', {}, { timeoutMs, settle }))
  }

  /** The ESME's first request; see `bound` for its result. */
  bind(command: BindCommand, fields: Body<BindCommand>): void {
    this.#bindName = command
    const settle = (outcome: RequestOutcome) => {
      // Without a response, the bind timer or the end of the link decides.
      if (outcome.kind !== 'answered') return
      // Synchronous: the next frame of the same chunk may be a deliver_sm.
      if (outcome.status === commandStatus.ESME_ROK) this.#setBound()
      else this.#end({ reason: 'bind_refused', status: outcome.status })
    }
    this.#control(command, fields, { timeoutMs: this.#timers.bindMs, settle })
  }

  /** Accepts no new requests, waits for those in flight, unbinds and closes. */
  drain(): Promise<Closing> {
    this.#draining ??= this.#unbindWhenQuiet()
    return this.#draining
  }

  /** Closes immediately. */
  close(): void {
    this.#end({ reason: 'closed' })
  }

  #receive(frame: Buffer): void {
    this.#heartbeat.onFrame()
    this.#options.onFrame?.(frame, 'in')
    const pdu = this.#read(frame)
    if (pdu === undefined) return
    if (isResponse(pdu)) this.#handleResponse(pdu)
    else this.#handleRequest(pdu)
  }

  #read(frame: Buffer): Pdu | undefined {
    try {
      return decode(frame)
    } catch (error) {
      if (!(error instanceof RecoverablePduError)) throw error
      if (error.needsNoResponse) return undefined
      this.#inbound.expectReply()
      const command = error.command === undefined ? 'generic_nack' : responseTo(error.command)
      this.#inbound.reply({ command, sequence: error.sequence, status: error.status })
      return undefined
    }
  }

  #handleResponse(pdu: Pdu<ResponseName>): void {
    const isUnexpected = this.#window.answer(pdu) === 'unexpected'
    // An enquire_link_resp only shows that the peer is alive.
    if (isUnexpected && pdu.command !== 'enquire_link_resp') this.#options.onUnexpectedResponse?.(pdu)
  }

  #handleRequest(pdu: Pdu<RequestName>): void {
    if (!this.#link.isOpen) return // no way to reply
    this.#inbound.expectReply()
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
        this.#answerBind(pdu)
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
    const isNotAllowed = this.#state === 'binding' || (command === 'submit_sm' && this.#bindName === 'bind_receiver')
    if (handler === undefined) {
      this.#inbound.reply({ command: 'generic_nack', sequence, status: commandStatus.ESME_RINVCMDID })
    } else if (isNotAllowed) {
      this.#inbound.reply({ command: responseTo(command), sequence, status: commandStatus.ESME_RINVBNDSTS })
    } else {
      this.#inbound.serve(request, () => handler(request, this))
    }
  }

  #answerBind(bind: Pdu<BindCommand>): void {
    const onBind = this.#onBind
    if (onBind === undefined || this.#bindName !== undefined) {
      const { ESME_RALYBND: status } = commandStatus
      this.#inbound.reply({ command: responseTo(bind.command), sequence: bind.sequence, status })
      return
    }
    this.#bindName = bind.command
    this.#inbound.serve(
      bind,
      () => onBind(bind, this),
      (status) => {
        if (status === commandStatus.ESME_ROK) this.#setBound()
        else this.#end({ reason: 'bind_refused', status })
      },
    )
  }

  #setBound(): void {
    if (this.#state !== 'binding') return
    clearTimeout(this.#bindTimer)
    this.#heartbeat.start()
    this.#setState('bound')
    this.#boundSignal.resolve()
  }

  async #unbindWhenQuiet(): Promise<Closing> {
    if (this.#state === 'binding') this.close()
    const { drainMs, responseMs } = this.#timers
    // A request without its response is unknown, and the peer may have accepted it, so draining waits for the response timeout.
    await this.#waitUntilQuiet(Math.max(drainMs, responseMs))
    if (this.#state === 'draining') {
      const timeoutMs = drainMs
      await new Promise<RequestOutcome>((settle) => this.#control('unbind', {}, { timeoutMs, settle }))
      this.#end({ reason: 'unbound' })
    }
    return this.closed
  }

  // Responses are still read and replies still written until both sides are done or time out.
  async #followUnbind(unbind: Pdu<'unbind'>): Promise<void> {
    await this.#waitUntilQuiet(this.#timers.drainMs)
    this.#inbound.reply({ command: 'unbind_resp', sequence: unbind.sequence })
    this.#end({ reason: 'unbound' })
  }

  /** Stops new requests; resolves when none is in flight on either side, or after the limit. */
  #waitUntilQuiet(limitMs: number): Promise<void> {
    if (this.#state === 'bound' || this.#state === 'binding') {
      this.#setState('draining')
      this.#window.rejectWaiting()
      this.#drainTimer = setTimeout(() => this.#quietSignal.resolve(), limitMs)
      this.#checkQuiet()
    }
    return this.#quietSignal.promise
  }

  #checkQuiet(): void {
    const isQuiet = this.#window.inFlight === 0 && this.#inbound.runningHandlers === 0
    if (this.#state === 'draining' && isQuiet) this.#quietSignal.resolve()
  }

  /** Writes waiting requests while the window and the socket have room. */
  #advance(): void {
    while (this.#link.isOpen && !this.#link.isCongested) {
      const request = this.#window.next()
      if (request === undefined) break
      this.#window.launch(request)
      this.#link.write(request.bytes)
    }
    this.#checkQuiet()
  }

  /** Session requests bypass the window, so that they do not wait for messages. */
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
    // While reading is paused, silence says nothing about the peer.
    if (this.#inbound.isHoldingPeer) this.#heartbeat.stop()
    else if (this.#state === 'bound' || this.#state === 'draining') this.#heartbeat.start()
    this.#checkQuiet()
  }

  #rejectStream(error: Error): void {
    // SMPP 3.4 §4.3.1: sequence 0, because there is no frame.
    this.#link.write(encode({ command: 'generic_nack', sequence: 0, status: commandStatus.ESME_RINVCMDLEN }))
    this.#end({ reason: 'garbled', error })
  }

  #socketClosed(error: Error | undefined): void {
    this.#end({ reason: 'lost', error })
    this.#closedSignal.resolve(this.#closing)
  }

  /** An internal error ends this session, not the process. */
  readonly #fail = (error: unknown): void => {
    this.#end({ reason: 'lost', error: error instanceof Error ? error : new Error(String(error)) })
  }

  #end(closing: Closing): void {
    if (this.#state === 'closed') return
    this.#closing = closing
    this.#setState('closed')
    clearTimeout(this.#bindTimer)
    clearTimeout(this.#drainTimer)
    this.#heartbeat.stop()
    this.#window.abandon()
    this.#boundSignal.reject(new BindError(closing))
    this.#quietSignal.resolve()
    const mustFlush = ['unbound', 'bind_refused', 'garbled'].includes(closing.reason)
    if (mustFlush) this.#link.end()
    else this.#link.destroy()
  }

  #setState(state: SessionState): void {
    this.#state = state
    this.#options.onState?.(state)
  }
}
