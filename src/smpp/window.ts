// Our requests on their way: waiting for a place, in flight, or out of time but still answerable.
// Whatever happens to the link, every request that came in here is settled exactly once.
import { type Pdu, type RequestName, type ResponseName, responseTo } from './commands.ts'
import { commandStatus } from './status.ts'

export type PduAnswer = {
  kind: 'answered'
  status: number
  /** The carrier's id of the message; empty where it gave none. */
  messageId: string
  response: Pdu<ResponseName>
}

export type RequestOutcome =
  | PduAnswer
  /** The link ended, or was never there, before a byte was handed to the socket: safe to send again. */
  | { kind: 'not_written' }
  /** Written, and then no answer in time or no link: the peer may have acted on it. */
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
/** How many requests without an answer are remembered for a late one; the oldest are forgotten first. */
const MAX_OVERDUE = 10_000

export class RequestWindow {
  readonly #limit: number
  readonly #onFreed: () => void
  /** Two lists make the queue: requests join one and leave the other, which is reversed. A long array shifts slowly. */
  #arrived: PduRequest[] = []
  #leaving: PduRequest[] = []
  readonly #inFlight = new Map<number, { request: PduRequest; timer: NodeJS.Timeout }>()
  readonly #overdue = new Map<number, PduRequest>()
  #lastSequence: number

  /** `onFreed` is called whenever a place in the window has become free. */
  constructor(options: { limit: number; firstSequence: number; onFreed: () => void }) {
    this.#limit = options.limit
    this.#lastSequence = options.firstSequence - 1
    this.#onFreed = options.onFreed
  }

  /** How many more requests would be written at once. */
  get room(): number {
    return Math.max(0, this.#limit - this.#inFlight.size - this.#arrived.length - this.#leaving.length)
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

  /** The next request to be written, or undefined while none waits or the window is full. */
  next(): PduRequest | undefined {
    if (this.#inFlight.size >= this.#limit) return undefined
    if (this.#leaving.length === 0) {
      this.#leaving = this.#arrived.reverse()
      this.#arrived = []
    }
    return this.#leaving.pop()
  }

  /** The request is being written: from here on its outcome is the peer's to tell. */
  launch(request: PduRequest): void {
    const timer = setTimeout(() => this.#expire(request), request.timeoutMs)
    this.#inFlight.set(request.sequence, { request, timer })
  }

  /** Matches a response with its request, in any order; 'stray' where there is none. */
  answer(response: Pdu<ResponseName>): 'settled' | 'late' | 'stray' {
    const flight = this.#inFlight.get(response.sequence)
    if (flight && answers(response, flight.request)) {
      this.#inFlight.delete(response.sequence)
      clearTimeout(flight.timer)
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
    return 'stray'
  }

  /** Gives back everything that was not written yet. */
  refuseWaiting(): void {
    for (const request of this.#leaving.splice(0).reverse()) request.settle({ kind: 'not_written' })
    for (const request of this.#arrived.splice(0)) request.settle({ kind: 'not_written' })
  }

  /** The link is gone: settles all there is. */
  abandon(): void {
    this.refuseWaiting()
    for (const [sequence, { request, timer }] of this.#inFlight) {
      clearTimeout(timer)
      this.#inFlight.delete(sequence)
      request.settle({ kind: 'unknown', cause: 'link_lost' })
    }
    this.#overdue.clear()
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
  // A nack is a no, whatever its status says.
  const isNackWithoutError = response.command === 'generic_nack' && response.status === commandStatus.ESME_ROK
  return {
    kind: 'answered',
    status: isNackWithoutError ? commandStatus.ESME_RUNKNOWNERR : response.status,
    messageId: 'message_id' in response ? response.message_id : '',
    response,
  }
}
