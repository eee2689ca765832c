// One SMPP bind to a carrier: connects, reconnects with backoff, submits segments and receives reports and replies.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ports } from '../../actions/ports.ts'
import type { BindHealth, BindMode, BindName } from '../../domain/carriers/bind.ts'
import type { SmppCarrier } from '../../domain/carriers/carrier.ts'
import { interpretCommandStatus } from '../../domain/carriers/smpp/command-status.ts'
import { isKnownState } from '../../domain/messages/report.ts'
import { inBackground, type Log } from '../../runtime/log.ts'
import { UnwritablePduError } from '../../smpp/codec.ts'
import { MAX_MESSAGE_ID_LENGTH, normaliseMessageId } from '../../smpp/receipt.ts'
import { planReconnect } from '../../smpp/reconnect.ts'
import type { SmppSession } from '../../smpp/session.ts'
import { commandStatus, statusName } from '../../smpp/status.ts'
import { messageBytes } from '../../smpp/udh.ts'
import type { RequestOutcome } from '../../smpp/window.ts'
import {
  type Connection,
  type ConnectionEvents,
  type EnquiryResult,
  type OutgoingSegment,
  type ReceivedEvent,
  type SubmissionCallbacks,
  type SubmissionResult,
  unanswered,
} from '../connection.ts'
import { BindLog } from './bind-log.ts'
import { bindStatusOf, connectCarrier, reasonOf } from './connect-carrier.ts'
import { type Delivery, deliveryFingerprint, isReadable, isReport, readReply, readReport } from './deliveries.ts'
import { frameOf } from './exchanged.ts'
import { submitPdu } from './submit-pdu.ts'

const ENQUIRE_MS = 5_000
const ACCEPTED = { status: commandStatus.ESME_ROK }

interface BindOptions extends BindName {
  mode: BindMode
  /** The current settings; some may change during a session. */
  carrier: () => SmppCarrier
  /** The countries that the carrier serves, for numbers without a country code. */
  homes: () => readonly string[]
  ports: Pick<Ports, 'clock' | 'ids' | 'random' | 'keyring'>
  log: Log
  events: ConnectionEvents
}

export class Bind implements Connection {
  readonly carrierId: string
  readonly number: number
  readonly mode: BindMode
  readonly #options: BindOptions
  /** The settings at the time of the bind, which the link uses. */
  readonly #boundCarrier: SmppCarrier
  readonly #log: BindLog
  readonly #stopping = new AbortController()
  readonly #firstAttempt = Promise.withResolvers<void>()
  readonly #done: Promise<void>
  #session: SmppSession | null = null
  /** The reason of a restart by this process. */
  #restartReason: string | null = null
  #state: BindHealth['state'] = 'connecting'
  #peer: string | null = null
  #boundAt: Date | null = null
  #lastError: string | null = null
  #lastErrorAt: Date | null = null
  #retryAt: Date | null = null

  constructor(options: BindOptions) {
    const { carrierId, number, mode, log } = options
    this.carrierId = carrierId
    this.number = number
    this.mode = mode
    this.#options = options
    this.#boundCarrier = options.carrier()
    this.#log = new BindLog({ log, carrier: this.#boundCarrier, number, monotonicNow: () => performance.now() })
    this.#done = this.#keepBound()
  }

  get firstAttempt(): Promise<void> {
    return this.#firstAttempt.promise
  }

  get places(): number {
    return this.#submitting ? this.#boundCarrier.window : 0
  }

  get room(): number {
    return this.#submitting?.room ?? 0
  }

  get health(): BindHealth {
    return {
      state: this.#state,
      peer: this.#peer,
      boundAt: this.#boundAt,
      inFlight: this.#session ? this.#boundCarrier.window - this.#session.room : 0,
      lastError: this.#lastError,
      lastErrorAt: this.#lastErrorAt,
      retryAt: this.#retryAt,
    }
  }

