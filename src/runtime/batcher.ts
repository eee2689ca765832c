// Many requests, one transaction: while a lane's batch is under way the next requests gather, and leave together.
// There is no timer: light load gives batches of one, heavy load batches of hundreds.

import { FairQueue } from './fair-queue.ts'

/** How much is done at once, and how much may wait for it. */
export interface Batching {
  largestBatch: number
  /**
   * Past either bound of a lane a request is answered by `whenFull`, before any work. Nobody is turned away because another waits
   * for much (D43): in a full lane it is the other whose newest gives way, and it is by its own that an asker has waited too long.
   */
  mostWaiting: number
  longestWaitMs: number
}

export const USUAL_BATCHING: Batching = { largestBatch: 512, mostWaiting: 4_000, longestWaitMs: 5_000 }

/** `Asker` is what is known of a request before it is read: enough to say where it would wait. */
export interface BatcherOptions<Request extends Asker, Answer, Asker = Request> extends Batching {
  lanes: number
  /** Requests of one lane never run beside each other; any whole number will do. */
  laneOf: (asker: Asker) => number
  /** Whoever asks much waits on itself: batches are filled in turns over these scopes, the widest first (D43). */
  fairBy: (asker: Asker) => readonly string[]
  whenFull: (request: Request) => Answer
  /** Answers in the order of the requests; a batch succeeds whole or throws. */
  run: (batch: Request[]) => Promise<Answer[]>
  /** What a thrown fault calls for: run the same batch again, find the one request that causes it, or give up. */
  onFault: (fault: unknown) => 'again' | 'split' | 'fail'
}

interface Waiting<Request, Answer> {
  request: Request
  since: number
  resolve: (answer: Answer) => void
  reject: (fault: unknown) => void
}

const MOST_TRIES = 5

export class Batcher<Request extends Asker, Answer, Asker = Request> {
  readonly #options: BatcherOptions<Request, Answer, Asker>
  readonly #lanes: Lane<Request, Answer, Asker>[]

  constructor(options: BatcherOptions<Request, Answer, Asker>) {
    this.#options = options
    this.#lanes = Array.from({ length: options.lanes }, () => new Lane(options))
  }

  add(request: Request): Promise<Answer> {
    return this.#laneOf(request).add(request)
  }

  /** True while whatever this asker adds is refused: it may be told so before anything is done for it. */
  isFullFor(asker: Asker): boolean {
    return this.#laneOf(asker).isFullFor(asker)
  }

  /** False while there is room for everybody. */
  get isCrowded(): boolean {
    return this.#lanes.some((lane) => lane.isCrowded)
  }

  /** Returns when every request taken so far has its answer. */
  async drain(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.drain()))
  }

  #laneOf(asker: Asker): Lane<Request, Answer, Asker> {
    const lane = this.#lanes[this.#options.laneOf(asker) % this.#lanes.length]
    if (!lane) throw new RangeError('laneOf must give a whole number from 0 up')
    return lane
  }
}

class Lane<Request extends Asker, Answer, Asker> {
  readonly #options: BatcherOptions<Request, Answer, Asker>
  /** In the order in which they came, while all find room in the next batch. */
  #waiting: Waiting<Request, Answer>[] = []
  /** All who wait, once they do not. */
  #turns: FairQueue<Waiting<Request, Answer>> | null = null
  #running: Promise<void> | null = null
  /** When the batch under way began. */
  #begunAt = Number.POSITIVE_INFINITY

  constructor(options: BatcherOptions<Request, Answer, Asker>) {
    this.#options = options
  }

  add(request: Request): Promise<Answer> {
    if (this.isFullFor(request)) return Promise.resolve(this.#options.whenFull(request))
    return new Promise((resolve, reject) => {
      this.#enter({ request, since: performance.now(), resolve, reject })
      this.#running ??= this.#runAll()
    })
  }

  /**
   * A batch that takes too long holds up everybody. Beside that nobody is refused for what others wait for: while all find room
   * in the next batch, each waits for the one under way alone; else its own first in line tells how long it would wait.
   */
  isFullFor(asker: Asker): boolean {
    const { mostWaiting, longestWaitMs, fairBy } = this.#options
    const longAgo = performance.now() - longestWaitMs
    if (this.#begunAt < longAgo) return true
    if (!this.#turns) return false
    const path = fairBy(asker)
    const first = this.#turns.firstOf(path)
    if (first && first.since < longAgo) return true
    return this.#turns.size >= mostWaiting && this.#turns.fullerThan(path) === null
  }

  get isCrowded(): boolean {
    return this.#turns !== null || this.#begunAt < performance.now() - this.#options.longestWaitMs
  }

  async drain(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** There is room for it, or somebody who gives way. */
  #enter(waiting: Waiting<Request, Answer>): void {
    const { largestBatch, mostWaiting, fairBy, whenFull } = this.#options
    if (this.#turns) {
      const path = fairBy(waiting.request)
      const dropped = this.#turns.size >= mostWaiting ? this.#turns.fullerThan(path)?.dropNewest() : undefined
      dropped?.resolve(whenFull(dropped.request))
      this.#turns.add(waiting, path)
      return
    }
    this.#waiting.push(waiting)
    if (this.#waiting.length <= largestBatch && this.#waiting.length < mostWaiting) return
    this.#turns = new FairQueue()
    for (const it of this.#waiting) this.#turns.add(it, fairBy(it.request))
    this.#waiting = []
  }

  async #runAll(): Promise<void> {
    // Requests that arrive in the same tick of the event loop leave together.
    await new Promise(setImmediate)
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      this.#begunAt = performance.now()
      await this.#runBatch(batch, MOST_TRIES)
    }
    this.#begunAt = Number.POSITIVE_INFINITY
    this.#running = null
  }

  /** All of them, as long as they find room; else by turns. */
  #take(): Waiting<Request, Answer>[] {
    const { largestBatch } = this.#options
    const turns = this.#turns
    const batch = this.#waiting
    this.#waiting = []
    if (!turns) return batch
    while (turns.size > 0 && batch.length < largestBatch) batch.push(turns.take())
    if (turns.size === 0) this.#turns = null
    return batch
  }

  async #runBatch(batch: Waiting<Request, Answer>[], tries: number): Promise<void> {
    try {
      const answers = await this.#options.run(batch.map((waiting) => waiting.request))
      if (answers.length !== batch.length) throw new RangeError('a batch must answer every request')
      for (const [index, waiting] of batch.entries()) waiting.resolve(answers[index] as Answer)
    } catch (fault) {
      const course = this.#options.onFault(fault)
      if (course === 'again' && tries > 1) return this.#runBatch(batch, tries - 1)
      if (course === 'split' && batch.length > 1) {
        const half = Math.ceil(batch.length / 2)
        await this.#runBatch(batch.slice(0, half), MOST_TRIES)
        return this.#runBatch(batch.slice(half), MOST_TRIES)
      }
      for (const waiting of batch) waiting.reject(fault)
    }
  }
}
