// A carrier at work in this process: claims as much as its binds and its contract have room for, submits it, and hands
// every answer to the lane that records them.
import { type ClaimedMessage, claimMessages } from '../actions/claim-messages.ts'
import { expireMessages } from '../actions/expire-messages.ts'
import type { Ports } from '../actions/ports.ts'
import { type HeardAnswer, recordAbandoned } from '../actions/record-answers.ts'
import type { CarrierNewsLane } from '../actions/record-carrier-news.ts'
import { Room } from '../domain/room.ts'
import type { Place } from '../domain/routing.ts'
import { classify, type WireOutcome } from '../domain/submission.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type Turn } from '../runtime/loop.ts'
import { UnwritablePduError } from '../smpp/codec.ts'
import { LONGEST_MESSAGE_ID } from '../smpp/message-id.ts'
import { statusName } from '../smpp/status.ts'
import type { Outcome } from '../smpp/window.ts'
import type { Carrier } from '../store/carriers.ts'
import { isAway, isPassing } from '../store/db.ts'
import type { Bind } from './bind.ts'
import type { Tally } from './measures.ts'
import { Pace } from './pace.ts'
import type { Places } from './places.ts'
import { referenceOf, submitPdu } from './smpp-carrier.ts'

const POLL_MS = 1_000
/** Beyond the time an answer may take, a claim lasts this long: time to write it, and to record it. */
const LEASE_MARGIN_MS = 30_000
const LONGEST_RECORD_WAIT_MS = 5_000
const MOST_FAULTS = 2

type Written = Outcome | { kind: 'unwritable' | 'unready' }

export interface CarrierWorkerOptions {
  ports: Ports
  places: Places
  log: Log
  lane: CarrierNewsLane
  tally: Tally
  carrier: Carrier
}

export class CarrierWorker {
  carrier: Carrier
  /** The countries it serves: numbers without a country are theirs. */
  homes: string[] = []
  /** The binds of this carrier that this process holds. */
  readonly binds = new Map<number, Bind>()
  readonly #options: CarrierWorkerOptions
  readonly #pace: Pace
  readonly #loop: Loop
  #turns = 0
  /** The workspace whose turn was the last (D43). */
  #behind: string | null = null
  /** Messages whose answers are not all recorded yet. */
  #inHand = 0
  #idle: (() => void)[] = []
  #refill: NodeJS.Timeout | undefined
  #stopping = false

  constructor(options: CarrierWorkerOptions) {
    this.#options = options
    this.carrier = options.carrier
    this.#pace = new Pace(options.carrier.segmentsPerSecond)
    const { ports, log } = options
    const name = `carrier ${options.carrier.name}`
    const turn = () => this.#turn()
    this.#loop = new Loop({ name, clock: ports.clock, log, pollMs: POLL_MS, turn, isTold: isAway })
  }

  /** Its settings and its part of the account's speed from now on. */
  assign({ carrier, share, homes }: { carrier: Carrier; share: number; homes: string[] }): void {
    this.carrier = carrier
    this.homes = homes
    const { segmentsPerSecond } = carrier
    this.#pace.contract = segmentsPerSecond === null ? null : Math.max(1, segmentsPerSecond * share)
    this.#loop.wake()
  }

  wake(): void {
    this.#loop.wake()
  }

  get isBound(): boolean {
    return [...this.binds.values()].some((bind) => bind.submitting !== null)
  }

  get segmentsPerSecond(): number {
    return this.#pace.perSecond
  }

  /** Returns when nothing is due, nothing in flight and nothing held back; says whether anything was. */
  async settle(): Promise<boolean> {
    let worked = false
    for (;;) {
      worked = (await this.#loop.settle()) || worked
      if (this.#inHand === 0 && this.#refill === undefined) return worked
      worked = true
      if (this.#inHand > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
      else await new Promise((resolve) => setTimeout(resolve, this.#pace.waitMs))
    }
  }

  /** Takes nothing new; what is in flight is answered or given up, and recorded. */
  async stop(): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#refill)
    await this.#loop.stop()
    await Promise.all([...this.binds.values()].map((bind) => bind.stop()))
    if (this.#inHand > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  async #turn(): Promise<Turn> {
    const room = this.#room()
    if (room.mostOf('otp') === 0) return { worked: false }
    const places = this.#placesInTurn()
    if (places.length === 0) return { worked: false }
    const { ports } = this.#options
    const claimed = await claimMessages(ports, {
      carrierId: this.carrier.id,
      places,
      behind: this.#behind,
      room,
      leaseMs: this.carrier.answerSeconds * 1000 + LEASE_MARGIN_MS,
      inOnePiece: this.carrier.longMessages === 'payload',
      defaultSender: this.carrier.defaultSender,
    })
    this.#behind = claimed.messages.at(-1)?.workspaceId ?? this.#behind
    for (const message of claimed.messages) void this.#submit(message)
    await recordAbandoned(ports, claimed.abandoned)
    await expireMessages(ports, claimed.expired)
    return { worked: claimed.worked, nextAt: claimed.nextAt }
  }

  /**
   * Codes before transactional before promotional (D16); within each, another destination is first each time, so that a long
   * backlog of one does not keep the others waiting.
   */
  #placesInTurn(): Place[] {
    const places = this.#options.places.of(this.carrier.id)
    this.#turns += 1
    const first = this.#turns % Math.max(1, places.length)
    const inTurn = [...places.slice(first), ...places.slice(0, first)]
    return inTurn.sort((one, other) => one.priority - other.priority)
  }

  #room(): Room {
    const sessions = [...this.binds.values()].flatMap((bind) => bind.submitting ?? [])
    const places = sessions.length * this.carrier.window
    const free = sessions.reduce((sum, session) => sum + session.room, 0)
    const tokens = this.#pace.room
    if (free > 0 && tokens === 0) this.#wakeAfter(this.#pace.waitMs)
    return new Room({ places, free, tokens })
  }

  #wakeAfter(ms: number): void {
    this.#refill ??= setTimeout(() => {
      this.#refill = undefined
      this.#loop.wake()
    }, ms)
  }

