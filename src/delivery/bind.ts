// One bind to a carrier, kept: connected, bound, and after an end bound again, with patience.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../runtime/chance.ts'
import { BindError } from '../smpp/closing.ts'
import { connectSession } from '../smpp/connect-session.ts'
import { planReconnect } from '../smpp/reconnect.ts'
import type { Session } from '../smpp/session.ts'
import type { SessionOptions } from '../smpp/session-options.ts'
import { statusName } from '../smpp/status.ts'
import type { BindHealth, BindMode, BindName } from '../store/carrier-binds.ts'
import type { Carrier } from '../store/carriers.ts'
import type { BindLog } from './bind-log.ts'

export interface BindOptions extends BindName {
  mode: BindMode
  carrier: Carrier
  password: string
  handlers: SessionOptions['handlers']
  onHandlerFault: NonNullable<SessionOptions['onHandlerFault']>
  chance: Chance
  news: BindLog
  now: () => Date
  /** It was bound, or is not any more. */
  onChange: () => void
}

export class Bind {
  readonly carrierId: string
  readonly number: number
  readonly mode: BindMode
  readonly #options: BindOptions
  readonly #stopping = new AbortController()
  readonly #tried = Promise.withResolvers<void>()
  readonly #done: Promise<void>
  #session: Session | null = null
  #state: BindHealth['state'] = 'connecting'
  #boundAt: Date | null = null
  #lastError: string | null = null
  #lastErrorAt: Date | null = null

  constructor(options: BindOptions) {
    this.carrierId = options.carrierId
    this.number = options.number
    this.mode = options.mode
    this.#options = options
    this.#done = this.#keep()
  }

  /** The session while it is bound and may submit. */
  get submitting(): Session | null {
    return this.mode !== 'receiver' && this.#session?.state === 'bound' ? this.#session : null
  }

  /** Returns when the first try to bind has come out. */
  get tried(): Promise<void> {
    return this.#tried.promise
  }

  get health(): Omit<BindHealth, 'segmentsPerSecond'> {
    return {
      state: this.#state,
      boundAt: this.#boundAt,
      inFlight: this.#session ? this.#options.carrier.window - this.#session.room : 0,
      lastError: this.#lastError,
      lastErrorAt: this.#lastErrorAt,
    }
  }

  /** Takes nothing new, waits for what is under way, unbinds. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#session?.drain()
    await this.#done
  }

  /** Waits for nobody any more. */
  hangUp(): void {
    this.#session?.close()
  }

  async #keep(): Promise<void> {
    let failures = 0
    while (!this.#stopping.signal.aborted) {
      const ended = await this.#holdOnce()
      this.#tried.resolve()
      if (this.#stopping.signal.aborted) break
      const { waitMs, ...plan } = planReconnect(
        failures,
        ended,
        () => this.#options.chance.below(1_000_000) / 1_000_000,
      )
      failures = plan.failures
      this.#become('waiting')
      await pause(waitMs, this.#stopping.signal)
      if (!this.#stopping.signal.aborted) this.#become('connecting')
    }
    this.#become('idle')
    this.#tried.resolve()
  }

  /** From connecting to the end of the link, whichever way it ends. */
  async #holdOnce(): Promise<{ boundMs: number; bindStatus?: number | undefined }> {
    try {
      this.#session = await this.#connect()
    } catch (fault) {
      const reason = this.#fault(reasonOf(fault))
      if (!this.#stopping.signal.aborted) this.#options.news.failed(reason)
      return { boundMs: 0, bindStatus: fault instanceof BindError ? fault.status : undefined }
    }
    const since = performance.now()
    this.#become('bound')
    this.#options.news.bound()
    this.#tried.resolve()
    const { reason, status, error } = await this.#session.closed
    this.#session = null
    const detail = status === undefined ? (error?.message ?? '') : statusName(status)
    if (!this.#stopping.signal.aborted) {
      this.#options.news.lost(this.#fault(`the link ended: ${reason} ${detail}`.trim()))
    }
    return { boundMs: performance.now() - since }
  }

  #connect(): Promise<Session> {
    const { carrier, password, handlers, onHandlerFault } = this.#options
    return connectSession({
      host: carrier.host,
      port: carrier.port,
      tls: carrier.tls ? {} : undefined,
      bindName: `bind_${this.mode}`,
      bind: { system_id: carrier.systemId, password, system_type: carrier.systemType },
      window: carrier.window,
      timers: { responseMs: carrier.answerSeconds * 1000 },
      signal: this.#stopping.signal,
      onHandlerFault,
      ...(handlers && { handlers }),
    })
  }

  /** Kept for people to see. Returns it as it is kept. */
  #fault(text: string): string {
    const kept = text.replaceAll('\u0000', '').slice(0, 500)
    this.#lastError = kept
    this.#lastErrorAt = this.#options.now()
    return kept
  }

  #become(state: BindHealth['state']): void {
    this.#state = state
    this.#boundAt = state === 'bound' ? this.#options.now() : null
    this.#options.onChange()
  }
}

/** A host of several addresses fails with several errors in one that says nothing itself. */
function reasonOf(fault: unknown): string {
  if (fault instanceof AggregateError) return fault.errors.map(reasonOf).join('; ')
  return fault instanceof Error ? fault.message : String(fault)
}

/** Leaves nothing behind on the signal, which outlives many of these. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
