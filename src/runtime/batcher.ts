// Many requests, one transaction: while a lane's batch is under way the next requests gather, and leave together.
// There is no timer: light load gives batches of one, heavy load batches of hundreds.

/** How much is done at once, and how much may wait for it. */
export interface Batching {
  largestBatch: number
  /** Past either bound of a lane a request is answered by `whenFull`, before any work. */
  mostWaiting: number
  longestWaitMs: number
}

export const USUAL_BATCHING: Batching = { largestBatch: 256, mostWaiting: 4_000, longestWaitMs: 5_000 }

export interface BatcherOptions<Request, Answer> extends Batching {
  lanes: number
  /** Requests of one lane never run beside each other; any whole number will do. */
  laneOf: (request: Request) => number
  /** Whoever asks much waits on itself: batches are filled round-robin over this. */
  fairBy: (request: Request) => string
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

export class Batcher<Request, Answer> {
  readonly #options: BatcherOptions<Request, Answer>
  readonly #lanes: Lane<Request, Answer>[]

  constructor(options: BatcherOptions<Request, Answer>) {
    this.#options = options
    this.#lanes = Array.from({ length: options.lanes }, () => new Lane(options))
  }

  add(request: Request): Promise<Answer> {
    const lane = this.#lanes[this.#options.laneOf(request) % this.#lanes.length]
    if (!lane) throw new RangeError('laneOf must give a whole number from 0 up')
    return lane.add(request)
  }

  get waiting(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.waiting, 0)
  }

  /** Returns when every request taken so far has its answer. */
  async drain(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.drain()))
  }
}

class Lane<Request, Answer> {
  readonly #options: BatcherOptions<Request, Answer>
  readonly #queues = new Map<string, Waiting<Request, Answer>[]>()
  #running: Promise<void> | null = null
  waiting = 0

  constructor(options: BatcherOptions<Request, Answer>) {
    this.#options = options
  }

  add(request: Request): Promise<Answer> {
    if (this.waiting >= this.#options.mostWaiting || this.#oldestWaitMs() > this.#options.longestWaitMs) {
      return Promise.resolve(this.#options.whenFull(request))
    }
    return new Promise((resolve, reject) => {
      const waiting = { request, since: performance.now(), resolve, reject }
      const asker = this.#options.fairBy(request)
      const queue = this.#queues.get(asker)
      if (queue) queue.push(waiting)
      else this.#queues.set(asker, [waiting])
      this.waiting += 1
      this.#running ??= this.#runAll()
    })
  }

  async drain(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #runAll(): Promise<void> {
    // Requests that arrive in the same tick of the event loop leave together.
    await new Promise(setImmediate)
    while (this.waiting > 0) await this.#runBatch(this.#take(), MOST_TRIES)
    this.#running = null
  }

  #oldestWaitMs(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const [first] of this.#queues.values()) if (first) oldest = Math.min(oldest, first.since)
    return performance.now() - oldest
  }

  #take(): Waiting<Request, Answer>[] {
    const batch: Waiting<Request, Answer>[] = []
    for (let round = 0; batch.length < this.#options.largestBatch && round < this.#options.largestBatch; round++) {
      const before = batch.length
      for (const queue of this.#queues.values()) {
        const waiting = queue[round]
        if (waiting && batch.length < this.#options.largestBatch) batch.push(waiting)
      }
      if (batch.length === before) break
    }
    this.#forget(batch)
    return batch
  }

  #forget(batch: Waiting<Request, Answer>[]): void {
    const taken = new Set(batch)
    for (const [asker, queue] of this.#queues) {
      const rest = queue.filter((waiting) => !taken.has(waiting))
      // Whoever still waits goes to the end of the round, so that a full batch does not always begin with the same asker.
      this.#queues.delete(asker)
      if (rest.length > 0) this.#queues.set(asker, rest)
    }
    this.waiting -= batch.length
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
