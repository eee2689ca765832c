// Batches requests into transactions. While a batch of a lane runs, new requests wait for the next batch.
import { FairQueue } from './fair-queue.ts'

export interface Batching {
  maxBatch: number
  /**
   * Past either bound of a lane, `whenFull` answers the request. One tenant never causes the refusal of another (D43): a full lane
   * drops the newest request of the tenant with the most waiting requests, and the wait of an asker is measured by its own requests.
   */
  maxWaiting: number
  maxWaitMs: number
}

export const USUAL_BATCHING: Batching = { maxBatch: 512, maxWaiting: 4_000, maxWaitMs: 5_000 }

/** Batches start at least `everyMs` apart, unless at most `few` or at least `enough` requests wait: larger batches cost less per request. */
export interface BatchPace {
  everyMs: number
  few: number
  enough: number
}

/** `Asker` is the part of a request that decides its lane and queue; it is available before the request is read. */
export interface BatcherOptions<Request extends Asker, Answer, Asker = Request> extends Batching {
  lanes: number
  /** Any whole number from 0. Batches of one lane never run concurrently. */
  laneOf: (asker: Asker) => number
  /** Batches are filled round-robin over these scopes, the widest first (D43). */
  fairBy: (asker: Asker) => readonly string[]
  whenFull: (request: Request) => Answer
  /** Starts with the requests of the current tick, before other I/O; for requesters that wait for each answer. */
  startsAtOnce?: boolean
  pace?: BatchPace
  /** Called with the size of each batch. */
  onBatch?: (requests: number) => void
  /** Answers in the order of the requests; a batch succeeds whole or throws. */
  run: (batch: Request[]) => Promise<Answer[]>
  /** After an error: run the batch again, split it to find the faulty request, or reject it. */
  onError: (error: unknown) => 'again' | 'split' | 'fail'
}

interface WaitingRequest<Request, Answer> {
  request: Request
  since: number
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

const MAX_TRIES = 5

export class Batcher<Request extends Asker, Answer, Asker = Request> {
  readonly #options: BatcherOptions<Request, Answer, Asker>
  readonly #lanes: Lane<Request, Answer, Asker>[]

  constructor(options: BatcherOptions<Request, Answer, Asker>) {
    this.#options = options
    this.#lanes = Array.from({ length: options.lanes }, () => new Lane(options))
  }

  add(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => this.push(request, resolve, reject))
  }

  /** Like `add`, without a promise. The callbacks must not throw. */
  push(request: Request, resolve: (answer: Answer) => void, reject: (error: unknown) => void): void {
    this.#laneOf(request).push(request, resolve, reject)
  }

  /** True while every request of this asker is refused. */
  isFullFor(asker: Asker): boolean {
    return this.#laneOf(asker).isFullFor(asker)
  }

  /** False while no asker is refused. */
  get isCrowded(): boolean {
    return this.#lanes.some((lane) => lane.isCrowded)
  }

  /** Resolves when every accepted request has its answer. */
  async drain(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.drain()))
  }

  #laneOf(asker: Asker): Lane<Request, Answer, Asker> {
    const lane = this.#lanes[this.#options.laneOf(asker) % this.#lanes.length]
    if (!lane) throw new RangeError('laneOf must return a whole number from 0')
    return lane
  }
}

class Lane<Request extends Asker, Answer, Asker> {
  readonly #options: BatcherOptions<Request, Answer, Asker>
  /** In order of arrival, while all requests fit into the next batch. */
  #waiting: WaitingRequest<Request, Answer>[] = []
  /** All waiting requests, once they exceed one batch. */
  #turns: FairQueue<WaitingRequest<Request, Answer>> | null = null
  #running: Promise<void> | null = null
  /** Start of the running batch. */
  #begunAt = Number.POSITIVE_INFINITY
  /** Start of the latest batch. */
  #lastBegunAt = Number.NEGATIVE_INFINITY
  /** Ends the pause before the next batch. */
  #endPause: (() => void) | null = null

  constructor(options: BatcherOptions<Request, Answer, Asker>) {
    this.#options = options
  }

