// Connections to receivers, kept alive between postings: one pool per origin, a bounded number of idle ones (§6.4).
import { Pool } from 'undici'
import type { AddressGuard } from '../outbound/address-guard.ts'

interface PoolLimits {
  /** For name, connection and TLS together. */
  dialMilliseconds: number
  maxIdleOrigins: number
}

const IDLE_CONNECTION_MILLISECONDS = 4_000
const MAX_IDLE_CONNECTION_MILLISECONDS = 30_000

// A busy connection would never ask for its name again; a receiver that moved is found within this time.
const CONNECTION_LIFE_MILLISECONDS = 60_000

export class ReceiverPools {
  readonly #guard: AddressGuard
  readonly #limits: PoolLimits
  // In order of last use, the oldest first.
  readonly #pools = new Map<string, Pool>()
  readonly #closing = new AbortController()

  constructor(guard: AddressGuard, limits: PoolLimits) {
    this.#guard = guard
    this.#limits = limits
  }

  poolOf(origin: string): Pool {
    const pool = this.#pools.get(origin) ?? this.#open(origin)
    this.#pools.delete(origin)
    this.#pools.set(origin, pool)
    this.#dropIdle(pool)
    return pool
  }

  /** Waits for the postings under way, not for those that are still being dialled: nobody waits for them any more. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('no more postings are made'))
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.close()))
    this.#guard.close()
  }

  #open(origin: string): Pool {
    return new Pool(origin, {
      // As many connections as postings: a posting that waited in the pool would wait on its own clock.
      // Their number is bounded before this, by the slots of the receiver.
      connections: null,
      // With HTTP/2 the pool would hold postings back until its first connection had chosen a protocol.
      allowH2: false,
      keepAliveTimeout: IDLE_CONNECTION_MILLISECONDS,
      keepAliveMaxTimeout: MAX_IDLE_CONNECTION_MILLISECONDS,
      clientTtl: CONNECTION_LIFE_MILLISECONDS,
      // The one clock over a posting is its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: ({ hostname, port }, done) => {
        const signal = AbortSignal.any([AbortSignal.timeout(this.#limits.dialMilliseconds), this.#closing.signal])
        this.#guard.dial({ hostname, port: Number(port) || 443, signal }).then(
          (socket) => done(null, socket),
          (error) => done(error, null),
        )
      },
    })
  }

  // A pool at work is never dropped, so there may be more pools than the bound, but not more than postings under way.
  #dropIdle(wanted: Pool): void {
    for (const [origin, pool] of this.#pools) {
      if (this.#pools.size <= this.#limits.maxIdleOrigins) return
      if (pool === wanted || pool.stats.size > 0) continue
      this.#pools.delete(origin)
      // An idle pool has no posting that could fail.
      pool.close().catch(() => {})
    }
  }
}
