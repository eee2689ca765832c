// Which messages are taken in for destinations that no working carrier serves (D6, D16, D40).
import type { MessageType } from '../message-type.ts'

/** How many messages may wait for a destination that no working carrier serves. */
export const MOST_STRANDED = 100_000

/** Nobody knows when a carrier comes back; binding to it again is tried about as often. */
export const OUT_OF_REACH_SECONDS = 30

/** What routes and carriers say of destinations, which are named by `of`. */
export interface Reach {
  of(country: string, e164: string): string
  isServed(destination: string, type: MessageType): boolean
  isWorthACode(destination: string): boolean
}

/** What is taken in while a batch is decided: each message finds those before it waiting where no working carrier serves them. */
export class Intake {
  readonly #reach: Reach
  /** How many waited there before, by destination. */
  readonly #waiting: ReadonlyMap<string, number>
  /** How many more wait there now. */
  readonly stranded = new Map<string, number>()

  constructor(reach: Reach, waiting: ReadonlyMap<string, number>) {
    this.#reach = reach
    this.#waiting = waiting
  }

  /** False when no working carrier serves it and its backlog is past the bound: then nothing more is taken in. */
  isOpen(destination: string, type: MessageType): boolean {
    if (this.#reach.isServed(destination, type)) return true
    const more = this.stranded.get(destination) ?? 0
    return (this.#waiting.get(destination) ?? 0) + more < MOST_STRANDED
  }

  takeIn(destination: string, type: MessageType): void {
    if (this.#reach.isServed(destination, type)) return
    this.stranded.set(destination, (this.stranded.get(destination) ?? 0) + 1)
  }
}
