// Answers on their way into the database: tried until they are recorded. A receipt that comes on the heels of its answer waits for that
// one, and for no other.
import type { CarrierNewsLane } from '../actions/record-carrier-news.ts'
import type { Log } from '../runtime/log.ts'
import { isAway, isPassing } from '../store/db.ts'
import type { Answer } from '../store/submissions.ts'

const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 5_000
const MOST_FAULTS = 2
/** So long a receipt waits for its answer: the carrier waits as well, and may have others behind it. */
const RECEIPT_WAIT_MS = 1_000

/** By which a carrier speaks of what it took. */
interface Named {
  carrierId: string
  /** Its id, in the one spelling that is compared. */
  reference: string | null
}

export class Answers {
  readonly #lane: CarrierNewsLane
  readonly #log: Log
  readonly #recording = new Map<string, Promise<unknown>>()

  constructor({ lane, log }: { lane: CarrierNewsLane; log: Log }) {
    this.#lane = lane
    this.#log = log
  }

  /**
   * An answer is worth waiting for the database: without it, nobody knows what the carrier has. One that cannot be recorded for a
   * reason of its own is given up after the second try: then its claim lapses, and it is unknown (D15).
   */
  async record(
    answer: Answer,
    { carrierId, isStopping }: { carrierId: string; isStopping: () => boolean },
  ): Promise<void> {
    let faults = 0
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        const recorded = this.#lane.add({ kind: 'answer', answer })
        this.#follow({ carrierId, reference: answer.reference }, recorded)
        await recorded
        return
      } catch (fault) {
        const { messageId } = answer
        if (!isAway(fault)) this.#log.error({ err: fault, messageId }, 'an answer could not be recorded')
        if (!isPassing(fault) && ++faults === MOST_FAULTS) return
        if (isStopping() && waitMs === LONGEST_WAIT_MS) return
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      }
    }
  }

  /**
   * Returns when there is nothing to wait for, or it has taken long enough: a report that is here before its answer is kept until that
   * is recorded.
   */
  async recordedFor(report: Named): Promise<void> {
    // The answer may have come in the same packet, and be on its way here through a few promises: those are first.
    await new Promise(setImmediate)
    const recording = this.#recording.get(keyOf(report))
    if (!recording) return
    const enough = Promise.withResolvers<void>()
    const timer = setTimeout(enough.resolve, RECEIPT_WAIT_MS)
    await Promise.race([recording, enough.promise])
    clearTimeout(timer)
  }

  /** Until this try has come out, however it does. */
  #follow(name: Named, recorded: Promise<unknown>): void {
    if (name.reference === null) return
    const key = keyOf(name)
    const done = recorded
      .catch(() => {})
      .then(() => {
        if (this.#recording.get(key) === done) this.#recording.delete(key)
      })
    this.#recording.set(key, done)
  }
}

function keyOf({ carrierId, reference }: Named): string {
  return `${carrierId} ${reference}`
}
