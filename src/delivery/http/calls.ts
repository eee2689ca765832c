// Runs the submissions of an HTTP connection within its window.

import { readSubmission, retryAfterMs } from '../../domain/carriers/http/answer.ts'
import { readJson } from '../../domain/carriers/http/content.ts'
import type { HttpDescription } from '../../domain/carriers/http/description.ts'
import { NO_PRIVATE_PARTS, privateParts, type RedactorOf } from '../../domain/carriers/http/redact.ts'
import type { MakeSubmission } from '../../domain/carriers/http/request.ts'
import type { MessageValues } from '../../domain/carriers/http/template.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type SubmissionResult, unanswered, unsent } from '../connection.ts'
import type { CallCapture } from './call-capture.ts'
import type { CallLog } from './call-log.ts'
import type { HttpCaller } from './caller.ts'
import type { CallResult } from './exchange.ts'

const NAMED_STATUS = /^HTTP [1-5]\d\d$/

/** A message that waits for its call or its result. */
interface PendingMessage {
  values: MessageValues
  resolve: (submitted: SubmissionResult) => void
  onLateAnswer: (submitted: SubmissionResult) => void
}

interface CallsOptions {
  description: HttpDescription
  /** The maximum number of concurrent calls. */
  window: number
  makeCall: MakeSubmission
  /** Returns the current caller. */
  caller: () => HttpCaller
  redactorOf: RedactorOf
  log: CallLog
  /** Records calls for captures. */
  capture: CallCapture
  clock: Clock
  /** Called when the carrier is no longer reachable. */
  onLost: (reason: string) => void
  /** Called after a pause that the carrier asked for. */
  onRested: () => void
}

export class Calls {
  readonly #options: CallsOptions
  readonly #waiting: PendingMessage[] = []
  #inFlight = 0
  #idle: (() => void)[] = []
  #pausedUntil = 0
  #pauseTimer: NodeJS.Timeout | undefined

  constructor(options: CallsOptions) {
    this.#options = options
  }

  /** The window size. */
  get places(): number {
    return this.#options.window
  }

  get room(): number {
    if (performance.now() < this.#pausedUntil) return 0
    return Math.max(0, this.places - this.#inFlight - this.#waiting.length)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  add(message: PendingMessage): void {
    this.#waiting.push(message)
    this.#callAll()
  }

  /** Resolves waiting messages as not written. */
  dismissWaiting(): void {
    for (const waiting of this.#waiting.splice(0)) waiting.resolve(unsent('not_written'))
  }

  /** Resolves when no call is in flight. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  stop(): void {
    clearTimeout(this.#pauseTimer)
  }

  #callAll(): void {
    while (this.#inFlight < this.#options.window) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#begin(next)
    }
  }

  #begin(message: PendingMessage): void {
    this.#call(message).catch((error) => {
      // It is unknown whether the carrier got the call, so the message is not resent.
      this.#options.log.failed(error)
      message.resolve(this.#read({ kind: 'unknown', cause: 'no_answer', why: 'internal error' }, message))
    })
  }

  async #call(message: PendingMessage): Promise<void> {
    const { makeCall, caller, log, capture, onLost } = this.#options
    const { values } = message
    const call = makeCall(values)
    if ('unsendable' in call) {
      log.unencodable(values.messageId, call.unsendable)
      message.resolve({ ...unsent('unwritable'), fault: call.unsendable })
      return
    }
    this.#inFlight += 1
    const captured = capture.begin(call, { messageIds: [values.messageId], parts: () => privateParts(values) })
    const onLateResult = (result: CallResult) => {
      captured.late(result)
      message.onLateAnswer(this.#read(result, message))
    }
    const result = await caller()
      .call(call, { written: captured.written, onLateResult })
      .finally(() => {
        this.#inFlight -= 1
      })
    captured.settled(result)
    message.resolve(this.#read(result, message))
    if (result.kind !== 'answered' && !(result.kind === 'unknown' && result.cause === 'no_answer')) onLost(result.why)
    if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve()
    this.#callAll()
  }

  #read(result: CallResult, { values }: PendingMessage): SubmissionResult {
    const { description, redactorOf, log, clock } = this.#options
    if (result.kind !== 'answered')
      return { ...unanswered(result), fault: redactorOf(NO_PRIVATE_PARTS).words(result.why) }
    const { status, body, retryAfter } = result
    const answer = { status, json: body === null ? undefined : readJson(body) }
    const { oddity: unread, ...read } = readSubmission(answer, { description, values, redactorOf })
    const oddity = result.oddity ?? unread
    if (oddity) log.unreadable(oddity, { messageId: values.messageId, said: read.said })
    if (read.sign === 'throttles') this.#pauseFor(retryAfterMs(retryAfter, clock.now()))
    return {
      ...read,
      ...(NAMED_STATUS.test(read.said) && { statusName: read.said }),
      commandStatus: status,
      fault: oddity,
    }
  }

  /** Respects the Retry-After of the carrier. */
  #pauseFor(ms: number): void {
    const until = performance.now() + ms
    if (ms === 0 || until <= this.#pausedUntil) return
    this.#pausedUntil = until
    clearTimeout(this.#pauseTimer)
    this.#pauseTimer = setTimeout(this.#options.onRested, ms + 1)
  }
}
