// Lanes for requests that wait for a lock: one lane per kind, so that other requests are not delayed.
import { Batcher, type BatcherOptions } from './batcher.ts'

/** Each running batch holds a database connection while it waits. */
const MAX_CONCURRENT = 4

interface HeldLane<Request extends Asker, Answer, Asker> {
  batcher: Batcher<Request, Answer, Asker>
  waiting: number
}

export class HeldLanes<Request extends Asker, Answer, Asker = Request> {
  readonly #kindOf: (asker: Asker) => string
  readonly #options: BatcherOptions<Request, Answer, Asker>
  readonly #lanes = new Map<string, HeldLane<Request, Answer, Asker>>()
  readonly #next: (() => void)[] = []
  #underWay = 0

  constructor(
    kindOf: (asker: Asker) => string,
    options: Omit<BatcherOptions<Request, Answer, Asker>, 'lanes' | 'laneOf'>,
  ) {
    this.#kindOf = kindOf
    const run = (batch: Request[]) => this.#inTurn(() => options.run(batch))
    this.#options = { ...options, run, lanes: 1, laneOf: () => 0 }
  }

  async add(request: Request): Promise<Answer> {
    const kind = this.#kindOf(request)
    const lane = this.#lanes.getOrInsertComputed(kind, () => ({ batcher: new Batcher(this.#options), waiting: 0 }))
    lane.waiting += 1
    try {
      return await lane.batcher.add(request)
    } finally {
      lane.waiting -= 1
      if (lane.waiting === 0) this.#lanes.delete(kind)
    }
  }

  /** Null if no request of its kind waits here. */
  addToOthers(request: Request): Promise<Answer> | null {
    return this.#lanes.has(this.#kindOf(request)) ? this.add(request) : null
  }

  get isCrowded(): boolean {
    return this.#lanes.size > 0
  }

  /** Null if no request of its kind waits here. */
  isFullFor(asker: Asker): boolean | null {
    return this.#lanes.get(this.#kindOf(asker))?.batcher.isFullFor(asker) ?? null
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#underWay >= MAX_CONCURRENT) await new Promise<void>((resolve) => this.#next.push(resolve))
    else this.#underWay += 1
    try {
      return await work()
    } finally {
      const next = this.#next.shift()
      if (next) next()
      else this.#underWay -= 1
    }
  }
}
