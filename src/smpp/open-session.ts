// Opens sessions: connects and binds as an ESME, or accepts a bind as an SMSC.

import type { Socket } from 'node:net'
import type { BindCommand, Body } from './commands.ts'
import { type DialOptions, dial } from './dial.ts'
import { type BindHandler, type SessionOptions, SmppSession } from './session.ts'
import { defaultTimers } from './session-options.ts'

const SMPP_3_4 = 0x34

export type ConnectOptions = SessionOptions &
  DialOptions & {
    bindName: BindCommand
    /** system_id, password and other bind fields. */
    bind: Body<BindCommand>
  }

/** Resolves with a bound session; rejects with BindError or the connection error. */
export async function connectSession(options: ConnectOptions): Promise<SmppSession> {
  const { signal } = options
  options.onState?.('connecting')
  const socket = await dial(options, options.timers?.connectMs ?? defaultTimers.connectMs)
  const session = new SmppSession(socket, options)
  const abort = () => session.close()
  signal?.addEventListener('abort', abort)
  try {
    session.bind(options.bindName, { interface_version: SMPP_3_4, ...options.bind })
    await session.bound
    return session
  } catch (error) {
    session.close()
    throw error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

export type AcceptOptions = SessionOptions & { onBind: BindHandler }

/** Resolves with a bound session; rejects with BindError and closes the socket. */
export async function acceptSession(socket: Socket, options: AcceptOptions): Promise<SmppSession> {
  const session = new SmppSession(socket, options, options.onBind)
  await session.bound
  return session
}
