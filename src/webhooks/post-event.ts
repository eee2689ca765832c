// Posts a signed event to an endpoint and returns its answer or failure (§6.1, §6.4).
import type { Dispatcher } from 'undici'
import { type SigningSecrets, webhookHeaders } from '../domain/webhooks/signature.ts'
import type { WebhookEvent } from '../domain/webhooks/webhook-event.ts'
import { ANSWER_WITHIN_SECONDS, type AttemptResult } from '../domain/webhooks/webhook-schedule.ts'
import type { WebhookTarget } from '../domain/webhooks/webhook-url.ts'
import { AddressGuard, type GuardSettings } from '../outbound/address-guard.ts'
import { describeConnectionFailure } from '../outbound/connection-failure.ts'
import { EndpointPools } from './endpoint-pools.ts'

export interface Attempt {
  target: WebhookTarget
  deliveryId: string
  event: WebhookEvent
  secrets: SigningSecrets
  unixSeconds: number
}

export interface PosterSettings extends GuardSettings {
  /** Part of the header names (D32). */
  vendor: string
  /** Monotonic clock in milliseconds. */
  monotonicNow: () => number
  limitMilliseconds?: number
  maxIdleOrigins?: number
}

const ATTEMPT_LIMIT_MILLISECONDS = ANSWER_WITHIN_SECONDS * 1000
const MAX_IDLE_ORIGINS = 256
const BODY_HEAD_BYTES = 16 * 1024

export class EventPoster {
  readonly #vendor: string
  readonly #timing: Timing
  readonly #pools: EndpointPools
  readonly #running = new Set<Exchange>()

  constructor(settings: PosterSettings) {
    const {
      vendor,
      monotonicNow,
      limitMilliseconds = ATTEMPT_LIMIT_MILLISECONDS,
      maxIdleOrigins = MAX_IDLE_ORIGINS,
    } = settings
    this.#vendor = vendor
    this.#timing = { now: monotonicNow, limitMilliseconds }
    this.#pools = new EndpointPools(new AddressGuard(settings), { dialMilliseconds: limitMilliseconds, maxIdleOrigins })
  }

  /** Every reaction of an endpoint is a result; null for an attempt that was aborted before, whose outcome is unknown. */
  post(attempt: Attempt, settle: (result: AttemptResult | null) => void): void {
    const { origin, path } = attempt.target
    const exchange = new Exchange(this.#timing, (result) => {
      this.#running.delete(exchange)
      settle(result)
    })
    this.#running.add(exchange)
    try {
      const request = { method: 'POST' as const, path, headers: this.#headersOf(attempt), body: attempt.event.body }
      this.#pools.poolOf(origin).dispatch(request, exchange)
    } catch (error) {
      exchange.fail(error)
    }
  }

  /** Ends every running attempt. An attempt whose status has arrived has it as its result. */
  abort(): void {
    for (const exchange of this.#running) exchange.abort()
  }

  close(): Promise<void> {
    return this.#pools.close()
  }

  #headersOf({ event: { name, body }, ...attempt }: Attempt): Record<string, string> {
    return webhookHeaders({ vendor: this.#vendor, event: name, body, ...attempt })
  }
}

interface Timing {
  now: () => number
  limitMilliseconds: number
}

/**
 * A running attempt. The status decides if its headers arrive within the limit. The body is kept for the owner as far as it arrives
 * within the same limit. Redirects are not followed (D29).
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: (result: AttemptResult | null) => void
  readonly #timing: Timing
  readonly #startedAt: number
  readonly #timer: NodeJS.Timeout
  readonly #bodyHead: Buffer[] = []
  #bodyRoom = BODY_HEAD_BYTES
  #controller: Dispatcher.DispatchController | undefined
  #answer: { statusCode: number; milliseconds: number } | undefined
  #isOver = false

  constructor(timing: Timing, settle: (result: AttemptResult | null) => void) {
    this.#settle = settle
    this.#timing = timing
    this.#startedAt = timing.now()
    this.#timer = setTimeout(() => this.#onLimit(), timing.limitMilliseconds)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The connection came too late: a failed attempt must not be sent.
    if (this.#isOver) controller.abort(new Error('the attempt is over'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number): void {
    if (statusCode < 200) return // Interim responses, for example 103.
    this.#answer = { statusCode, milliseconds: this.#elapsed() }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyHead.push(chunk.subarray(0, this.#bodyRoom))
    this.#bodyRoom -= chunk.length
    if (this.#bodyRoom > 0) return
    this.#end('body limit reached')
    controller.abort(new Error('body limit reached'))
  }

  onResponseEnd(): void {
    this.#end('complete')
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  fail(error: unknown): void {
    this.#end(describeConnectionFailure(error))
  }

  abort(): void {
    this.#settleAs(null)
    this.#controller?.abort(new Error('the attempt was aborted'))
  }

  #onLimit(): void {
    const seconds = this.#timing.limitMilliseconds / 1000
    this.#end(`no answer within ${seconds} s`, { timedOut: true })
    this.#controller?.abort(new Error('the attempt timed out'))
  }

  #end(why: string, { timedOut } = { timedOut: false }): void {
    this.#settleAs({ kind: 'failed', why, timedOut, milliseconds: this.#elapsed() })
  }

  // Once a status has arrived, the end of the connection does not matter.
  #settleAs(unanswered: AttemptResult | null): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    if (this.#answer) this.#settle({ kind: 'answered', ...this.#answer, bodyHead: Buffer.concat(this.#bodyHead) })
    else this.#settle(unanswered)
  }

  #elapsed(): number {
    return Math.round(this.#timing.now() - this.#startedAt)
  }
}
