// Claims messages for one carrier up to its window and rate limit, submits them and records the responses.
import type { CarrierEventLane } from '../../actions/carriers/record-carrier-events.ts'
import { Claimer } from '../../actions/messages/claim-messages.ts'
import { expireMessages } from '../../actions/messages/expire-messages.ts'
import type { OpenClaim, ReceivedAnswer } from '../../actions/messages/record-answers.ts'
import type { Ports } from '../../actions/ports.ts'
import type { HeldBind } from '../../domain/carriers/bind.ts'
import { type Carrier, submissionRules } from '../../domain/carriers/carrier.ts'
import type { PriceList } from '../../domain/carriers/carrier-price.ts'
import type { ClaimedMessage } from '../../domain/carriers/claim.ts'
import { Room, Saturation } from '../../domain/carriers/room.ts'
import { inMessageTrace } from '../../domain/messages/message-trace.ts'
import { requestsReceipt } from '../../domain/messages/report.ts'
import type { Log } from '../../runtime/log.ts'
import { Loop, type Turn } from '../../runtime/loop.ts'
import { inSlices } from '../../runtime/slices.ts'
import type { EndedSpan } from '../../runtime/tracer.ts'
import { isAway } from '../../store/database/db.ts'
import { type Connection, classifyProblem, type OutgoingSegment, type SubmissionResult, unsent } from '../connection.ts'
import { CarrierMonitor } from './carrier-monitor.ts'
import type { Tally } from './measures.ts'
import { Pace } from './pace.ts'
import type { Places } from './places.ts'
import { recordAnswer } from './record-answer.ts'
import { type Sharing, Worklist } from './worklist.ts'

const POLL_MS = 1_000
/** Time to submit and record, in addition to the response timeout. */
const LEASE_MARGIN_MS = 30_000
/**
 * A claim and its records cost about the same for one message and for fifty, so a pause follows a claim that emptied the queue with fewer.
 * No pause follows an empty claim, so that a message for an idle carrier is claimed immediately.
 */
const LARGE_CLAIM = 50
const CLAIM_EVERY_MS = 20

interface CarrierWorkerOptions {
  ports: Ports
  places: Places
  log: Log
  lane: CarrierEventLane
  tally: Tally
  carrier: Carrier
  sharing: Sharing
  /** Called when the health or the free capacity of the carrier changes. */
  onChange: () => void
}

interface Assignment {
  carrier: Carrier
  share: number
  homes: string[]
  prices: PriceList | undefined
}

export class CarrierWorker {
  carrier: Carrier
  /** The countries that the carrier serves, for numbers without a country code. */
  homes: string[] = []
  #prices: PriceList | undefined
  readonly binds = new Map<number, Connection>()
  readonly #options: CarrierWorkerOptions
  readonly #pace: Pace
  readonly #monitor: CarrierMonitor
  readonly #loop: Loop
  /** The workspace of the last claimed message (D43). */
  #behind: string | null = null
  /** Start of the latest claim that brought few messages, although the carrier had room for more. */
  #smallClaimAt = Number.NEGATIVE_INFINITY
  /** The latest claim found no message, although the carrier had room. */
  #isQueueEmpty = false
  #responseWake: NodeJS.Timeout | undefined
  readonly #worklist: Worklist
  readonly #claimer: Claimer
  readonly #saturation = new Saturation()
  #wasFull = false
  /** The last error of our account, our settings or the carrier. */
  #lastFault: Pick<HeldBind, 'lastError' | 'lastErrorAt'> | null = null
  /** Messages whose responses are not all recorded. */
  #inFlight = 0
  #idle: (() => void)[] = []
  #refill: NodeJS.Timeout | undefined
  #stopping = false

