// The SMSC's end: takes a connected socket, waits for the ESME's bind and judges it.
import type { Socket } from 'node:net'
import type { BindHandler, SessionOptions } from './session.ts'
import { Session } from './session.ts'

export type AcceptOptions = SessionOptions & { onBind: BindHandler }

/** Resolves with a bound session; rejects with BindError when none comes of it, and the socket is then closed. */
export async function acceptSession(socket: Socket, options: AcceptOptions): Promise<Session> {
  const session = new Session(socket, options, options.onBind)
  await session.bound
  return session
}