  submit(segment: OutgoingSegment, { onResult, onLateAnswer }: SubmissionCallbacks): void {
    const carrier = this.#options.carrier()
    const session = this.#submitting
    if (!session) {
      onResult(resultOf({ kind: 'not_written' }, carrier))
      return
    }
    const pdu = submitPdu(segment, { carrier, now: this.#options.ports.clock.now() })
    if (!pdu) {
      onResult(resultOf({ kind: 'unwritable' }, carrier))
      return
    }
    try {
      session.send('submit_sm', pdu, {
        settle: (outcome) => onResult(resultOf(outcome, carrier)),
        onLateAnswer: (outcome) => onLateAnswer(resultOf(outcome, this.#options.carrier())),
      })
    } catch (error) {
      if (!(error instanceof UnwritablePduError)) throw error
      const { messageId } = segment
      const fields = { carrier: carrier.name, messageId, why: error.message }
      this.#options.log.error(fields, 'message cannot be encoded for carrier')
      onResult(resultOf({ kind: 'unwritable' }, carrier))
    }
  }

  async enquire(): Promise<EnquiryResult> {
    const session = this.#session
    if (session?.state !== 'bound') return { fault: this.#lastError ?? 'not connected' }
    const since = performance.now()
    const outcome = await session.enquire(ENQUIRE_MS)
    if (outcome.kind !== 'answered') return { fault: `no response to enquire_link within ${ENQUIRE_MS / 1000} s` }
    return outcome.status === commandStatus.ESME_ROK
      ? { milliseconds: performance.now() - since }
      : { fault: `enquire_link failed with ${statusName(outcome.status)}` }
  }

  restart(reason: string): void {
    if (this.#session?.state !== 'bound') return
    this.#restartReason = reason
    inBackground(this.#session.drain(), this.#options.log, 'draining an SMPP session')
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#session?.drain()
    await this.#done
  }

  abort(): void {
    this.#session?.close()
  }

  /** The session while it is bound and may submit. */
  get #submitting(): SmppSession | null {
    return this.mode !== 'receiver' && this.#session?.state === 'bound' ? this.#session : null
  }

  async #keepBound(): Promise<void> {
    let failures = 0
    while (!this.#stopping.signal.aborted) {
      const ended = await this.#bindOnce()
      this.#firstAttempt.resolve()
      if (this.#stopping.signal.aborted) break
      const random = () => this.#options.ports.random.below(1_000_000) / 1_000_000
      const { waitMs, ...plan } = planReconnect(failures, ended, random)
      failures = plan.failures
      this.#retryAt = new Date(this.#options.ports.clock.now().getTime() + waitMs)
      this.#setState('waiting')
      await pause(waitMs, this.#stopping.signal)
      this.#retryAt = null
      if (!this.#stopping.signal.aborted) this.#setState('connecting')
    }
    this.#setState('idle')
    this.#firstAttempt.resolve()
  }

  /** Runs from the connection attempt to the end of the session. */
  async #bindOnce(): Promise<{ boundMs: number; bindStatus?: number | undefined }> {
    try {
      this.#session = await this.#connect()
    } catch (error) {
      const reason = this.#setLastError(reasonOf(error))
      if (!this.#stopping.signal.aborted) this.#log.failed(reason)
      return { boundMs: 0, bindStatus: bindStatusOf(error) }
    }
    const since = performance.now()
    this.#setState('bound')
    this.#log.bound(this.#peer)
    this.#firstAttempt.resolve()
    const { reason, status, error } = await this.#session.closed
    this.#session = null
    const detail = status === undefined ? (error?.message ?? '') : statusName(status)
    const why = this.#restartReason ?? `connection closed: ${reason} ${detail}`.trim()
    this.#restartReason = null
    if (!this.#stopping.signal.aborted) this.#log.lost(this.#setLastError(why))
    return { boundMs: performance.now() - since }
  }

  async #connect(): Promise<SmppSession> {
    const { session, peer } = await connectCarrier(this.#boundCarrier, {
      keyring: this.#options.ports.keyring,
      mode: this.mode,
      signal: this.#stopping.signal,
      receive: (pdu, session) => this.#receive(pdu, session),
      onFrame: (frame, way) => this.#options.events.onFrame?.(() => frameOf(frame, way)),
      onUnexpectedResponse: ({ command, sequence, status }) => {
        this.#options.events.onUnexpectedResponse?.()
        this.#log.unexpectedResponse({ command, sequence, status: statusName(status) })
      },
    })
    this.#peer = peer
    return session
  }

  #receive(pdu: Delivery, session: SmppSession): Promise<{ status: number }> {
    const { events, carrierId } = this.#options
    const fingerprint = () => deliveryFingerprint(carrierId, pdu)
    return events.receive({ read: () => this.#read(pdu), fingerprint, link: session }).then(() => ACCEPTED)
  }

  #read(pdu: Delivery): ReceivedEvent {
    const { ports, log } = this.#options
    const carrier = this.#options.carrier()
    const context = { carrier, homes: this.#options.homes(), now: ports.clock.now() }
    if (isReport(pdu, carrier)) {
      const report = readReport(pdu, { ...context, id: ports.ids.next() })
      return { kind: 'report', report, isKnown: isKnownState(report.state, carrier.smpp.statusOverrides.states) }
    }
    if (!isReadable(pdu, carrier)) {
      const fields = { carrier: carrier.name, dataCoding: pdu.data_coding, bytes: messageBytes(pdu).length }
      log.warn(fields, 'reply with unknown data coding, stored as hex')
    }
    return { kind: 'reply', reply: readReply(pdu, context) }
  }

  /** Stores the last error and returns it without NUL, which PostgreSQL cannot store. */
  #setLastError(text: string): string {
    const stored = text.replaceAll('\u0000', '').slice(0, 500)
    this.#lastError = stored
    this.#lastErrorAt = this.#options.ports.clock.now()
    return stored
  }

  #setState(state: BindHealth['state']): void {
    this.#state = state
    this.#boundAt = state === 'bound' ? this.#options.ports.clock.now() : null
    if (state !== 'bound') this.#peer = null
    this.#options.events.changed()
  }
}

/** Maps the SMPP outcome to a result by the carrier's settings. */
function resultOf(outcome: RequestOutcome | { kind: 'unwritable' }, carrier: SmppCarrier): SubmissionResult {
  if (outcome.kind !== 'answered') return unanswered(outcome)
  const { status, messageId } = outcome
  const verdict = interpretCommandStatus(status, carrier.smpp.statusOverrides.answers)
  const given = verdict.outcome === 'accepted' ? messageId : ''
  const carrierMessageId = given.replaceAll('\u0000', '').slice(0, MAX_MESSAGE_ID_LENGTH)
  const said = statusName(status)
  return {
    ...verdict,
    said,
    ...(said.startsWith('ESME_') && { statusName: said }),
    commandStatus: status,
    carrierMessageId: carrierMessageId || null,
    reference: carrierMessageId ? normaliseMessageId(carrierMessageId, carrier.smpp.answerIdFormat) : null,
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
