// Calls to one carrier: a pool of connections behind the address guard (D50), and the calls that are on it, each with its own time.
import type { Socket } from 'node:net'
import { Pool } from 'undici'
import type { TestStep } from '../../domain/carriers/carrier.ts'
import type { HttpCall } from '../../domain/carriers/http/request.ts'
import type { AddressGuard } from '../../outbound/address-guard.ts'
import { type DialEvents, dialInSteps } from '../../outbound/dial-steps.ts'
import { Exchange, type Exchanged, type ExchangeOptions } from './exchange.ts'

const DIAL_MS = 10_000
/** Kept shorter than servers do: a call over a connection that they are closing would be unknown (D15). */
const IDLE_MS = 4_000
/** A busy connection would never ask for its name again; a carrier that moved is found within this time. */
const CONNECTION_LIFE_MS = 60_000
/** How long the connection that proved the carrier to be there waits for its first call. */
const SPARE_MS = 2_000

export interface CallerOptions {
  guard: AddressGuard
  /** The origin of the description's URL. */
  origin: string
  limitMs: number
  lateMs: number
  /** How many calls may be waited for beyond their time. */
  mostLate: number
}

export class Caller {
  readonly #options: CallerOptions
  readonly #url: URL
  readonly #pool: Pool
  readonly #exchanges = new Set<Exchange>()
  #spare: Socket | null = null

  constructor(options: CallerOptions) {
    this.#options = options
    this.#url = new URL(options.origin)
    this.#pool = new Pool(this.#url.origin, {
      // As many as calls, whose number is bounded before this: one that waited here would wait on its own time.
      connections: null,
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      clientTtl: CONNECTION_LIFE_MS,
      // The one clock over a call is its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 32 * 1024,
      connect: (_options, done) => {
        const spare = this.#takeSpare()
        // Not at once: the pool does not expect to be called back before it has made its call.
        if (spare) return void setImmediate(() => done(null, spare))
        this.dial(AbortSignal.timeout(DIAL_MS)).then(
          (socket) => done(null, socket),
          (error) => done(error, null),
        )
      },
    })
  }

  /** A connection of its own, judged and verified as all of them are. */
  dial(signal: AbortSignal, news: DialEvents = {}): Promise<Socket> {
    const { hostname, protocol, port } = this.#url
    const isPlain = protocol === 'http:'
    const to = { hostname, port: Number(port) || (isPlain ? 80 : 443), signal, ...news }
    return isPlain ? this.#options.guard.dialPlain(to) : this.#options.guard.dial(to)
  }

  /** A connection that nobody uses, told step by step. */
  walk(signal: AbortSignal, inWords: (fault: unknown) => string): Promise<TestStep[]> {
    return dialInSteps((news) => this.dial(signal, news), { isPlain: this.#url.protocol === 'http:', inWords })
  }

  /** Proves that the carrier is there; the first call goes by the same connection. */
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
    { written, hearLate }: Pick<ExchangeOptions, 'written' | 'hearLate'>,
  ): Promise<Exchanged> {
    const { promise, resolve } = Promise.withResolvers<Exchanged>()
    const { limitMs, lateMs } = this.#options
    const exchange: Exchange = new Exchange({
      limitMs,
      lateMs,
      written,
      hearLate,
      settle: (exchanged) => {
        resolve(exchanged)
        this.#boundLate()
      },
      over: () => this.#exchanges.delete(exchange),
    })
    this.#exchanges.add(exchange)
    this.#pool.dispatch({ method, path, headers: { ...USUAL_HEADERS, ...headers }, body }, exchange)
    return promise
  }

  /** Lets those that are late be late, and takes no more. */
  leave(): void {
    this.#takeSpare()?.destroy()
    void this.#pool.close().catch(() => {})
  }

  hangUp(why: string): void {
    for (const exchange of this.#exchanges) exchange.giveUp(why)
    this.#takeSpare()?.destroy()
    void this.#pool.destroy().catch(() => {})
  }

  /** A carrier that never answers would otherwise gather connections. */
  #boundLate(): void {
    const late = [...this.#exchanges].filter((it) => it.isLate)
    for (const exchange of late.slice(0, Math.max(0, late.length - this.#options.mostLate)))
      exchange.giveUp('too many calls are waited for')
  }

  #takeSpare(): Socket | null {
    const spare = this.#spare
    this.#spare = null
    return spare?.writable && !spare.readableEnded ? spare : null
  }
}

export const USUAL_HEADERS = {
  accept: 'application/json',
  // Compression costs more than it saves here; providers that compress all the same are read.
  'accept-encoding': 'identity',
  'user-agent': 'hulaki',
}
