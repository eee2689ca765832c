// Queries between processes by subject: the process that has the data (metrics, the state of a role) answers.

type Answerer = (subject: string, input: unknown) => Promise<unknown>

export class Switchboard {
  readonly #answers = new Map<string, (input: unknown) => unknown>()
  readonly #elsewhere: Answerer | null

  /** `elsewhere` answers the subjects that this process does not. */
  constructor(elsewhere: Answerer | null = null) {
    this.#elsewhere = elsewhere
  }

  /** `answer` must return a value that can be cloned to another process. */
  answer<Input>(subject: string, answer: (input: Input) => unknown): void {
    this.#answers.set(subject, answer as (input: unknown) => unknown)
  }

  async ask<Answer>(subject: string, input?: unknown): Promise<Answer> {
    const answer = this.#answers.get(subject)
    if (answer) return (await answer(input)) as Answer
    if (this.#elsewhere) return (await this.#elsewhere(subject, input)) as Answer
    throw new UnknownSubject(`no process answers ${subject}`)
  }
}

export class UnknownSubject extends Error {
  readonly code = 'UNKNOWN_SUBJECT'
}

/** The other process ended or disconnected before it answered. */
export class PeerDisconnected extends Error {}

/** One end of the channel between a process and its child: the child's `process`, or the parent's handle of the child. */
export interface Channel {
  /** Without `onSent`, Node emits an 'error' event when the other end is gone, which ends this process. */
  send?(message: unknown, onSent: (error: Error | null) => void): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
  once(event: 'disconnect', listener: () => void): unknown
}

type Message =
  | { kind: 'question'; id: number; subject: string; input: unknown }
  | { kind: 'answer'; id: number; answer: unknown }
  | { kind: 'error'; id: number; error: { message: string } & Record<string, unknown> }

/** Sends questions to the other end and answers its questions. */
export class Line {
  readonly #channel: Channel
  readonly #answerer: Answerer
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>()
  #asked = 0

  constructor(channel: Channel, answerer: Answerer) {
    this.#channel = channel
    this.#answerer = answerer
    channel.on('message', (message) => this.#receive(message as Message))
    channel.once('disconnect', () => this.#rejectOpen())
  }

  ask<Answer>(subject: string, input?: unknown): Promise<Answer> {
    const id = ++this.#asked
    const answer = Promise.withResolvers<unknown>()
    this.#open.set(id, answer)
    this.#send({ kind: 'question', id, subject, input })
    return answer.promise as Promise<Answer>
  }

  #receive(message: Message): void {
    if (message.kind === 'question') {
      this.#answer(message)
      return
    }
    const open = this.#open.get(message.id)
    this.#open.delete(message.id)
    if (message.kind === 'answer') open?.resolve(message.answer)
    else open?.reject(Object.assign(new Error(message.error.message), message.error))
  }

  #answer({ id, subject, input }: { id: number; subject: string; input: unknown }): void {
    Promise.try(this.#answerer, subject, input).then(
      (answer) => this.#send({ kind: 'answer', id, answer }),
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
    for (const answer of this.#open.values()) answer.reject(new PeerDisconnected('the other process is gone'))
    this.#open.clear()
  }
}
