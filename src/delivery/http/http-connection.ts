// A carrier that is spoken to over HTTP, as its description says (D48): calls instead of a link, and beside them the knowledge
// whether it can be reached at all.
import { setTimeout as sleep } from 'node:timers/promises'
import { httpSecretsOf } from '../../actions/carriers/carrier-secrets.ts'
import type { Ports } from '../../actions/ports.ts'
import type { BindHealth, BindMode, BindName } from '../../domain/carriers/bind.ts'
import type { HttpCarrier } from '../../domain/carriers/carrier.ts'
import { withCallbackUrl } from '../../domain/carriers/http/callback.ts'
import { placesOfAnswer } from '../../domain/carriers/http/capture.ts'
import type { HttpDescription } from '../../domain/carriers/http/description.ts'
import { createRedactors, NO_PRIVATE_PARTS, type RedactorOf } from '../../domain/carriers/http/redact.ts'
import { compileSubmission, partsOf, valuesOf } from '../../domain/carriers/http/request.ts'
import type { AddressGuard } from '../../outbound/address-guard.ts'
import { describeConnectionFailure } from '../../outbound/connection-failure.ts'
import type { Log } from '../../runtime/log.ts'
import {
  type Connection,
  type ConnectionEvents,
  type Enquired,
  type OutgoingSegment,
  type Submitted,
  unsent,
} from '../connection.ts'
import { CallLog } from './call-log.ts'
import { Caller } from './caller.ts'
import { Calls } from './calls.ts'
import { Wire } from './wire.ts'

const ENQUIRE_MS = 5_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** An answer that comes later than this after its time tells nobody anything any more. */
const LATE_MS = 60_000

export interface HttpConnectionOptions extends BindName {
  mode: BindMode
  carrier: HttpCarrier
  ports: Pick<Ports, 'clock' | 'chance' | 'keyring'>
  guard: AddressGuard
  /** Where carriers reach us; null is nowhere. */
  publicUrl: string | null
  log: Log
  events: ConnectionEvents
}

export class HttpConnection implements Connection {
  readonly carrierId: string
  readonly number: number
  readonly mode: BindMode
  readonly #options: HttpConnectionOptions
  readonly #description: HttpDescription
  readonly #window: number
  readonly #limitMs: number
  readonly #redactorOf: RedactorOf
  readonly #news: CallLog
  readonly #stopping = new AbortController()
  readonly #tried = Promise.withResolvers<void>()
  readonly #done: Promise<void>
  readonly #calls: Calls
  #caller: Caller
  /** Resolved with the reason when the carrier is not reached any more. */
  #lost = Promise.withResolvers<string>()
  #state: BindHealth['state'] = 'connecting'
  #boundAt: Date | null = null
  #lastError: string | null = null
  #lastErrorAt: Date | null = null

  constructor(options: HttpConnectionOptions) {
    const { carrierId, number, mode, log, ports } = options
    const { carrier } = options
    this.carrierId = carrierId
    this.number = number
    this.mode = mode
    this.#options = options
    this.#description = carrier.http.description
    this.#window = carrier.window
    this.#limitMs = carrier.answerSeconds * 1000
    const secrets = withCallbackUrl(httpSecretsOf(ports, carrier), options.publicUrl)
    this.#redactorOf = createRedactors(secrets)
    this.#news = new CallLog(log, { carrier: carrier.name, bind: number })
    this.#caller = this.#newCaller()
    this.#calls = new Calls({
      description: this.#description,
      window: this.#window,
      makeCall: compileSubmission(this.#description, secrets),
      caller: () => this.#caller,
      redactorOf: this.#redactorOf,
      news: this.#news,
      wire: new Wire({
        ...this.#description,
        places: placesOfAnswer(this.#description),
        redactorOf: this.#redactorOf,
        exchanged: options.events.exchanged,
      }),
      clock: ports.clock,
      onLost: (reason) => this.#lose(reason),
      onRested: () => options.events.changed(),
    })
    this.#done = this.#keep()
  }

  get tried(): Promise<void> {
    return this.#tried.promise
  }

  get places(): number {
    return this.#state === 'bound' ? this.#calls.places : 0
  }

  get room(): number {
    return this.#state === 'bound' ? this.#calls.room : 0
  }

  get health(): BindHealth {
    return {
      state: this.#state,
      peer: null,
      boundAt: this.#boundAt,
      inFlight: this.#calls.inFlight,
      lastError: this.#lastError,
      lastErrorAt: this.#lastErrorAt,
    }
  }

