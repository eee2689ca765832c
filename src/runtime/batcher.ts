// Many requests, one transaction: while a lane's batch is under way the next requests gather, and leave together.
// There is no timer: light load gives batches of one, heavy load batches of hundreds.

/** How much is done at once, and how much may wait for it. */
export interface Batching {
  largestBatch: number
  /** Past either bound of a lane a request is answered by `whenFull`, before any work. */
  mostWaiting: number
  longestWaitMs: number
}

export const USUAL_BATCHING: Batching = { largestBatch: 512, mostWaiting: 4_000, longestWaitMs: 5_000 }

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
const NEW = Number.MAX_SAFE_INTEGER

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

  /** True while no lane takes any more: a request may be told so before anything is done for it. */
  get isFull(): boolean {
    return this.#lanes.every((lane) => lane.isFull)
  }

  /** Returns when every request taken so far has its answer. */
  async drain(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.drain()))
  }
}

class Lane<Request, Answer> {
  readonly #options: BatcherOptions<Request, Answer>
  /** In the order in which they came. */
  #waiting: Waiting<Request, Answer>[] = []
  /** Where each asker stands in the round, where not all found room: behind all others once it was served. */
  #places: ReadonlyMap<string, number> = new Map()
  #running: Promise<void> | null = null

  constructor(options: BatcherOptions<Request, Answer>) {
    this.#options = options
  }

  add(request: Request): Promise<Answer> {
    if (this.isFull) return Promise.resolve(this.#options.whenFull(request))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, since: performance.now(), resolve, reject })
      this.#running ??= this.#runAll()
    })
  }

  async drain(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #runAll(): Promise<void> {
    // Requests that arrive in the same tick of the event loop leave together.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) await this.#runBatch(this.#take(), MOST_TRIES)
    this.#running = null
  }

  get isFull(): boolean {
    const { mostWaiting, longestWaitMs } = this.#options
    const oldest = this.#waiting[0]
    if (oldest === undefined) return false
    return this.#waiting.length >= mostWaiting || performance.now() - oldest.since > longestWaitMs
  }

  /** All of them, as long as they find room; else by turns, and the others wait on in the order in which they came. */
  #take(): Waiting<Request, Answer>[] {
    const { largestBatch } = this.#options
    const waiting = this.#waiting
    this.#waiting = []
    if (waiting.length <= largestBatch) {
      this.#places = new Map()
      return waiting
    }
    const batch = this.#takeInTurns(waiting)
    const taken = new Set(batch)
    this.#waiting = waiting.filter((it) => !taken.has(it))
    return batch
  }

  /** One request of each asker in turn, round by round, also from one batch to the next; who is new comes last. */
  #takeInTurns(waiting: Waiting<Request, Answer>[]): Waiting<Request, Answer>[] {
    const { largestBatch, fairBy } = this.#options
    const last = this.#places
    const queues = [...Map.groupBy(waiting, ({ request }) => fairBy(request))]
    queues.sort(([one], [other]) => (last.get(one) ?? NEW) - (last.get(other) ?? NEW))
    const batch: Waiting<Request, Answer>[] = []
    const places = new Map(queues.map(([asker], place) => [asker, place]))
    for (let round = 0; batch.length < largestBatch; round++) {
      for (const [asker, queue] of queues) {
        const next = queue[round]
        if (!next || batch.length === largestBatch) continue
        batch.push(next)
        places.set(asker, queues.length + batch.length)
      }
    }
    this.#places = places
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
