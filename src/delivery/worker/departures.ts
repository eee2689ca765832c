// Binds that were let go and still drain. Until they have, their leases are kept, since carriers count binds.
import { type BindName, bindKey, type HeldBind } from '../../domain/carriers/bind.ts'
import type { Connection } from '../connection.ts'

/** Nobody asks any more how the carrier does behind a bind that drains. */
const LEAVING = {
  segmentsPerSecond: 0,
  works: false,
  isWorthTrying: false,
  brokenReason: null,
  healthSince: null,
  isFull: false,
}

export class Departures {
  readonly #leaving = new Map<string, { bind: Connection; left: Promise<void> }>()
  readonly #onLeft: () => void

  constructor(onLeft: () => void) {
    this.#onLeft = onLeft
  }

  /** A bind that drains holds up nobody but its successor. */
  add(binds: Connection[], ended: Promise<void>): void {
    for (const bind of binds) {
      const left = ended.then(() => {
        this.#leaving.delete(bindKey(bind))
        this.#onLeft()
      })
      this.#leaving.set(bindKey(bind), { bind, left })
    }
  }

  has(bind: BindName): boolean {
    return this.#leaving.has(bindKey(bind))
  }

  held(): HeldBind[] {
    return Array.from(this.#leaving.values(), ({ bind: { carrierId, number, health } }) => ({
      carrierId,
      number,
      ...health,
      ...LEAVING,
    }))
  }

  async over(): Promise<void> {
    await Promise.all(Array.from(this.#leaving.values(), ({ left }) => left))
  }

  hangUp(): void {
    for (const { bind } of this.#leaving.values()) bind.hangUp()
  }
}
