// Connections that still drain. Their leases are kept until the end, because carriers limit the number of binds.
import { type BindName, bindKey, type HeldBind } from '../../domain/carriers/bind.ts'
import type { Connection } from '../connection.ts'

/** The health of a draining bind is not reported. */
const DRAINING_HEALTH = {
  segmentsPerSecond: 0,
  isWorking: false,
  isWorthTrying: false,
  brokenReason: null,
  healthSince: null,
  isFull: false,
}

export class DrainingConnections {
  readonly #draining = new Map<string, { bind: Connection; drained: Promise<void> }>()
  readonly #onDrained: () => void

  constructor(onDrained: () => void) {
    this.#onDrained = onDrained
  }

  add(binds: Connection[], ended: Promise<void>): void {
    for (const bind of binds) {
      const drained = ended.then(() => {
        this.#draining.delete(bindKey(bind))
        this.#onDrained()
      })
      this.#draining.set(bindKey(bind), { bind, drained })
    }
  }

  has(bind: BindName): boolean {
    return this.#draining.has(bindKey(bind))
  }

  held(): HeldBind[] {
    return Array.from(this.#draining.values(), ({ bind: { carrierId, number, health } }) => ({
      carrierId,
      number,
      ...health,
      ...DRAINING_HEALTH,
    }))
  }

  async waitForAll(): Promise<void> {
    await Promise.all(Array.from(this.#draining.values(), ({ drained }) => drained))
  }

  abort(): void {
    for (const { bind } of this.#draining.values()) bind.abort()
  }
}
