// Counts the rejections of each segment, identified by its addresses and its text.
import type { SimulatedOutcome } from './outcomes.ts'
import type { Segment } from './segment.ts'

/** The oldest segments are dropped. */
const MAX_REMEMBERED = 10_000

export class Refusals {
  readonly #counts = new Map<string, number>()

  /** The status to reject this segment with; undefined: accept it. */
  next(segment: Segment, { refusal }: SimulatedOutcome): number | undefined {
    if (refusal === null) return undefined
    if (refusal.times === Number.POSITIVE_INFINITY) return refusal.status
    const name = nameOf(segment)
    const count = this.#counts.get(name) ?? 0
    this.#counts.delete(name)
    if (count >= refusal.times) return undefined
    this.#counts.set(name, count + 1)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > MAX_REMEMBERED && oldest !== undefined) this.#counts.delete(oldest)
    return refusal.status
  }
}

function nameOf({ to, from, part, body }: Segment): string {
  return [to, from, part?.number ?? 0, body.toString('latin1')].join(' ')
}
