// Where messages go, as far as routes tell destinations apart, and which of them can be reached (D6, D16, D40).

import { MESSAGE_TYPES, type MessageType } from '../message-type.ts'
import type { Reach } from '../messages/intake.ts'
import { carriersFor, destinationNamed, destinationOf, nameOfDestination, type WorkingRoute } from './routing.ts'

/** D40: a code lives five minutes; where no carrier has worked for so long, it is not worth hoping for one. */
const HOPE_MS = 30_000

interface Facts {
  routes: readonly WorkingRoute[]
  now: Date
  /** Since when this process takes messages in: carriers may still be on their way, and routes too. */
  startedAt: Date
}

export class Destinations implements Reach {
  readonly #facts: Facts
  readonly #working: ReadonlySet<string>
  readonly #hopeful: ReadonlySet<string>
  /** By type and destination, as far as it was asked for: the messages of a batch share a few. */
  readonly #served = new Map<string, boolean>()

  constructor(facts: Facts) {
    this.#facts = facts
    const { routes, now } = facts
    const isRecent = (at: Date | null) => at !== null && now.getTime() - at.getTime() < HOPE_MS
    const carriers = (of: WorkingRoute[]) => new Set(of.map((route) => route.carrierId))
    this.#working = carriers(routes.filter((route) => route.isWorking))
    this.#hopeful = carriers(routes.filter((route) => route.isWorking || isRecent(route.workedAt)))
  }

  /** The destination of a number: its country, and the longest prefix that any route of that country names. */
  of(country: string, e164: string): string {
    return nameOfDestination(destinationOf(this.#facts.routes, { country, to: e164 }))
  }

  /** Those of the destinations of these numbers where no working carrier serves some type. */
  stranded(numbers: { country: string; to: string }[]): string[] {
    const names = new Set(numbers.map(({ country, to }) => this.of(country, to)))
    return [...names].filter((name) => !MESSAGE_TYPES.every((type) => this.isServed(name, type)))
  }

  /** D40: false when no carrier that would take a code there has been working for a while, be it that there is none at all. */
  isWorthACode(destination: string): boolean {
    const { routes, now, startedAt } = this.#facts
    if (now.getTime() - startedAt.getTime() < HOPE_MS) return true
    return carriersFor(routes, destinationNamed(destination), { type: 'otp' }).some((id) => this.#hopeful.has(id))
  }

  /** Whether a carrier that works takes this type there. */
  isServed(destination: string, type: MessageType): boolean {
    return this.#served.getOrInsertComputed(`${type} ${destination}`, () =>
      carriersFor(this.#facts.routes, destinationNamed(destination), { type }).some((id) => this.#working.has(id)),
    )
  }
}
