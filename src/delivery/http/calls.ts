// The messages that wait for a call, within the window, and the calls that are under way: each message hears exactly once what
// became of it, and perhaps once more, later.
import type { HttpDescription } from '../../domain/carriers/http/description.ts'
import type { MakeCall } from '../../domain/carriers/http/request.ts'
import type { MessageValues } from '../../domain/carriers/http/template.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Submitted, unsent } from '../connection.ts'
import type { CallLog } from './call-log.ts'
import type { Caller } from './caller.ts'
import type { Exchanged } from './exchange.ts'
import { restMs, submittedOf, type Waiting } from './outcomes.ts'
import type { Wire } from './wire.ts'

export interface CallsOptions {
  description: HttpDescription
  /** How many calls may be under way at once. */
  window: number
  makeCall: MakeCall
  /** The one that stands now. */
  caller: () => Caller
  hide: (text: string) => string
  news: CallLog
  /** For whoever wants to see the calls. */
  wire: Wire<MessageValues>
  clock: Clock
  /** The carrier is not reached any more. */
  onLost: (reason: string) => void
  /** After the carrier's own pause there is room again. */
  onRested: () => void
}

export class Calls {
  readonly #options: CallsOptions
  readonly #perCall: number
  readonly #waiting: Waiting[] = []
  #isPumping = false
  #calls = 0
  #inFlight = 0
  #idle: (() => void)[] = []
  #restingUntil = 0
  #rest: NodeJS.Timeout | undefined

  constructor(options: CallsOptions) {
    this.#options = options
    this.#perCall = options.description.many?.most ?? 1
  }

  /** Messages that may be under way at once. */
  get places(): number {
    return this.#options.window * this.#perCall
  }

  get room(): number {
    if (performance.now() < this.#restingUntil) return 0
    return Math.max(0, this.places - this.#inFlight - this.#waiting.length)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  add(message: Waiting): void {
    this.#waiting.push(message)
    if (this.#perCall === 1) this.#callAll()
    // Those of one claim come in one turn: they leave together.
    if (this.#perCall === 1 || this.#isPumping) return
    this.#isPumping = true
    setImmediate(() => {
      this.#isPumping = false
      this.#callAll()
    })
  }

  /** What waits was never written. */
  dismissWaiting(): void {
    for (const waiting of this.#waiting.splice(0)) waiting.resolve(unsent('not_written'))
  }

  /** Resolves when no call is under way. */
  async idle(): Promise<void> {
    if (this.#calls > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  stop(): void {
    clearTimeout(this.#rest)
  }

  #callAll(): void {
    while (this.#calls < this.#options.window) {
      const [first, ...rest] = this.#waiting.splice(0, this.#perCall)
      if (!first) return
      this.#begin([first, ...rest])
    }
  }

  #begin(messages: [Waiting, ...Waiting[]]): void {
    this.#call(messages).catch((fault) => {
      // Whether the carrier has the call is not known then, so these messages are not sent again.
      this.#options.news.failed(fault)
      const lost = { kind: 'unknown', cause: 'no_answer', why: 'the call failed on our side' } as const
      for (const [index, submitted] of this.#read(lost, messages).entries()) messages[index]?.resolve(submitted)
    })
  }

  async #call(messages: [Waiting, ...Waiting[]]): Promise<void> {
    const { makeCall, caller, news, wire, onLost } = this.#options
    const [first, ...rest] = messages
    const values = [first.values, ...rest.map((it) => it.values)] as const
    const call = makeCall(values)
    if ('unsayable' in call) {
      // One alone is to blame.
      if (rest.length > 0) {
        for (const message of messages) this.#begin([message])
        return
      }
      news.unsayable(first.values.messageId, call.unsayable)
      first.resolve({ ...unsent('unwritable'), fault: call.unsayable })
      return
    }
    this.#calls += 1
    this.#inFlight += messages.length
    const shown = wire.begin(values)
    const hearLate = (exchanged: Exchanged) => {
      shown.late(exchanged)
      for (const [index, submitted] of this.#read(exchanged, messages).entries())
        messages[index]?.onLateAnswer(submitted)
    }
    const exchanged = await caller()
      .call(call, { written: shown.written, hearLate })
      .finally(() => {
        this.#calls -= 1
        this.#inFlight -= messages.length
      })
    shown.settled(exchanged)
    for (const [index, submitted] of this.#read(exchanged, messages).entries()) messages[index]?.resolve(submitted)
    if (exchanged.kind !== 'answered' && !(exchanged.kind === 'unknown' && exchanged.cause === 'no_answer'))
      onLost(exchanged.why)
    if (this.#calls === 0) for (const resolve of this.#idle.splice(0)) resolve()
    this.#callAll()
  }

  #read(exchanged: Exchanged, messages: readonly Waiting[]): Submitted[] {
    const { description, hide, news, clock } = this.#options
    const submitted = submittedOf(exchanged, { description, messages, hide })
    for (const [index, { oddity, said }] of submitted.entries()) {
      const messageId = messages[index]?.values.messageId ?? ''
      if (oddity) news.odd(oddity, { messageId, said })
    }
    if (exchanged.kind === 'answered' && submitted.some((it) => it.sign === 'throttles'))
      this.#restFor(restMs(exchanged.retryAfter, clock.now()))
    const why = exchanged.kind === 'answered' ? null : hide(exchanged.why)
    return submitted.map(({ oddity, ...it }) => ({ ...it, fault: oddity ?? why }))
  }

  /** The carrier says itself when it shall be asked again. */
  #restFor(ms: number): void {
    const until = performance.now() + ms
    if (ms === 0 || until <= this.#restingUntil) return
    this.#restingUntil = until
    clearTimeout(this.#rest)
    this.#rest = setTimeout(this.#options.onRested, ms + 1)
  }
}
