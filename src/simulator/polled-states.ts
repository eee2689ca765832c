// The latest message states of the simulator's HTTP API, for clients that poll.
import type { SimulatedOutcome } from './outcomes.ts'
import type { FinalState } from './segment.ts'

const MAX_ENTRIES = 10_000

export interface PolledState {
  id: string
  to: string
  state: FinalState['state'] | 'ENROUTE'
  code: string
}

interface Entry {
  to: string
  final: FinalState
  outcome: SimulatedOutcome
}

export class PolledStates {
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>()

  add(id: string, entry: Entry): void {
    this.#entries.set(id, entry)
    const oldest = this.#entries.keys().next()
    if (this.#entries.size > MAX_ENTRIES && !oldest.done) this.#entries.delete(oldest.value)
  }

  /** null: unknown ID. A message without receipts stays ENROUTE. */
  find(id: string, now: Date): PolledState | null {
    const entry = this.#entries.get(id)
    if (!entry) return null
    const { to, final, outcome } = entry
    if (outcome.receipts === 0 || now < final.at) return { id, to, state: 'ENROUTE', code: '' }
    return { id, to, state: final.state, code: final.state === 'DELIVRD' ? '000' : '001' }
  }
}
