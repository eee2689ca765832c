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

  /** Returns when every request taken so far has its answer. */
  async drain(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.drain()))
  }
}

class Lane<Request, Answer> {
  readonly #options: BatcherOptions<Request, Answer>
  /** By asker, in the order in which they are served next. */
  readonly #queues = new Map<string, Waiting<Request, Answer>[]>()
  /** The same requests in the order in which they came. */
  readonly #waiting = new Set<Waiting<Request, Answer>>()
  #running: Promise<void> | null = null

  constructor(options: BatcherOptions<Request, Answer>) {
    this.#options = options
  }

  add(request: Request): Promise<Answer> {
    if (this.#isFull()) return Promise.resolve(this.#options.whenFull(request))
    return new Promise((resolve, reject) => {
      const waiting = { request, since: performance.now(), resolve, reject }
      const asker = this.#options.fairBy(request)
      this.#waiting.add(waiting)
      const queue = this.#queues.get(asker)
      if (queue) queue.push(waiting)
      else this.#queues.set(asker, [waiting])
      this.#running ??= this.#runAll()
    })
  }

  async drain(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #runAll(): Promise<void> {
    // Requests that arrive in the same tick of the event loop leave together.
    await new Promise(setImmediate)
    while (this.#waiting.size > 0) await this.#runBatch(this.#take(), MOST_TRIES)
    this.#running = null
  }

  #isFull(): boolean {
    const { mostWaiting, longestWaitMs } = this.#options
    const [oldest] = this.#waiting
    return (
      this.#waiting.size >= mostWaiting || (oldest !== undefined && performance.now() - oldest.since > longestWaitMs)
    )
  }

  /** One request of each asker in turn; whoever has more to ask goes to the end of the round. */
  #take(): Waiting<Request, Answer>[] {
    const batch: Waiting<Request, Answer>[] = []
    while (batch.length < this.#options.largestBatch) {
      const waiting = this.#takeOne()
      if (!waiting) break
      batch.push(waiting)
    }
    return batch
  }

  /** Whoever was served and still waits goes to the end of the round, also from one batch to the next. */
  #takeOne(): Waiting<Request, Answer> | undefined {
    for (const [asker, queue] of this.#queues) {
      const waiting = queue.shift()
      this.#queues.delete(asker)
      if (queue.length > 0) this.#queues.set(asker, queue)
      if (waiting) this.#waiting.delete(waiting)
      return waiting
    }
    return undefined
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
