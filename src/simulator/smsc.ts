// Handles submitted segments up to their receipts and replies.
import type { HandsetList, HandsetReply } from '../domain/messages/handset-message.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import type { Pdu } from '../smpp/commands.ts'
import type { Reply } from '../smpp/session-options.ts'
import { commandStatus } from '../smpp/status.ts'
import { parseValidityPeriod } from '../smpp/time.ts'
import { Handsets } from './handsets.ts'
import { Outbox, type Peer } from './outbox.ts'
import { type SimulatedOutcome, simulatedOutcomeOf } from './outcomes.ts'
import { type PolledState, PolledStates } from './polled-states.ts'
import { Refusals } from './refusals.ts'
import { Schedule } from './schedule.ts'
import {
  composeReply,
  type FinalState,
  readSegment,
  receiptFor,
  replyTo,
  type Segment,
  wantsReceipt,
} from './segment.ts'

export interface SmscOptions {
  clock: Clock
  random: Random
  log: Log
  receiptDelayMs: number
  /** Submissions above this rate are throttled; null: unlimited. */
  segmentsPerSecond: number | null
}

interface AcceptedSegment {
  from: Peer
  segment: Segment
  outcome: SimulatedOutcome
  id: string
  acceptedAt: Date
  final: FinalState
}

export class Smsc {
  readonly outbox: Outbox
  readonly #clock: Clock
  readonly #receiptDelayMs: number
  readonly #schedule: Schedule
  readonly #throttle: Throttle | null
  readonly #refusals = new Refusals()
  readonly #handsets = new Handsets()
  readonly #polled = new PolledStates()
  /** Unique per start, because carriers remember earlier IDs. */
  readonly #idPrefix: string
  #segments = 0
  #written = 0

  constructor({ clock, random, log, receiptDelayMs, segmentsPerSecond }: SmscOptions) {
    this.#clock = clock
    this.#receiptDelayMs = receiptDelayMs
    this.#schedule = new Schedule(clock, log)
    this.#throttle = segmentsPerSecond === null ? null : new Throttle(clock, segmentsPerSecond)
    // Starts with a letter that is no hex digit, so that every ID notation reads it the same.
    this.#idPrefix = `s${random.bytes(4).toString('hex')}`
    this.outbox = new Outbox({ clock, log, schedule: this.#schedule })
  }

  /** Returns undefined for a submission without a response. */
  async submit(pdu: Pdu<'submit_sm'>, from: Peer): Promise<Reply<'submit_sm'> | undefined> {
    const segment = readSegment(pdu)
    const outcome = simulatedOutcomeOf(segment.to)
    const status = this.#validate(pdu) ?? this.#refusals.next(segment, outcome)
    if (status !== undefined) return { status }
    if (outcome.answer === 'never') return undefined
    const accepted = this.#accept(segment, { outcome, from })
    if (outcome.answer === 'after the receipt') await this.#schedule.begin(() => this.#finish(accepted))
    else this.#schedule.at(accepted.final.at, () => this.#finish(accepted))
    return { message_id: accepted.id }
  }

  messages(number: string | null): HandsetList {
    return this.#handsets.list(number)
  }

  /** null: unknown message. */
  stateOf(id: string): PolledState | null {
    return this.#polled.find(id, this.#clock.now())
  }

  /** Sends a reply to the clients with this system_id. Returns whether it was accepted at once; otherwise it is retried. */
  async write(reply: Omit<HandsetReply, 'sentAt'>, systemId: string): Promise<boolean> {
    this.#written += 1
    this.#handsets.write({ ...reply, sentAt: this.#clock.now() })
    let isAccepted = true
    for (const part of composeReply(reply, this.#written))
      isAccepted = (await this.outbox.post({ systemId }, part)) && isAccepted
    return isAccepted
  }

  settle(): Promise<boolean> {
    return this.#schedule.settle()
  }

  stop(): void {
    this.#schedule.clear()
  }

  #validate(pdu: Pdu<'submit_sm'>): number | undefined {
    if (this.#throttle?.admits() === false) return commandStatus.ESME_RTHROTTLED
    // Receipts use these addresses, so the addresses must be encodable.
    if (!/^[ -~]{0,20}$/.test(pdu.source_addr)) return commandStatus.ESME_RINVSRCADR
    if (!/^(?=.{1,20}$)\+?\d+$/.test(pdu.destination_addr)) return commandStatus.ESME_RINVDSTADR
    if (pdu.schedule_delivery_time !== '') return commandStatus.ESME_RINVSCHED
    const isReadable = pdu.validity_period === '' || parseValidityPeriod(pdu.validity_period, this.#clock.now())
    return isReadable ? undefined : commandStatus.ESME_RINVEXPIRY
  }

  #accept(segment: Segment, { outcome, from }: Pick<AcceptedSegment, 'outcome' | 'from'>): AcceptedSegment {
    const acceptedAt = this.#clock.now()
    this.#segments += 1
    const id = this.#idPrefix + this.#segments.toString(16).padStart(8, '0')
    const final = this.#finalStateOf(segment.pdu, outcome, acceptedAt)
    if (from.canPoll) this.#polled.add(id, { to: segment.to, final, outcome })
    return { from, segment, outcome, id, acceptedAt, final }
  }

  /** A message that expires before its delivery gets EXPIRED. */
  #finalStateOf(
    { validity_period }: Pdu<'submit_sm'>,
    { state, answer, afterSeconds }: SimulatedOutcome,
    acceptedAt: Date,
  ): FinalState {
    const waitMs = answer === 'after the receipt' ? 0 : this.#receiptDelayMs + afterSeconds * 1000
    const at = new Date(acceptedAt.getTime() + waitMs)
    const expiresAt = parseValidityPeriod(validity_period, acceptedAt)
    return expiresAt && expiresAt < at ? { state: 'EXPIRED', at: expiresAt } : { state, at }
  }

  async #finish({ from, segment, outcome, final, ...accepted }: AcceptedSegment): Promise<void> {
    const isWhole =
      final.state === 'DELIVRD' && this.#handsets.receive(segment, { id: accepted.id, receivedAt: final.at })
    if (wantsReceipt(segment.pdu, final)) {
      const receipt = receiptFor(segment, { ...accepted, final })
      for (let sent = 0; sent < outcome.receipts; sent++) await this.outbox.post(from, receipt)
    }
    if (!isWhole || outcome.reply === null) return
    this.#handsets.write({ from: segment.to, to: segment.from, text: outcome.reply, sentAt: this.#clock.now() })
    await this.outbox.post(from, replyTo(segment, outcome.reply))
  }
}

class Throttle {
  readonly #clock: Clock
  readonly #perSecond: number
  #tokens: number
  #filledAt: Date

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock
    this.#perSecond = perSecond
    this.#tokens = perSecond
    this.#filledAt = clock.now()
  }

  admits(): boolean {
    const now = this.#clock.now()
    const gained = ((now.getTime() - this.#filledAt.getTime()) / 1000) * this.#perSecond
    this.#tokens = Math.min(this.#perSecond, this.#tokens + gained)
    this.#filledAt = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}