  push(request: Request, resolve: (answer: Answer) => void, reject: (error: unknown) => void): void {
    if (this.isFullFor(request)) {
      resolve(this.#options.whenFull(request))
      return
    }
    this.#enter({ request, since: performance.now(), resolve, reject })
    if (this.#endPause && this.#isEnough) this.#endPause()
    this.#running ??= this.#runAll()
  }

  /**
   * A batch that runs too long refuses every asker. Otherwise an asker is refused only because of its own requests: while all
   * requests fit into the next batch, nothing is refused; after that, the asker's oldest waiting request shows how long the wait is.
   */
  isFullFor(asker: Asker): boolean {
    const { maxWaiting, maxWaitMs, fairBy } = this.#options
    const longAgo = performance.now() - maxWaitMs
    if (this.#begunAt < longAgo) return true
    if (!this.#turns) return false
    const path = fairBy(asker)
    const first = this.#turns.firstOf(path)
    if (first && first.since < longAgo) return true
    return this.#turns.size >= maxWaiting && this.#turns.fullerThan(path) === null
  }

  get isCrowded(): boolean {
    return this.#turns !== null || this.#begunAt < performance.now() - this.#options.maxWaitMs
  }

  async drain(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Called when there is room, or a tenant whose newest request can be dropped. */
  #enter(waiting: WaitingRequest<Request, Answer>): void {
    const { maxBatch, maxWaiting, fairBy, whenFull } = this.#options
    if (this.#turns) {
      const path = fairBy(waiting.request)
      const dropped = this.#turns.size >= maxWaiting ? this.#turns.fullerThan(path)?.dropNewest() : undefined
      dropped?.resolve(whenFull(dropped.request))
      this.#turns.add(waiting, path)
      return
    }
    this.#waiting.push(waiting)
    if (this.#waiting.length <= maxBatch && this.#waiting.length < maxWaiting) return
    this.#turns = new FairQueue()
    for (const it of this.#waiting) this.#turns.add(it, fairBy(it.request))
    this.#waiting = []
  }

  async #runAll(): Promise<void> {
    // Requests of the same tick, or of the same turn of the event loop, share a batch.
    await new Promise<void>(this.#options.startsAtOnce ? process.nextTick : setImmediate)
    if (this.#options.pace) await this.#pause(this.#options.pace)
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      this.#begunAt = performance.now()
      this.#lastBegunAt = this.#begunAt
      this.#options.onBatch?.(batch.length)
      await this.#runBatch(batch, MAX_TRIES)
      this.#begunAt = Number.POSITIVE_INFINITY
      if (this.#options.pace) await this.#pause(this.#options.pace)
    }
    this.#running = null
  }

  async #pause({ everyMs, few }: BatchPace): Promise<void> {
    if (this.#waitingCount <= few || this.#isEnough) return
    const leftMs = this.#lastBegunAt + everyMs - performance.now()
    if (leftMs <= 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, leftMs)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#endPause = null
  }

  get #waitingCount(): number {
    return this.#turns?.size ?? this.#waiting.length
  }

  get #isEnough(): boolean {
    const { pace, maxBatch, maxWaiting } = this.#options
    return this.#waitingCount >= Math.min(pace?.enough ?? 0, maxBatch, maxWaiting)
  }

  /** All waiting requests if they fit, else round-robin. */
  #take(): WaitingRequest<Request, Answer>[] {
    const { maxBatch } = this.#options
    const turns = this.#turns
    const batch = this.#waiting
    this.#waiting = []
    if (!turns) return batch
    while (turns.size > 0 && batch.length < maxBatch) batch.push(turns.take())
    if (turns.size === 0) this.#turns = null
    return batch
  }

  async #runBatch(batch: WaitingRequest<Request, Answer>[], tries: number): Promise<void> {
    let answers: Answer[]
    try {
      answers = await this.#options.run(batch.map((waiting) => waiting.request))
      if (answers.length !== batch.length) throw new RangeError('a batch must answer every request')
    } catch (error) {
      const course = this.#options.onError(error)
      if (course === 'again' && tries > 1) return this.#runBatch(batch, tries - 1)
      if (course === 'split' && batch.length > 1) {
        const half = Math.ceil(batch.length / 2)
        await this.#runBatch(batch.slice(0, half), MAX_TRIES)
        return this.#runBatch(batch.slice(half), MAX_TRIES)
      }
      for (const waiting of batch) waiting.reject(error)
      return
    }
    for (const [index, waiting] of batch.entries()) waiting.resolve(answers[index] as Answer)
  }
}