  async submit(segment: OutgoingSegment, onLateAnswer: (submitted: Submitted) => void): Promise<Submitted> {
    if (this.#state !== 'bound') return unsent('not_written')
    // Others have a part of it already: the rest cannot follow in a call that takes messages whole.
    if (segment.ofSegments > 1) return IN_PARTS
    const { promise, resolve } = Promise.withResolvers<Submitted>()
    const { messageId, to, text, source } = segment
    this.#calls.add({ values: valuesOf({ messageId, to, text, from: source.address }), resolve, onLateAnswer })
    return promise
  }

  async enquire(): Promise<Enquired> {
    const isBound = this.#state === 'bound'
    const since = performance.now()
    const steps = await this.#caller.walk(AbortSignal.timeout(ENQUIRE_MS), reasonOf)
    const fault = steps.find((it) => it.fault !== null)?.fault
    if (fault) return { fault, steps }
    return isBound
      ? { milliseconds: performance.now() - since, steps }
      : { fault: this.#lastError ?? 'it is not reached', steps }
  }

  restart(reason: string): void {
    if (this.#state === 'bound') this.#lost.resolve(reason)
    this.#leaveBound()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    this.#leaveBound()
    await this.#done
  }

  hangUp(): void {
    this.#caller.hangUp('the connection is hung up')
  }

  /** Connects, and once the carrier is not reached any more, with patience again. */
  async #keep(): Promise<void> {
    let failures = 0
    while (!this.#stopping.signal.aborted) {
      const reason = await this.#holdOnce(() => {
        failures = 0
      })
      this.#tried.resolve()
      if (this.#stopping.signal.aborted) break
      this.#fault(reason)
      this.#become('waiting')
      const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures)
      failures += 1
      const part = this.#options.ports.chance.below(1_000) / 1_000
      await pause(FIRST_WAIT_MS + part * (ceiling - FIRST_WAIT_MS), this.#stopping.signal)
      if (!this.#stopping.signal.aborted) this.#become('connecting')
    }
    this.#calls.stop()
    this.#become('idle')
    this.#tried.resolve()
  }

  /** From the first connection until the carrier is not reached any more; says why. */
  async #holdOnce(onReached: () => void): Promise<string> {
    const caller = this.#caller
    try {
      await caller.connect(this.#stopping.signal)
    } catch (fault) {
      caller.hangUp('it is not reached')
      this.#caller = this.#newCaller()
      const reason = reasonOf(fault)
      if (!this.#stopping.signal.aborted) this.#news.lost(reason)
      return reason
    }
    onReached()
    this.#lost = Promise.withResolvers<string>()
    this.#become('bound')
    this.#news.reached()
    this.#tried.resolve()
    const stopped = Promise.withResolvers<string>()
    const onStop = () => stopped.resolve('it is closed')
    this.#stopping.signal.addEventListener('abort', onStop, { once: true })
    const reason = await Promise.race([this.#lost.promise, stopped.promise])
    this.#stopping.signal.removeEventListener('abort', onStop)
    this.#leaveBound()
    await this.#calls.idle()
    if (this.#stopping.signal.aborted) caller.hangUp('it is closed')
    else {
      caller.leave()
      this.#caller = this.#newCaller()
      this.#news.lost(reason)
    }
    return reason
  }

  /** Takes nothing more; what waits was never written. */
  #leaveBound(): void {
    if (this.#state === 'bound') this.#become('connecting')
    this.#calls.dismissWaiting()
  }

  #lose(reason: string): void {
    if (this.#state !== 'bound') return
    this.#fault(reason)
    this.#lost.resolve(reason)
    this.#leaveBound()
  }

  #newCaller(): Caller {
    const { guard } = this.#options
    const { origin } = partsOf(this.#description.url)
    return new Caller({ guard, origin, limitMs: this.#limitMs, lateMs: LATE_MS, mostLate: this.#window })
  }

  #fault(reason: string): void {
    this.#lastError = this.#redactorOf(NO_PRIVATE_PARTS).words(reason)
    this.#lastErrorAt = this.#options.ports.clock.now()
  }

  #become(state: BindHealth['state']): void {
    this.#state = state
    this.#boundAt = state === 'bound' ? this.#options.ports.clock.now() : null
    this.#options.events.changed()
  }
}

const IN_PARTS: Submitted = {
  ...unsent('not_written'),
  outcome: 'other_carrier',
  said: 'a part of this message is elsewhere, and this carrier takes messages whole',
}

function reasonOf(fault: unknown): string {
  if (fault instanceof AggregateError) return fault.errors.map(reasonOf).join('; ')
  if (!(fault instanceof Error)) return String(fault)
  return fault.name === 'TimeoutError' ? 'the host cannot be reached' : describeConnectionFailure(fault)
}

/** Leaves nothing behind on the signal, which outlives many of these. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
