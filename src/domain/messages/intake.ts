// Limits the messages accepted for destinations without a working carrier (D6, D16, D40).
import type { MessageType } from '../message-type.ts'

/** How many messages may wait for a destination without a working carrier. */
export const MAX_WITHOUT_CARRIER = 100_000

/** About as often as Hulaki tries to reconnect to a carrier. */
export const UNAVAILABLE_RETRY_SECONDS = 30

/** Destinations by routes and carriers; `of` returns the name of a destination. */
export interface Reach {
  of(country: string, e164: string): string
  isServed(destination: string, type: MessageType): boolean
  canDeliverOtp(destination: string): boolean
}

/** Counts what a batch adds to destinations without a working carrier. */
export class Intake {
  readonly #reach: Reach
  /** Messages that waited before the batch, by destination. */
  readonly #waiting: ReadonlyMap<string, number>
  /** Messages that the batch adds, by destination. */
  readonly withoutCarrier = new Map<string, number>()

  constructor(reach: Reach, waiting: ReadonlyMap<string, number>) {
    this.#reach = reach
    this.#waiting = waiting
  }

  /** False if no working carrier serves the destination and its backlog is at the limit. */
  isOpen(destination: string, type: MessageType): boolean {
    if (this.#reach.isServed(destination, type)) return true
    const more = this.withoutCarrier.get(destination) ?? 0
    return (this.#waiting.get(destination) ?? 0) + more < MAX_WITHOUT_CARRIER
  }

  count(destination: string, type: MessageType): void {
    if (this.#reach.isServed(destination, type)) return
    this.withoutCarrier.set(destination, (this.withoutCarrier.get(destination) ?? 0) + 1)
  }
}
