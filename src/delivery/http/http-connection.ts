// A connection to an HTTP carrier (D48): submits by calls and tracks whether the carrier is reachable.
import { setTimeout as sleep } from 'node:timers/promises'
import { decryptHttpSecrets } from '../../actions/carriers/carrier-secrets.ts'
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
  type EnquiryResult,
  type OutgoingSegment,
  type SubmissionCallbacks,
  type SubmissionResult,
  unsent,
} from '../connection.ts'
import { CallCapture } from './call-capture.ts'
import { CallLog } from './call-log.ts'
import { HttpCaller } from './caller.ts'
import { Calls } from './calls.ts'

const ENQUIRE_MS = 5_000
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 60_000
/** How long after its timeout a late response is still accepted. */
const LATE_MS = 60_000

interface HttpConnectionOptions extends BindName {
  mode: BindMode
  carrier: HttpCarrier
  ports: Pick<Ports, 'clock' | 'random' | 'keyring'>
  guard: AddressGuard
  /** The base URL of callbacks; null: no callbacks. */
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
  readonly #log: CallLog
  readonly #stopping = new AbortController()
  readonly #firstAttempt = Promise.withResolvers<void>()
  readonly #done: Promise<void>
  readonly #calls: Calls
  #caller: HttpCaller
  /** Resolves with the reason when the carrier is no longer reachable. */
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
    const secrets = withCallbackUrl(decryptHttpSecrets(ports, carrier), options.publicUrl)
    this.#redactorOf = createRedactors(secrets)
    this.#log = new CallLog(log, { carrier: carrier.name, bind: number })
    this.#caller = this.#newCaller()
    this.#calls = new Calls({
      description: this.#description,
      window: this.#window,
      makeCall: compileSubmission(this.#description, secrets),
      caller: () => this.#caller,
      redactorOf: this.#redactorOf,
      log: this.#log,
      capture: new CallCapture({
        ...this.#description,
        places: placesOfAnswer(this.#description),
        redactorOf: this.#redactorOf,
        onFrame: options.events.onFrame,
      }),
      clock: ports.clock,
      onLost: (reason) => this.#lose(reason),
      onRested: () => options.events.changed(),
    })
    this.#done = this.#keepConnected()
  }

  get firstAttempt(): Promise<void> {
    return this.#firstAttempt.promise
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
      retryAt: null,
    }
  }

  submit(segment: OutgoingSegment, { onResult, onLateAnswer }: SubmissionCallbacks): void {
    if (this.#state !== 'bound') {
      onResult(unsent('not_written'))
      return
    }
    // Another carrier has a part of this message, and HTTP carriers accept only whole messages.
    if (segment.ofSegments > 1) {
      onResult(IN_PARTS)
      return
    }
    const { messageId, to, text, source } = segment
    const values = valuesOf({ messageId, to, text, from: source.address })
    this.#calls.add({ values, resolve: onResult, onLateAnswer })
  }

  async enquire(): Promise<EnquiryResult> {
    const isBound = this.#state === 'bound'
    const since = performance.now()
    const steps = await this.#caller.testConnection(AbortSignal.timeout(ENQUIRE_MS), reasonOf)
    const fault = steps.find((it) => it.fault !== null)?.fault
    if (fault) return { fault, steps }
    return isBound
      ? { milliseconds: performance.now() - since, steps }
      : { fault: this.#lastError ?? 'not connected', steps }
  }

  restart(reason: string): void {
    if (this.#state === 'bound') this.#lost.resolve(reason)
    this.#stopAccepting()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    this.#stopAccepting()
    await this.#done
  }

  abort(): void {
    this.#caller.abort('connection aborted')
  }

  /** Connects, and reconnects with backoff when the carrier is no longer reachable. */
  async #keepConnected(): Promise<void> {
    let failures = 0
    while (!this.#stopping.signal.aborted) {
      const reason = await this.#connectOnce(() => {
        failures = 0
      })
      this.#firstAttempt.resolve()
      if (this.#stopping.signal.aborted) break
      this.#setLastError(reason)
      this.#setState('waiting')
      const ceiling = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failures)
      failures += 1
      const part = this.#options.ports.random.below(1_000) / 1_000
      await pause(FIRST_WAIT_MS + part * (ceiling - FIRST_WAIT_MS), this.#stopping.signal)
      if (!this.#stopping.signal.aborted) this.#setState('connecting')
    }
    this.#calls.stop()
    this.#setState('idle')
    this.#firstAttempt.resolve()
  }

  /** Runs from the connection attempt until the carrier is no longer reachable; returns the reason. */
  async #connectOnce(onReached: () => void): Promise<string> {
    const caller = this.#caller
    try {
      await caller.connect(this.#stopping.signal)
    } catch (error) {
      caller.abort('not reachable')
      this.#caller = this.#newCaller()
      const reason = reasonOf(error)
      if (!this.#stopping.signal.aborted) this.#log.lost(reason)
      return reason
    }
    onReached()
    this.#lost = Promise.withResolvers<string>()
    this.#setState('bound')
    this.#log.reached()
    this.#firstAttempt.resolve()
    const stopped = Promise.withResolvers<string>()
    const onStop = () => stopped.resolve('connection closed')
    this.#stopping.signal.addEventListener('abort', onStop, { once: true })
    const reason = await Promise.race([this.#lost.promise, stopped.promise])
    this.#stopping.signal.removeEventListener('abort', onStop)
    this.#stopAccepting()
    await this.#calls.idle()
    if (this.#stopping.signal.aborted) caller.abort('connection closed')
    else {
      caller.drain()
      this.#caller = this.#newCaller()
      this.#log.lost(reason)
    }
    return reason
  }

  /** Accepts no more messages; waiting messages resolve as not written. */
  #stopAccepting(): void {
    if (this.#state === 'bound') this.#setState('connecting')
    this.#calls.dismissWaiting()
  }

  #lose(reason: string): void {
    if (this.#state !== 'bound') return
    this.#setLastError(reason)
    this.#lost.resolve(reason)
    this.#stopAccepting()
  }

  #newCaller(): HttpCaller {
    const { guard } = this.#options
    const { origin } = partsOf(this.#description.url)
    return new HttpCaller({ guard, origin, limitMs: this.#limitMs, lateMs: LATE_MS, maxLate: this.#window })
  }

  #setLastError(reason: string): void {
    this.#lastError = this.#redactorOf(NO_PRIVATE_PARTS).words(reason)
    this.#lastErrorAt = this.#options.ports.clock.now()
  }

  #setState(state: BindHealth['state']): void {
    this.#state = state
    this.#boundAt = state === 'bound' ? this.#options.ports.clock.now() : null
    this.#options.events.changed()
  }
}

const IN_PARTS: SubmissionResult = {
  ...unsent('not_written'),
  outcome: 'other_carrier',
  said: 'this carrier does not accept parts of a message',
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  return error.name === 'TimeoutError' ? 'host not reachable' : describeConnectionFailure(error)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
