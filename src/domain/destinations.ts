// Where messages go, as far as routes tell destinations apart, and which of them can be reached (D6, D16).
import type { MessageType } from './message-type.ts'
import { carriersFor, destinationOf, formatDestination, parseDestination, type Route } from './routing.ts'

/** How many messages may wait for a destination that no working carrier serves. */
export const MOST_STRANDED = 100_000

export class Destinations {
  readonly #routes: readonly Route[]
  readonly #working: ReadonlySet<string>
  readonly #full: ReadonlySet<string>

  /** `full` names the destinations whose backlog is past the bound. */
  constructor(facts: { routes: readonly Route[]; working: ReadonlySet<string>; full: ReadonlySet<string> }) {
    this.#routes = facts.routes
    this.#working = facts.working
    this.#full = facts.full
  }

  /** The destination of a number: its country, and the longest prefix that any route of that country names. */
  of(country: string, e164: string): string {
    return formatDestination(destinationOf(this.#routes, { country, to: e164 }))
  }

  /** False when no working carrier serves it and its backlog is past the bound: then nothing more is taken in. */
  isOpen(destination: string, type: MessageType): boolean {
    if (!this.#full.has(destination)) return true
    const carrierIds = carriersFor(this.#routes, parseDestination(destination), type)
    return carrierIds.some((id) => this.#working.has(id))
  }
}
