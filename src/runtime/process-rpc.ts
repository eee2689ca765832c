// Remote calls between processes: the process that has the data, such as metrics or the state of a role, handles the call.

type RemoteCall = (subject: string, input: unknown) => Promise<unknown>

export class RpcRouter {
  readonly #handlers = new Map<string, (input: unknown) => unknown>()
  readonly #callRemote: RemoteCall | null

  /** Subjects without a handler in this process go to `callRemote`. */
  constructor(callRemote: RemoteCall | null = null) {
    this.#callRemote = callRemote
  }

  /** `handler` must return a value that can be cloned to another process. */
  handle<Input>(subject: string, handler: (input: Input) => unknown): void {
    this.#handlers.set(subject, handler as (input: unknown) => unknown)
  }

  async call<Result>(subject: string, input?: unknown): Promise<Result> {
    const handler = this.#handlers.get(subject)
    if (handler) return (await handler(input)) as Result
    if (this.#callRemote) return (await this.#callRemote(subject, input)) as Result
    throw new UnknownSubject(`no process handles ${subject}`)
  }
}

export class UnknownSubject extends Error {
  readonly code = 'UNKNOWN_SUBJECT'
}

/** The other process ended or disconnected before it responded. */
export class PeerDisconnected extends Error {}

/** One end of the channel between a process and its child: the child's `process`, or the parent's handle of the child. */
export interface Channel {
  /** Without `onSent`, Node emits an 'error' event when the other end is gone, which ends this process. */
  send?(message: unknown, onSent: (error: Error | null) => void): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
  once(event: 'disconnect', listener: () => void): unknown
}

type Message =
  | { kind: 'request'; id: number; subject: string; input: unknown }
  | { kind: 'response'; id: number; result: unknown }
  | { kind: 'error'; id: number; error: { message: string } & Record<string, unknown> }

/** Sends calls to the process at the other end, and handles its calls. */
export class RpcConnection {
  readonly #channel: Channel
  readonly #handle: RemoteCall
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>()
  #lastId = 0

  constructor(channel: Channel, handle: RemoteCall) {
    this.#channel = channel
    this.#handle = handle
    channel.on('message', (message) => this.#receive(message as Message))
    channel.once('disconnect', () => this.#rejectOpen())
  }

  call<Result>(subject: string, input?: unknown): Promise<Result> {
    const id = ++this.#lastId
    const result = Promise.withResolvers<unknown>()
    this.#open.set(id, result)
    this.#send({ kind: 'request', id, subject, input })
    return result.promise as Promise<Result>
  }

  #receive(message: Message): void {
    if (message.kind === 'request') {
      this.#respond(message)
      return
    }
    const open = this.#open.get(message.id)
    this.#open.delete(message.id)
    if (message.kind === 'response') open?.resolve(message.result)
    else open?.reject(Object.assign(new Error(message.error.message), message.error))
  }

  #respond({ id, subject, input }: { id: number; subject: string; input: unknown }): void {
    Promise.try(this.#handle, subject, input).then(
      (result) => this.#send({ kind: 'response', id, result }),
      (error) => {
        const { message, ...rest } =
          error instanceof Error ? { ...error, message: error.message } : { message: String(error) }
        this.#send({ kind: 'error', id, error: { message, ...rest } })
      },
    )
  }

  #send(message: Message): void {
    try {
      this.#channel.send?.(message, (error) => error && this.#rejectOpen())
    } catch {
      this.#rejectOpen()
    }
  }

  #rejectOpen(): void {
    for (const result of this.#open.values()) result.reject(new PeerDisconnected('the other process is gone'))
    this.#open.clear()
  }
}
