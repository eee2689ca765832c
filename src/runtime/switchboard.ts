// Questions to whichever process knows the answer: what lives in one of them (metrics, the state of a role) is asked for by
// its subject, and the asker need not know where that is.

type Answerer = (subject: string, input: unknown) => Promise<unknown>

export class Switchboard {
  readonly #answers = new Map<string, (input: unknown) => unknown>()
  readonly #elsewhere: Answerer | null

  /** `elsewhere` is asked for what is not known here. */
  constructor(elsewhere: Answerer | null = null) {
    this.#elsewhere = elsewhere
  }

  /** This process knows: `answer` gives what can be copied to another process. */
  answer<Input>(subject: string, answer: (input: Input) => unknown): void {
    this.#answers.set(subject, answer as (input: unknown) => unknown)
  }

  async ask<Answer>(subject: string, input?: unknown): Promise<Answer> {
    const answer = this.#answers.get(subject)
    if (answer) return (await answer(input)) as Answer
    if (this.#elsewhere) return (await this.#elsewhere(subject, input)) as Answer
    throw new NobodyAnswers(`nobody here knows about ${subject}`)
  }
}

export class NobodyAnswers extends Error {
  readonly code = 'NOBODY_ANSWERS'
}

/** The process at the other end died or hung up before it answered. */
export class OtherEndGone extends Error {}

/** One end of the channel between a process and a child of it: the child's `process`, or the parent's handle of the child. */
export interface Channel {
  /** Without somebody to tell, Node tells of an end that is gone by an 'error' event, which ends the process of whoever sent. */
  send?(message: unknown, onSent: (fault: Error | null) => void): unknown
  on(event: 'message', hear: (message: unknown) => void): unknown
  once(event: 'disconnect', hear: () => void): unknown
}

type Message =
  | { kind: 'question'; id: number; subject: string; input: unknown }
  | { kind: 'answer'; id: number; answer: unknown }
  | { kind: 'fault'; id: number; fault: { message: string } & Record<string, unknown> }

/** Asks the other end, and answers its questions. */
export class Line {
  readonly #channel: Channel
  readonly #answerer: Answerer
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>()
  #asked = 0

  constructor(channel: Channel, answerer: Answerer) {
    this.#channel = channel
    this.#answerer = answerer
    channel.on('message', (message) => this.#hear(message as Message))
    channel.once('disconnect', () => this.#lose())
  }

  ask<Answer>(subject: string, input?: unknown): Promise<Answer> {
    const id = ++this.#asked
    const answer = Promise.withResolvers<unknown>()
    this.#open.set(id, answer)
    this.#say({ kind: 'question', id, subject, input })
    return answer.promise as Promise<Answer>
  }

  #hear(message: Message): void {
    if (message.kind === 'question') {
      this.#answer(message)
      return
    }
    const open = this.#open.get(message.id)
    this.#open.delete(message.id)
    if (message.kind === 'answer') open?.resolve(message.answer)
    else open?.reject(Object.assign(new Error(message.fault.message), message.fault))
  }

  #answer({ id, subject, input }: { id: number; subject: string; input: unknown }): void {
    Promise.try(this.#answerer, subject, input).then(
      (answer) => this.#say({ kind: 'answer', id, answer }),
      (fault) => {
        const { message, ...rest } =
          fault instanceof Error ? { ...fault, message: fault.message } : { message: String(fault) }
        this.#say({ kind: 'fault', id, fault: { message, ...rest } })
      },
    )
  }

  /** An end that is gone hears nothing; whoever waits for it learns that here, or from `disconnect`. */
  #say(message: Message): void {
    try {
      this.#channel.send?.(message, (fault) => fault && this.#lose())
    } catch {
      this.#lose()
    }
  }

  #lose(): void {
    for (const answer of this.#open.values()) answer.reject(new OtherEndGone('the other process is gone'))
    this.#open.clear()
  }
}
