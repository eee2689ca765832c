// Keep-alive connections to endpoints: one pool per origin, and a limited number of idle pools (§6.4).
import { Pool } from 'undici'
import type { AddressGuard } from '../outbound/address-guard.ts'

interface PoolLimits {
  /** For DNS, connection and TLS together. */
  dialMilliseconds: number
  maxIdleOrigins: number
}

const IDLE_CONNECTION_MILLISECONDS = 4_000
const MAX_IDLE_CONNECTION_MILLISECONDS = 30_000

// A busy connection never resolves its name again, so its life is limited.
const CONNECTION_LIFE_MILLISECONDS = 60_000

export class EndpointPools {
  readonly #guard: AddressGuard
  readonly #limits: PoolLimits
  // In order of last use, oldest first.
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

  /** Waits for running attempts, but not for dials in progress. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the pools are closing'))
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.close()))
    this.#guard.close()
  }

  #open(origin: string): Pool {
    return new Pool(origin, {
      // Unlimited, because an attempt that waited in the pool would use up its time limit. EndpointSlots limits the number.
      connections: null,
      // With HTTP/2 the pool would delay attempts until its first connection has negotiated the protocol.
      allowH2: false,
      keepAliveTimeout: IDLE_CONNECTION_MILLISECONDS,
      keepAliveMaxTimeout: MAX_IDLE_CONNECTION_MILLISECONDS,
      clientTtl: CONNECTION_LIFE_MILLISECONDS,
      // Each attempt has its own time limit.
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

  // A busy pool is never dropped, so the number of pools may exceed the limit by the number of running attempts.
  #dropIdle(wanted: Pool): void {
    for (const [origin, pool] of this.#pools) {
      if (this.#pools.size <= this.#limits.maxIdleOrigins) return
      if (pool === wanted || pool.stats.size > 0) continue
      this.#pools.delete(origin)
      // An idle pool has no attempts.
      pool.close().catch(() => {})
    }
  }
}
