// One bind to a carrier, kept: connected, bound, and after an end bound again, with patience; between its ends the connection by
// which we submit and hear the carrier.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Ports } from '../../actions/ports.ts'
import type { BindHealth, BindMode, BindName } from '../../domain/carriers/bind.ts'
import type { SmppCarrier } from '../../domain/carriers/carrier.ts'
import { interpretCommandStatus } from '../../domain/carriers/smpp/command-status.ts'
import { isKnownState } from '../../domain/messages/report.ts'
import { inBackground, type Log } from '../../runtime/log.ts'
import { UnwritablePduError } from '../../smpp/codec.ts'
import { LONGEST_MESSAGE_ID, normaliseMessageId } from '../../smpp/receipt.ts'
import { planReconnect } from '../../smpp/reconnect.ts'
import type { SmppSession } from '../../smpp/session.ts'
import { commandStatus, statusName } from '../../smpp/status.ts'
import { messageBytes } from '../../smpp/udh.ts'
import type { RequestOutcome } from '../../smpp/window.ts'
import {
  type Connection,
  type ConnectionEvents,
  type Enquired,
  type OutgoingSegment,
  type Submitted,
  unanswered,
  type Word,
} from '../connection.ts'
import { BindLog } from './bind-log.ts'
import { bindStatusOf, connectCarrier, reasonOf } from './connect-carrier.ts'
import { type Delivery, deliveryFingerprint, isReadable, isReport, readReply, readReport } from './deliveries.ts'
import { exchangedBy } from './exchanged.ts'
import { submitPdu } from './submit-pdu.ts'

const ENQUIRE_MS = 5_000

export interface BindOptions extends BindName {
  mode: BindMode
  /** As it is now: some of its settings may change under a link that stands. */
  carrier: () => SmppCarrier
  /** The countries it serves: numbers without a country are theirs. */
  homes: () => readonly string[]
  ports: Pick<Ports, 'clock' | 'ids' | 'chance' | 'keyring'>
  log: Log
  events: ConnectionEvents
}

export class Bind implements Connection {
  readonly carrierId: string
  readonly number: number
  readonly mode: BindMode
  readonly #options: BindOptions
  /** As it was when the bind was made: what the link itself goes by. */
  readonly #linked: SmppCarrier
  readonly #news: BindLog
  readonly #stopping = new AbortController()
  readonly #tried = Promise.withResolvers<void>()
  readonly #done: Promise<void>
  #session: SmppSession | null = null
  /** Why we end the link that stands ourselves. */
  #restarting: string | null = null
  #state: BindHealth['state'] = 'connecting'
  #peer: string | null = null
  #boundAt: Date | null = null
  #lastError: string | null = null
  #lastErrorAt: Date | null = null

  constructor(options: BindOptions) {
    const { carrierId, number, mode, log } = options
    this.carrierId = carrierId
    this.number = number
    this.mode = mode
    this.#options = options
    this.#linked = options.carrier()
    this.#news = new BindLog({ log, carrier: this.#linked, number, monotonicNow: () => performance.now() })
    this.#done = this.#keep()
  }

  get tried(): Promise<void> {
    return this.#tried.promise
  }

  get places(): number {
    return this.#submitting ? this.#linked.window : 0
  }

  get room(): number {
    return this.#submitting?.room ?? 0
  }

  get health(): BindHealth {
    return {
      state: this.#state,
      peer: this.#peer,
      boundAt: this.#boundAt,
      inFlight: this.#session ? this.#linked.window - this.#session.room : 0,
      lastError: this.#lastError,
      lastErrorAt: this.#lastErrorAt,
    }
  }

