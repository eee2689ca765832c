// The messages that wait for a call, within the window, and the calls that are under way: each message hears exactly once what
// became of it, and perhaps once more, later.

import { readSubmission, retryAfterMs } from '../../domain/carriers/http/answer.ts'
import { readJson } from '../../domain/carriers/http/content.ts'
import type { HttpDescription } from '../../domain/carriers/http/description.ts'
import { NO_PRIVATE_PARTS, privateParts, type RedactorOf } from '../../domain/carriers/http/redact.ts'
import type { MakeSubmission } from '../../domain/carriers/http/request.ts'
import type { MessageValues } from '../../domain/carriers/http/template.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Submitted, unanswered, unsent } from '../connection.ts'
import type { CallLog } from './call-log.ts'
import type { Caller } from './caller.ts'
import type { Exchanged } from './exchange.ts'
import type { Wire } from './wire.ts'

const NAMED_STATUS = /^HTTP [1-5]\d\d$/

/** A message that waits for its call, or for what becomes of it. */
interface Waiting {
  values: MessageValues
  resolve: (submitted: Submitted) => void
  onLateAnswer: (submitted: Submitted) => void
}

export interface CallsOptions {
  description: HttpDescription
  /** How many calls may be under way at once. */
  window: number
  makeCall: MakeSubmission
  /** The one that stands now. */
  caller: () => Caller
  redactorOf: RedactorOf
  news: CallLog
  /** For whoever wants to see the calls. */
  wire: Wire
  clock: Clock
  /** The carrier is not reached any more. */
  onLost: (reason: string) => void
  /** After the carrier's own pause there is room again. */
  onRested: () => void
}

export class Calls {
  readonly #options: CallsOptions
  readonly #waiting: Waiting[] = []
  #inFlight = 0
  #idle: (() => void)[] = []
  #restingUntil = 0
  #rest: NodeJS.Timeout | undefined

  constructor(options: CallsOptions) {
    this.#options = options
  }

  /** Messages that may be under way at once. */
  get places(): number {
    return this.#options.window
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
    this.#callAll()
  }

  /** What waits was never written. */
  dismissWaiting(): void {
    for (const waiting of this.#waiting.splice(0)) waiting.resolve(unsent('not_written'))
  }

  /** Resolves when no call is under way. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  stop(): void {
    clearTimeout(this.#rest)
  }

  #callAll(): void {
    while (this.#inFlight < this.#options.window) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#begin(next)
    }
  }

  #begin(message: Waiting): void {
    this.#call(message).catch((fault) => {
      // Whether the carrier has the call is not known then, so the message is not sent again.
      this.#options.news.failed(fault)
      message.resolve(this.#read({ kind: 'unknown', cause: 'no_answer', why: 'the call failed on our side' }, message))
    })
  }

  async #call(message: Waiting): Promise<void> {
    const { makeCall, caller, news, wire, onLost } = this.#options
    const { values } = message
    const call = makeCall(values)
    if ('unsendable' in call) {
      news.unsendable(values.messageId, call.unsendable)
      message.resolve({ ...unsent('unwritable'), fault: call.unsendable })
      return
    }
    this.#inFlight += 1
    const shown = wire.begin(call, { messageIds: [values.messageId], parts: () => privateParts(values) })
    const hearLate = (exchanged: Exchanged) => {
      shown.late(exchanged)
      message.onLateAnswer(this.#read(exchanged, message))
    }
    const exchanged = await caller()
      .call(call, { written: shown.written, hearLate })
      .finally(() => {
        this.#inFlight -= 1
      })
    shown.settled(exchanged)
    message.resolve(this.#read(exchanged, message))
    if (exchanged.kind !== 'answered' && !(exchanged.kind === 'unknown' && exchanged.cause === 'no_answer'))
      onLost(exchanged.why)
    if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve()
    this.#callAll()
  }

  #read(exchanged: Exchanged, { values }: Waiting): Submitted {
    const { description, redactorOf, news, clock } = this.#options
    if (exchanged.kind !== 'answered')
      return { ...unanswered(exchanged), fault: redactorOf(NO_PRIVATE_PARTS).words(exchanged.why) }
    const { status, body, retryAfter } = exchanged
    const answer = { status, json: body === null ? undefined : readJson(body) }
    const { oddity: unread, ...read } = readSubmission(answer, { description, values, redactorOf })
    const oddity = exchanged.oddity ?? unread
    if (oddity) news.odd(oddity, { messageId: values.messageId, said: read.said })
    if (read.sign === 'throttles') this.#restFor(retryAfterMs(retryAfter, clock.now()))
    return {
      ...read,
      ...(NAMED_STATUS.test(read.said) && { statusName: read.said }),
      commandStatus: status,
      fault: oddity,
    }
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
