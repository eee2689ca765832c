// What became of messages, for whoever asks instead of waiting to be told: the latest of them, by their ids.
import type { SimulatedOutcome } from './outcomes.ts'
import type { Fate } from './segment.ts'

const MOST = 10_000

export interface AskedState {
  id: string
  to: string
  state: Fate['state'] | 'ENROUTE'
  code: string
}

interface Kept {
  to: string
  fate: Fate
  outcome: SimulatedOutcome
}

export class AskedStates {
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>()

  add(id: string, kept: Kept): void {
    this.#kept.set(id, kept)
    const oldest = this.#kept.keys().next()
    if (this.#kept.size > MOST && !oldest.done) this.#kept.delete(oldest.value)
  }

  /** null where nobody knows it. One of which no receipt ever comes is on its way for ever. */
  find(id: string, now: Date): AskedState | null {
    const kept = this.#kept.get(id)
    if (!kept) return null
    const { to, fate, outcome } = kept
    if (outcome.receipts === 0 || now < fate.at) return { id, to, state: 'ENROUTE', code: '' }
    return { id, to, state: fate.state, code: fate.state === 'DELIVRD' ? '000' : '001' }
  }
}
