// Options of a session and their defaults.
import type { Body, MessageName } from './commands.ts'

/** The reply to a request; without a status, ESME_ROK. */
export type Reply<C extends MessageName> = { status?: number } & Body<`${C}_resp`>

export type BindReply = { status?: number } & Body<'bind_transceiver_resp'>

export type Timers = {
  connectMs: number
  bindMs: number
  /** The response timeout. */
  responseMs: number
  /** The idle time before an enquire_link. */
  enquireAfterMs: number
  /** The time to respond to the enquire_link. */
  enquireAnswerMs: number
  /** How long draining waits for the peer's requests or, after the peer's unbind, for all responses, and again for unbind_resp. */
  drainMs: number
  /** How long the peer may take to close its side. */
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
