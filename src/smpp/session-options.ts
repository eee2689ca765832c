// What one may set about a session, from either end, and what holds where nothing is set.
import type { BindName, Body, MessageName, Pdu, ResponseName } from './commands.ts'
import type { Session, SessionState } from './session.ts'

/** What a request is answered with; without a status it was taken. */
export type Reply<C extends MessageName> = { status?: number } & Body<`${C}_resp`>

/**
 * Its reply is sent when it resolves. If it throws, the peer hears of a fault and may try again.
 * undefined leaves the peer without an answer, as only one who plays a bad carrier would.
 */
export type Handler<C extends MessageName> = (
  request: Pdu<C>,
  session: Session,
) => Reply<C> | undefined | Promise<Reply<C> | undefined>

/** The SMSC's verdict on a bind; a status other than ESME_ROK refuses it. */
export type BindHandler = (bind: Pdu<BindName>, session: Session) => BindReply | Promise<BindReply>
export type BindReply = { status?: number } & Body<'bind_transceiver_resp'>

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

export type Timers = {
  connectMs: number
  bindMs: number
  /** How long a written request waits for its answer. */
  responseMs: number
  /** After so long without a frame from the peer comes an enquire_link ... */
  enquireAfterMs: number
  /** ... and after so much longer the end. */
  enquireAnswerMs: number
  /** How long draining waits for what the peer asked, or for all answers after the peer's unbind, and then as long for unbind_resp. */
  drainMs: number
  /** How long a peer may take to close its side after we have closed ours. */
  lingerMs: number
}

export const defaultTimers: Timers = {
  connectMs: 10_000,
  bindMs: 10_000,
  responseMs: 30_000,
  enquireAfterMs: 30_000,
  enquireAnswerMs: 10_000,
  drainMs: 10_000,
  lingerMs: 1_000,
}

export const defaultLimits = {
  window: 10,
  inboundLimit: 100,
  maxFrameBytes: 64 * 1024,
  firstSequence: 1,
}