  async submit(segment: OutgoingSegment, onLateAnswer: (submitted: Submitted) => void): Promise<Submitted> {
    const carrier = this.#options.carrier()
    const session = this.#submitting
    if (!session) return outcomeOf({ kind: 'not_written' }, carrier)
    const pdu = submitPdu(segment, { carrier, now: this.#options.ports.clock.now() })
    if (!pdu) return outcomeOf({ kind: 'unwritable' }, carrier)
    try {
      const late = (outcome: RequestOutcome) => onLateAnswer(outcomeOf(outcome, this.#options.carrier()))
      return outcomeOf(await session.submit(pdu, late), carrier)
    } catch (fault) {
      if (!(fault instanceof UnwritablePduError)) throw fault
      const { messageId } = segment
      this.#options.log.error(
        { carrier: carrier.name, messageId, why: fault.message },
        'a message cannot be said in a PDU to this carrier',
      )
      return outcomeOf({ kind: 'unwritable' }, carrier)
    }
  }

  async enquire(): Promise<Enquired> {
    const session = this.#session
    if (session?.state !== 'bound') return { fault: this.#lastError ?? 'it is not bound' }
    const since = performance.now()
    const outcome = await session.enquire(ENQUIRE_MS)
    if (outcome.kind !== 'answered') return { fault: `no answer to enquire_link within ${ENQUIRE_MS / 1000} s` }
    return outcome.status === commandStatus.ESME_ROK
      ? { milliseconds: performance.now() - since }
      : { fault: `it answered enquire_link with ${statusName(outcome.status)}` }
  }

  restart(reason: string): void {
    if (this.#session?.state !== 'bound') return
    this.#restarting = reason
    inBackground(this.#session.drain(), this.#options.log, 'draining an SMPP session')
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#session?.drain()
    await this.#done
  }

  hangUp(): void {
    this.#session?.close()
  }

  /** The session while it is bound and may submit. */
  get #submitting(): SmppSession | null {
    return this.mode !== 'receiver' && this.#session?.state === 'bound' ? this.#session : null
  }

  async #keep(): Promise<void> {
    let failures = 0
    while (!this.#stopping.signal.aborted) {
      const ended = await this.#holdOnce()
      this.#tried.resolve()
      if (this.#stopping.signal.aborted) break
      const random = () => this.#options.ports.chance.below(1_000_000) / 1_000_000
      const { waitMs, ...plan } = planReconnect(failures, ended, random)
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
      if (!this.#stopping.signal.aborted) this.#news.failed(reason)
      return { boundMs: 0, bindStatus: bindStatusOf(fault) }
    }
    const since = performance.now()
    this.#become('bound')
    this.#news.bound(this.#peer)
    this.#tried.resolve()
    const { reason, status, error } = await this.#session.closed
    this.#session = null
    const detail = status === undefined ? (error?.message ?? '') : statusName(status)
    const why = this.#restarting ?? `the link ended: ${reason} ${detail}`.trim()
    this.#restarting = null
    if (!this.#stopping.signal.aborted) this.#news.lost(this.#fault(why))
    return { boundMs: performance.now() - since }
  }

  async #connect(): Promise<SmppSession> {
    const { session, peer } = await connectCarrier(this.#linked, {
      keyring: this.#options.ports.keyring,
      mode: this.mode,
      signal: this.#stopping.signal,
      hear: (pdu, session) => this.#hear(pdu, session),
      onFrame: (frame, way) => this.#options.events.exchanged?.(() => exchangedBy(frame, way)),
      onStray: ({ command, sequence, status }) => {
        this.#options.events.strayed?.()
        this.#news.strayed({ command, sequence, status: statusName(status) })
      },
    })
    this.#peer = peer
    return session
  }

  async #hear(pdu: Delivery, session: SmppSession): Promise<{ status: number }> {
    const { events, carrierId } = this.#options
    const fingerprint = () => deliveryFingerprint(carrierId, pdu)
    await events.hear({ read: () => this.#read(pdu), fingerprint, link: session })
    return { status: commandStatus.ESME_ROK }
  }

  #read(pdu: Delivery): Word {
    const { ports, log } = this.#options
    const carrier = this.#options.carrier()
    const hearing = { carrier, homes: this.#options.homes(), now: ports.clock.now() }
    if (isReport(pdu, carrier)) {
      const report = readReport(pdu, { ...hearing, id: ports.ids.next() })
      return { kind: 'report', report, isKnown: isKnownState(report.state, carrier.smpp.statusOverrides.states) }
    }
    if (!isReadable(pdu, carrier)) {
      const fields = { carrier: carrier.name, dataCoding: pdu.data_coding, bytes: messageBytes(pdu).length }
      log.warn(fields, 'a reply is in a coding that cannot be read; it is kept in hex')
    }
    return { kind: 'reply', reply: readReply(pdu, hearing) }
  }

  /** Kept for people to see. Returns it as it is kept. */
  #fault(text: string): string {
    const kept = text.replaceAll('\u0000', '').slice(0, 500)
    this.#lastError = kept
    this.#lastErrorAt = this.#options.ports.clock.now()
    return kept
  }

  #become(state: BindHealth['state']): void {
    this.#state = state
    this.#boundAt = state === 'bound' ? this.#options.ports.clock.now() : null
    if (state !== 'bound') this.#peer = null
    this.#options.events.changed()
  }
}

/** What came back from the wire, as this carrier means it. */
function outcomeOf(outcome: RequestOutcome | { kind: 'unwritable' }, carrier: SmppCarrier): Submitted {
  if (outcome.kind !== 'answered') return unanswered(outcome)
  const { status, messageId } = outcome
  const verdict = interpretCommandStatus(status, carrier.smpp.statusOverrides.answers)
  const given = verdict.outcome === 'accepted' ? messageId : ''
  const carrierMessageId = given.replaceAll('\u0000', '').slice(0, LONGEST_MESSAGE_ID)
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

/** Leaves nothing behind on the signal, which outlives many of these. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
