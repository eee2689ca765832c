// HTTP calls to one carrier over a connection pool behind the address guard (D50).
import type { Socket } from 'node:net'
import { Pool } from 'undici'
import type { TestStep } from '../../domain/carriers/carrier.ts'
import type { HttpCall } from '../../domain/carriers/http/request.ts'
import type { AddressGuard } from '../../outbound/address-guard.ts'
import { type DialEvents, dialInSteps } from '../../outbound/dial-steps.ts'
import { type CallResult, Exchange, type ExchangeOptions } from './exchange.ts'

const DIAL_MS = 10_000
/** Shorter than the idle timeout of servers: a call on a connection that the server closes has an unknown outcome (D15). */
const IDLE_MS = 4_000
/** Bounds how long a busy connection keeps using an old DNS result. */
const CONNECTION_LIFE_MS = 60_000
/** How long the connection of the reachability check waits for the first call. */
const SPARE_MS = 2_000

interface CallerOptions {
  guard: AddressGuard
  /** The origin of the described URL. */
  origin: string
  limitMs: number
  lateMs: number
  /** How many calls may wait for a late response. */
  maxLate: number
}

export class HttpCaller {
  readonly #options: CallerOptions
  readonly #url: URL
  readonly #pool: Pool
  readonly #exchanges = new Set<Exchange>()
  #spare: Socket | null = null

  constructor(options: CallerOptions) {
    this.#options = options
    this.#url = new URL(options.origin)
    this.#pool = new Pool(this.#url.origin, {
      // Unlimited here, because the number of calls is limited before this pool.
      connections: null,
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      clientTtl: CONNECTION_LIFE_MS,
      // Each call has its own timeout.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 32 * 1024,
      connect: (_options, done) => {
        const spare = this.#takeSpare()
        // Deferred: the pool does not support a synchronous callback.
        if (spare) return void setImmediate(() => done(null, spare))
        this.dial(AbortSignal.timeout(DIAL_MS)).then(
          (socket) => done(null, socket),
          (error) => done(error, null),
        )
      },
    })
  }

  /** Opens a new connection with the same address checks and TLS verification as calls. */
  dial(signal: AbortSignal, events: DialEvents = {}): Promise<Socket> {
    const { hostname, protocol, port } = this.#url
    const isPlain = protocol === 'http:'
    const to = { hostname, port: Number(port) || (isPlain ? 80 : 443), signal, ...events }
    return isPlain ? this.#options.guard.dialPlain(to) : this.#options.guard.dial(to)
  }

  /** Opens a connection for a test and reports each step. */
  testConnection(signal: AbortSignal, inWords: (error: unknown) => string): Promise<TestStep[]> {
    return dialInSteps((events) => this.dial(signal, events), { isPlain: this.#url.protocol === 'http:', inWords })
  }

  /** Checks that the carrier is reachable; the first call reuses this connection. */
  async connect(signal: AbortSignal): Promise<void> {
    const socket = await this.dial(AbortSignal.any([signal, AbortSignal.timeout(DIAL_MS)]))
    this.#spare = socket
    const drop = () => {
      if (this.#spare === socket) this.#spare = null
      socket.destroy()
    }
    const timer = setTimeout(() => this.#spare === socket && drop(), SPARE_MS)
    socket.once('close', () => clearTimeout(timer))
    socket.once('error', drop)
  }

  call(
    { method, path, headers, body }: HttpCall,
    { written, onLateResult }: Pick<ExchangeOptions, 'written' | 'onLateResult'>,
  ): Promise<CallResult> {
    const { promise, resolve } = Promise.withResolvers<CallResult>()
    const { limitMs, lateMs } = this.#options
    const exchange: Exchange = new Exchange({
      limitMs,
      lateMs,
      written,
      onLateResult,
      settle: (exchanged) => {
        resolve(exchanged)
        this.#boundLate()
      },
      over: () => this.#exchanges.delete(exchange),
    })
    this.#exchanges.add(exchange)
    this.#pool.dispatch({ method, path, headers: { ...DEFAULT_HEADERS, ...headers }, body }, exchange)
    return promise
  }

  /** Accepts no more calls, and still waits for late responses. */
  drain(): void {
    this.#takeSpare()?.destroy()
    void this.#pool.close().catch(() => {})
  }

  abort(why: string): void {
    for (const exchange of this.#exchanges) exchange.abandon(why)
    this.#takeSpare()?.destroy()
    void this.#pool.destroy().catch(() => {})
  }

  /** A carrier that never responds must not accumulate connections. */
  #boundLate(): void {
    const late = [...this.#exchanges].filter((it) => it.isLate)
    for (const exchange of late.slice(0, Math.max(0, late.length - this.#options.maxLate)))
      exchange.abandon('too many calls wait for late responses')
  }

  #takeSpare(): Socket | null {
    const spare = this.#spare
    this.#spare = null
    return spare?.writable && !spare.readableEnded ? spare : null
  }
}

export const DEFAULT_HEADERS = {
  accept: 'application/json',
  // Compression is not worth its cost here; compressed responses are still decoded.
  'accept-encoding': 'identity',
  'user-agent': 'hulaki',
}