  constructor(options: CarrierWorkerOptions) {
    this.#options = options
    this.carrier = options.carrier
    this.#pace = new Pace(options.carrier.segmentsPerSecond)
    const { ports, log } = options
    this.#claimer = new Claimer(ports)
    this.#monitor = new CarrierMonitor({
      carrier: () => this.carrier,
      clock: ports.clock,
      log,
      onChange: () => {
        options.onChange()
        this.#loop.wake()
      },
      onThrottled: (at) => this.#pace.slowDown(at),
      // A new link may get responses again.
      onSilent: () => this.#restart('no response to submissions'),
    })
    this.#worklist = new Worklist(options.carrier.id, options)
    const name = `carrier ${options.carrier.name}`
    const turn = () => this.#turn()
    this.#loop = new Loop({ name, clock: ports.clock, log, pollMs: POLL_MS, turn, isLoggedElsewhere: isAway })
  }

  /** Applies new settings and this process's share of the rate limit. */
  assign({ carrier, share, homes, prices }: Assignment): void {
    this.carrier = carrier
    this.homes = homes
    this.#prices = prices
    const { segmentsPerSecond } = carrier
    this.#pace.contract = segmentsPerSecond === null ? null : Math.max(1, segmentsPerSecond * share)
    this.#loop.wake()
  }

  wake(): void {
    this.#loop.wake()
  }

  /** The carrier is bound in this process, and its circuit is closed. */
  get isWorking(): boolean {
    return !this.#monitor.circuit.isBroken && this.binds.values().some((bind) => bind.places > 0)
  }

  /** The circuit is open: the carrier is bound and accepts nothing. */
  get isBroken(): boolean {
    return this.#monitor.circuit.isBroken
  }

  /** The carrier can accept a message now. */
  get isReady(): boolean {
    return this.isWorking && this.#pace.room > 0 && this.#free > 0
  }

  /** More messages wait than the rate limit or the windows allow. */
  get isFull(): boolean {
    return this.#saturation.isFull(performance.now())
  }

  /** The state of one bind, for the table of binds. */
  reportOn(bind: Connection): HeldBind {
    const isBound = bind.places > 0
    const { circuit } = this.#monitor
    return {
      carrierId: bind.carrierId,
      number: bind.number,
      ...bind.health,
      ...this.#faultSince(bind.health.lastErrorAt),
      segmentsPerSecond: this.#pace.perSecond / this.binds.size,
      isWorking: isBound && !circuit.isBroken,
      isWorthTrying: isBound && circuit.isWorthTrying(this.#options.ports.clock.now()),
      brokenReason: circuit.reason,
      healthSince: circuit.since,
      retryAt: bind.health.retryAt ?? circuit.probeAt,
      isFull: this.isFull,
    }
  }

  /** The later of the link's last error and the last error in a response. */
  #faultSince(linkFailedAt: Date | null): Pick<HeldBind, 'lastError' | 'lastErrorAt'> | null {
    const at = this.#lastFault?.lastErrorAt
    return at && (linkFailedAt === null || linkFailedAt <= at) ? this.#lastFault : null
  }

  /** Forgets the health of the previous settings. */
  reset(): void {
    this.#lastFault = null
    this.#monitor.reset()
  }

  /** Resolves when nothing is due, in flight or waiting for the rate limit; returns whether there was work. */
  async settle(): Promise<boolean> {
    let worked = false
    for (;;) {
      worked = (await this.#loop.settle()) || worked
      if (this.#inFlight === 0 && this.#refill === undefined) return worked
      worked = true
      if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
      else await new Promise((resolve) => setTimeout(resolve, this.#pace.waitMs))
    }
  }

  /** Claims nothing new, and waits until everything in flight is recorded. */
  async stop(): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#refill)
    clearTimeout(this.#responseWake)
    await this.#loop.stop()
    await Promise.all([...this.binds.values()].map((bind) => bind.close()))
    await this.#claimer.release().catch((error) => this.#options.log.error({ err: error }, 'failed to release a claim'))
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  async #turn(): Promise<Turn> {
    const waitMs = this.#smallClaimAt + CLAIM_EVERY_MS - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    if (this.#stopping) return { worked: false }
    this.#monitor.check({ hasRoom: this.#free > 0 })
    if (this.isFull !== this.#wasFull) {
      this.#wasFull = this.isFull
      this.#options.onChange()
    }
    const room = this.#room()
    if (room.availableFor('otp') === 0) return { worked: false }
    return this.#monitor.circuit.isBroken
      ? this.#probe()
      : this.#claim(room, (message, claim) => this.#submit(message, claim))
  }

  async #claim(room: Room, submit: (message: ClaimedMessage, claim: OpenClaim) => void): Promise<Turn> {
    const { ports } = this.#options
    const places = this.#worklist.next()
    if (places.length === 0) return { worked: false }
    const claimId = ports.ids.next()
    const begunAt = performance.now()
    const leaseMs = this.carrier.answerSeconds * 1000 + LEASE_MARGIN_MS
    const leasedUntil = new Date(ports.clock.now().getTime() + leaseMs)
    const claimed = await this.#claimer.claim({
      claimId,
      carrierId: this.carrier.id,
      places,
      behind: this.#behind,
      room,
      leaseMs,
      ...submissionRules(this.carrier),
      prices: this.#prices,
      routingRevision: this.#options.places.revision,
    })
    if (claimed.isOutdated) {
      this.#options.onChange()
      return { worked: false }
    }
    this.#behind = claimed.messages.at(-1)?.workspaceId ?? this.#behind
    const { length: count } = claimed.messages
    const now = ports.clock.now()
    for (const message of claimed.messages) if (message.ordinal === 1) this.#options.tally.firstSubmission(message, now)
    this.#isQueueEmpty = claimed.hasRoom && count === 0
    if (claimed.hasRoom && count > 0 && count < LARGE_CLAIM) this.#smallClaimAt = begunAt
    this.#saturation.claimed({ hasRoom: claimed.hasRoom, now: performance.now() })
    const unrecorded = claimed.messages.reduce((sum, message) => sum + message.submitting.length, 0)
    const claim = { id: claimId, leasedUntil, unrecorded }
    await inSlices(claimed.messages, (message) => submit(message, claim))
    this.#worklist.claimed(claimed.messages, places)
    await expireMessages(ports, claimed.expired)
    return { worked: claimed.worked, nextAt: claimed.nextAt }
  }

  /** Submits a single message to find out whether the carrier works again. */
  #probe(): Turn | Promise<Turn> {
    const { clock } = this.#options.ports
    const { circuit } = this.#monitor
    const { probeAt } = circuit
    if (probeAt === null) return { worked: false }
    if (probeAt > clock.now()) return { worked: false, nextAt: probeAt }
    return this.#claim(new Room({ places: 1, free: 1, tokens: 1 }), (message, claim) => {
      circuit.beginProbe()
      this.#submit(message, claim, () => circuit.endProbe(clock.now()))
    })
  }

  #room(): Room {
    const places = this.binds.values().reduce((sum, bind) => sum + bind.places, 0)
    const free = this.#free
    const tokens = this.#pace.room
    if (free > 0 && tokens === 0) this.#wakeAfter(this.#pace.waitMs)
    return new Room({ places, free, tokens })
  }

  /** The free places in the windows of the binds. */
  get #free(): number {
    return this.binds.values().reduce((sum, bind) => sum + bind.room, 0)
  }

  #wakeAfter(ms: number): void {
    this.#refill ??= setTimeout(() => {
      this.#refill = undefined
      this.#loop.wake()
    }, ms)
  }

  /** While the queue is empty, a response brings no new message, so many responses cause one claim. A new message wakes the loop itself. */
  #wakeOnResponse(): void {
    if (!this.#isQueueEmpty) this.#loop.wake()
    else if (!this.#stopping)
      this.#responseWake ??= setTimeout(() => {
        this.#responseWake = undefined
        this.#loop.wake()
      }, CLAIM_EVERY_MS)
  }

  /** Submits all segments; `onEnd` is called when their answers are recorded. */
  #submit(message: ClaimedMessage, claim: OpenClaim, onEnd?: () => void): void {
    this.#inFlight += 1
    this.#pace.take(message.load.segments)
    const references: (string | null)[] = []
    const onSegmentEnd = (reference: string | null) => {
      references.push(reference)
      if (references.length < message.submitting.length) return
      this.#inFlight -= 1
      if (references.length > 1 && references[0] !== null && new Set(references).size === 1)
        this.#options.tally.sharedId({ carrier: this.carrier, to: message.to })
      onEnd?.()
      this.#wakeOnResponse()
      if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve()
    }
    for (const segment of message.submitting) this.#submitSegment(message, { segment, claim, onEnd: onSegmentEnd })
  }

  /** `onEnd` is called with the carrier's message ID if the carrier accepted the segment. */
  #submitSegment(
    message: ClaimedMessage,
    { segment, claim, onEnd }: { segment: number; claim: OpenClaim; onEnd: (reference: string | null) => void },
  ): void {
    const sent = this.#monitor.begin(message.to)
    let isSettled = false
    const onResult = (submitted: SubmissionResult) => {
      if (isSettled) return
      isSettled = true
      this.#monitor.end(sent, submitted)
      // The window has room after the response, before it is recorded.
      this.#wakeOnResponse()
      const milliseconds = performance.now() - sent.at
      this.#options.tally.submission({ carrier: this.carrier, to: message.to }, submitted, milliseconds)
      this.#options.ports.tracer?.record(submissionSpan(this.carrier, { message, segment, submitted, milliseconds }))
      const lastError = classifyProblem(submitted) ? (submitted.fault ?? submitted.said) : null
      if (lastError !== null) this.#lastFault = { lastError, lastErrorAt: this.#options.ports.clock.now() }
      this.#record(message, { segment, claim, submitted, onEnd: () => onEnd(submitted.reference) })
    }
    const onLateAnswer = (late: SubmissionResult) => {
      this.#monitor.receive(sent, late)
      this.#record(message, { segment, claim: null, submitted: late, onEnd: () => {} })
    }
    try {
      const bind = this.#roomiest()
      const outgoing = bind && this.#outgoingOf(message, segment)
      if (outgoing) bind.submit(outgoing, { onResult, onLateAnswer })
      else onResult(unsent('not_written'))
    } catch (error) {
      // Nothing was written: only this message failed.
      const fields = { err: error, carrier: this.carrier.name, messageId: message.id }
      this.#options.log.error(fields, 'failed to prepare message for carrier')
      onResult(unsent('unready'))
    }
  }

  /** null if the message has expired since its claim (D14), or its text is gone: back in the queue it expires. */
  #outgoingOf(message: ClaimedMessage, segment: number): OutgoingSegment | null {
    const { id: messageId, type, to, source, ofSegments, expiresAt, receipts, fields } = message
    const text = this.#textOf(message)
    const livesMs = expiresAt.getTime() - this.#options.ports.clock.now().getTime()
    // A validity below one second would mean the carrier's default.
    if (text === null || livesMs < 1000) return null
    const asks = requestsReceipt(receipts, { segment, of: ofSegments })
    return { messageId, type, to, source, text, segment, ofSegments, expiresAt, requestsReceipt: asks, fields }
  }

  /** D21: the text of an OTP is decrypted only here, for submission. */
  #textOf({ id, text, sealedText }: ClaimedMessage): string | null {
    if (text !== null) return text
    return sealedText === null ? null : this.#options.ports.keyring.open('texts', id, sealedText)
  }

  #roomiest(): Connection | null {
    const able = [...this.binds.values()].filter((bind) => bind.places > 0)
    return able.reduce<Connection | null>((best, bind) => (best === null || bind.room > best.room ? bind : best), null)
  }

  #restart(reason: string): void {
    for (const bind of this.binds.values()) if (bind.places > 0) bind.restart(reason)
  }

  #record(message: ClaimedMessage, { segment, claim, submitted, onEnd }: Recorded): void {
    const { alarm, said, outcome, error, commandStatus, carrierMessageId, reference } = submitted
    const { log, lane } = this.#options
    if (alarm) {
      const fields = { carrier: this.carrier.name, messageId: message.id, status: said }
      log.error(fields, 'carrier rejected our account or request')
    }
    const { ordinal } = message
    const answer: ReceivedAnswer = {
      messageId: message.id,
      ordinal,
      segment,
      workspaceId: message.workspaceId,
      carrierId: this.carrier.id,
      to: message.to,
      claimedAt: message.claimedAt,
      ofSegments: message.ofSegments,
      receipts: message.receipts,
      sender: message.source.address,
      carrierCostE4: message.carrierCostE4,
      claim,
      message: ordinal === 1 ? message : null,
      outcome,
      error,
      commandStatus,
      carrierMessageId,
      reference,
    }
    recordAnswer(answer, { lane, log, isStopping: () => this.#stopping, onEnd })
  }
}

interface Recorded {
  segment: number
  /** null for a late answer. */
  claim: OpenClaim | null
  submitted: SubmissionResult
  onEnd: () => void
}

interface EndedSubmission {
  message: ClaimedMessage
  segment: number
  submitted: SubmissionResult
  milliseconds: number
}

function submissionSpan({ name, kind }: Carrier, ended: EndedSubmission): EndedSpan {
  const { message, segment, submitted, milliseconds } = ended
  const { outcome, statusName = null } = submitted
  return {
    ...inMessageTrace(message.id),
    name: 'submit segment',
    kind: 'client',
    milliseconds,
    attributes: {
      ...{ 'hulaki.carrier': name, 'hulaki.carrier_kind': kind, 'hulaki.segment': segment },
      ...{ 'hulaki.attempt': message.ordinal, 'hulaki.outcome': outcome, 'hulaki.carrier_status': statusName },
    },
    error: outcome === 'accepted' ? null : outcome,
  }
}