  async #submit(message: ClaimedMessage): Promise<void> {
    this.#inHand += 1
    this.#pace.take(message.load.segments)
    await Promise.all(message.submitting.map((segment) => this.#submitSegment(message, segment)))
    this.#inHand -= 1
    this.#loop.wake()
    if (this.#inHand === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #submitSegment(message: ClaimedMessage, segment: number): Promise<void> {
    const late = (outcome: Outcome) => void this.#record(this.#answerOf(message, segment, outcome))
    const outcome = await this.#write(message, segment, late).catch((fault): Written => {
      // Before anything was written: this message alone has failed, whatever the reason.
      const fields = { err: fault, carrier: this.carrier.name, messageId: message.id }
      this.#options.log.error(fields, 'a message could not be made ready for its carrier')
      return { kind: 'unready' }
    })
    // Room in the window is there with the answer, not only once it is recorded.
    this.#loop.wake()
    const answer = this.#answerOf(message, segment, outcome)
    this.#options.tally.submission(answer.outcome)
    await this.#record(answer)
  }

  /** Throws only before anything was written. */
  async #write(message: ClaimedMessage, segment: number, onLateAnswer: (outcome: Outcome) => void): Promise<Written> {
    const now = this.#options.ports.clock.now()
    const text = this.#textOf(message)
    const session = this.#roomiest()
    // D14: what was alive when it was claimed may have expired since; back in the queue it is found out. A validity of no second
    // would mean the carrier's own.
    const livesMs = message.expiresAt.getTime() - now.getTime()
    if (text === null || !session || livesMs < 1000) return { kind: 'not_written' }
    const pdu = submitPdu(message, { segment, text, carrier: this.carrier, now })
    if (!pdu) return { kind: 'unwritable' }
    try {
      return await session.submit(pdu, onLateAnswer)
    } catch (fault) {
      if (!(fault instanceof UnwritablePduError)) throw fault
      this.#options.log.error({ carrier: this.carrier.name, messageId: message.id, why: fault.message }, 'unwritable')
      return { kind: 'unwritable' }
    }
  }

  /** D21: a code's text is opened here, for the wire, and nowhere else. */
  #textOf({ id, text, sealedText }: ClaimedMessage): string | null {
    if (text !== null) return text
    return sealedText === null ? null : this.#options.ports.keyring.open('texts', id, sealedText)
  }

  #roomiest() {
    const sessions = [...this.binds.values()].flatMap((bind) => bind.submitting ?? [])
    return sessions.reduce<(typeof sessions)[number] | null>(
      (best, session) => (best === null || session.room > best.room ? session : best),
      null,
    )
  }

  #answerOf(message: ClaimedMessage, segment: number, outcome: Written): HeardAnswer {
    const wire: WireOutcome = outcome.kind === 'answered' ? { kind: 'answered', status: outcome.status } : outcome
    const verdict = classify(wire, this.carrier.statusOverrides.answers)
    const answered = outcome.kind === 'answered' ? outcome : null
    if (verdict.outcome === 'slow') this.#pace.slowDown()
    if (verdict.alarm && answered) {
      const fields = { carrier: this.carrier.name, messageId: message.id, status: statusName(answered.status) }
      this.#options.log.error(fields, 'a carrier refuses for a reason that lies with us')
    }
    const taken = answered && verdict.outcome === 'taken' ? answered.messageId : ''
    const carrierMessageId = taken.replaceAll('\u0000', '').slice(0, LONGEST_MESSAGE_ID)
    return {
      messageId: message.id,
      number: message.number,
      segment,
      outcome: verdict.outcome,
      error: verdict.error,
      commandStatus: answered?.status ?? null,
      carrierMessageId: carrierMessageId || null,
      reference: referenceOf(carrierMessageId, this.carrier),
      workspaceId: message.workspaceId,
      carrierId: this.carrier.id,
      to: message.to,
      claimedAt: message.claimedAt,
      ofSegments: message.ofSegments,
    }
  }

  /**
   * An answer is worth waiting for the database: without it, nobody knows what the carrier has. One that cannot be recorded for a
   * reason of its own is given up after the second try: then its claim lapses, and it is unknown (D15).
   */
  async #record(answer: HeardAnswer): Promise<void> {
    const { lane, log } = this.#options
    let faults = 0
    for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, LONGEST_RECORD_WAIT_MS)) {
      try {
        await lane.add({ kind: 'answer', answer })
        return
      } catch (fault) {
        if (!isAway(fault)) log.error({ err: fault, messageId: answer.messageId }, 'an answer could not be recorded')
        if (!isPassing(fault) && ++faults === MOST_FAULTS) return
        if (this.#stopping && waitMs === LONGEST_RECORD_WAIT_MS) return
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      }
    }
  }
}
