// What one may set about a session, from either end, and what holds where nothing is set.
import type { Body, MessageName } from './commands.ts'

/** What a request is answered with; without a status it was taken. */
export type Reply<C extends MessageName> = { status?: number } & Body<`${C}_resp`>

export type BindReply = { status?: number } & Body<'bind_transceiver_resp'>

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
