// Own requests: waiting, in flight, or timed out but still answerable. Every request is settled exactly once, whatever happens to the link.
import { type Pdu, type RequestName, type ResponseName, responseTo } from './commands.ts'
import { commandStatus } from './status.ts'

export type PduAnswer = {
  kind: 'answered'
  status: number
  /** The carrier's message ID; empty if missing. */
  messageId: string
  response: Pdu<ResponseName>
}

export type RequestOutcome =
  | PduAnswer
  /** The link ended before a byte was written: safe to resend. */
  | { kind: 'not_written' }
  /** Written without a response: the peer may have accepted it. */
  | { kind: 'unknown'; cause: 'no_answer' | 'link_lost' }

export type PduRequest = {
  command: RequestName
  sequence: number
  bytes: Buffer
  timeoutMs: number
  settle(outcome: RequestOutcome): void
  onLateAnswer?: ((answer: PduAnswer) => void) | undefined
}

const LAST_SEQUENCE = 0x7fffffff
/** The number of timed-out requests kept for a late response; the oldest are dropped. */
const MAX_OVERDUE = 10_000

export class RequestWindow {
  readonly #limit: number
  readonly #onFreed: () => void
  /** A queue of two lists, because shifting a long array is slow: requests are added to one and taken from the other, which is reversed. */
  #arrived: PduRequest[] = []
  #outgoing: PduRequest[] = []
  /** In the order of writing. */
  readonly #inFlight = new Map<number, { request: PduRequest; endsAt: number }>()
  /** One timer for all requests: a timer for each would cost as much as the rest of the window. */
  #sweep: { timer: NodeJS.Timeout; at: number } | null = null
  readonly #overdue = new Map<number, PduRequest>()
  #lastSequence: number

  /** `onFreed` is called when the window has room again. */
  constructor(options: { limit: number; firstSequence: number; onFreed: () => void }) {
    this.#limit = options.limit
    this.#lastSequence = options.firstSequence - 1
    this.#onFreed = options.onFreed
  }

  /** How many more requests could be written at once. */
  get room(): number {
    return Math.max(0, this.#limit - this.#inFlight.size - this.#arrived.length - this.#outgoing.length)
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  nextSequence(): number {
    this.#lastSequence = this.#lastSequence >= LAST_SEQUENCE ? 1 : this.#lastSequence + 1
    return this.#lastSequence
  }

  wait(request: PduRequest): void {
    this.#arrived.push(request)
  }

  /** The next request to write; undefined while none waits or the window is full. */
  next(): PduRequest | undefined {
    if (this.#inFlight.size >= this.#limit) return undefined
    if (this.#outgoing.length === 0) {
      this.#outgoing = this.#arrived.reverse()
      this.#arrived = []
    }
    return this.#outgoing.pop()
  }

  /** Call when the request is written. */
  launch(request: PduRequest): void {
    const endsAt = performance.now() + request.timeoutMs
    this.#inFlight.set(request.sequence, { request, endsAt })
    this.#sweepAt(endsAt)
  }

  /** Matches a response with its request in any order. */
  answer(response: Pdu<ResponseName>): 'settled' | 'late' | 'unexpected' {
    const flight = this.#inFlight.get(response.sequence)
    if (flight && answers(response, flight.request)) {
      this.#inFlight.delete(response.sequence)
      flight.request.settle(answeredBy(response))
      this.#onFreed()
      return 'settled'
    }
    const overdue = this.#overdue.get(response.sequence)
    if (overdue && answers(response, overdue)) {
      this.#overdue.delete(response.sequence)
      overdue.onLateAnswer?.(answeredBy(response))
      return 'late'
    }
    return 'unexpected'
  }

  /** Settles all unwritten requests. */
  rejectWaiting(): void {
    for (const request of this.#outgoing.splice(0).reverse()) request.settle({ kind: 'not_written' })
    for (const request of this.#arrived.splice(0)) request.settle({ kind: 'not_written' })
  }

  /** Settles all requests after the end of the link. */
  abandon(): void {
    this.rejectWaiting()
    clearTimeout(this.#sweep?.timer)
    this.#sweep = null
    for (const [sequence, { request }] of this.#inFlight) {
      this.#inFlight.delete(sequence)
      request.settle({ kind: 'unknown', cause: 'link_lost' })
    }
    this.#overdue.clear()
  }

  #sweepAt(at: number): void {
    if (this.#sweep && this.#sweep.at <= at) return
    clearTimeout(this.#sweep?.timer)
    this.#sweep = { timer: setTimeout(() => this.#expireAll(), Math.max(1, at - performance.now())), at }
  }

  #expireAll(): void {
    this.#sweep = null
    const now = performance.now()
    for (const { request, endsAt } of [...this.#inFlight.values()]) {
      // An earlier callback may have ended the session.
      if (endsAt <= now && this.#inFlight.has(request.sequence)) this.#expire(request)
    }
    let next = Number.POSITIVE_INFINITY
    for (const { endsAt } of this.#inFlight.values()) next = Math.min(next, endsAt)
    if (next < Number.POSITIVE_INFINITY) this.#sweepAt(next)
  }

  #expire(request: PduRequest): void {
    this.#inFlight.delete(request.sequence)
    this.#overdue.set(request.sequence, request)
    const [oldest] = this.#overdue.keys()
    if (this.#overdue.size > MAX_OVERDUE && oldest !== undefined) this.#overdue.delete(oldest)
    request.settle({ kind: 'unknown', cause: 'no_answer' })
    this.#onFreed()
  }
}

function answers(response: Pdu<ResponseName>, request: PduRequest): boolean {
  return response.command === 'generic_nack' || response.command === responseTo(request.command)
}

function answeredBy(response: Pdu<ResponseName>): PduAnswer {
  // A generic_nack is always an error, whatever its status.
  const isNackWithoutError = response.command === 'generic_nack' && response.status === commandStatus.ESME_ROK
  return {
    kind: 'answered',
    status: isNackWithoutError ? commandStatus.ESME_RUNKNOWNERR : response.status,
    messageId: 'message_id' in response ? response.message_id : '',
    response,
  }
}
