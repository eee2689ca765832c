// The destinations of messages, as routes divide them, and which of them a working carrier serves (D6, D16, D40).

import { MESSAGE_TYPES, type MessageType } from '../message-type.ts'
import type { Reach } from '../messages/intake.ts'
import { carriersFor, destinationName, findDestination, parseDestination, type WorkingRoute } from './routing.ts'

/** D40: an OTP lives five minutes, so a destination without a working carrier for this long is not worth an OTP. */
const RECENT_MS = 30_000

interface Facts {
  routes: readonly WorkingRoute[]
  now: Date
  /** When this process began to accept messages: its carriers and routes may still be loading. */
  startedAt: Date
}

export class Destinations implements Reach {
  readonly #facts: Facts
  readonly #working: ReadonlySet<string>
  readonly #recentlyWorking: ReadonlySet<string>
  /** By type and destination; the messages of a batch share a few. */
  readonly #served = new Map<string, boolean>()

  constructor(facts: Facts) {
    this.#facts = facts
    const { routes, now } = facts
    const isRecent = (at: Date | null) => at !== null && now.getTime() - at.getTime() < RECENT_MS
    const carriers = (of: WorkingRoute[]) => new Set(of.map((route) => route.carrierId))
    this.#working = carriers(routes.filter((route) => route.isWorking))
    this.#recentlyWorking = carriers(routes.filter((route) => route.isWorking || isRecent(route.workedAt)))
  }

  /** The destination of a number: its country and the longest prefix that a route of that country names. */
  of(country: string, e164: string): string {
    return destinationName(findDestination(this.#facts.routes, { country, to: e164 }))
  }

  /** The destinations of these numbers where some message type has no working carrier. */
  withoutCarrier(numbers: { country: string; to: string }[]): string[] {
    const names = new Set(numbers.map(({ country, to }) => this.of(country, to)))
    return [...names].filter((name) => !MESSAGE_TYPES.every((type) => this.isServed(name, type)))
  }

  /** D40: false if no carrier for OTPs to this destination has worked recently, or there is none. */
  canDeliverOtp(destination: string): boolean {
    const { routes, now, startedAt } = this.#facts
    if (now.getTime() - startedAt.getTime() < RECENT_MS) return true
    return carriersFor(routes, parseDestination(destination), { type: 'otp' }).some((id) =>
      this.#recentlyWorking.has(id),
    )
  }

  isServed(destination: string, type: MessageType): boolean {
    return this.#served.getOrInsertComputed(`${type} ${destination}`, () =>
      carriersFor(this.#facts.routes, parseDestination(destination), { type }).some((id) => this.#working.has(id)),
    )
  }
}
