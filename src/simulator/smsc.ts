// The life of a segment, from its submission to its receipts: what an SMSC does between its links.
import type { HandsetList, HandsetReply } from '../domain/messages/handset-message.ts'
import type { Chance } from '../runtime/chance.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Pdu } from '../smpp/commands.ts'
import type { Reply } from '../smpp/session-options.ts'
import { commandStatus } from '../smpp/status.ts'
import { parseValidityPeriod } from '../smpp/time.ts'
import { type AskedState, AskedStates } from './asked-states.ts'
import { Handsets } from './handsets.ts'
import { Outbox, type Peer } from './outbox.ts'
import { type SimulatedOutcome, simulatedOutcomeOf } from './outcomes.ts'
import { Refusals } from './refusals.ts'
import { Schedule } from './schedule.ts'
import { type Fate, readSegment, receiptFor, replyTo, type Segment, wantsReceipt, writtenBy } from './segment.ts'

export interface SmscOptions {
  clock: Clock
  chance: Chance
  log: Log
  receiptDelayMs: number
  /** Beyond it a submission is throttled; null is unlimited. */
  segmentsPerSecond: number | null
}

interface Taken {
  from: Peer
  segment: Segment
  outcome: SimulatedOutcome
  id: string
  takenAt: Date
  fate: Fate
}

export class Smsc {
  readonly outbox: Outbox
  readonly #clock: Clock
  readonly #receiptDelayMs: number
  readonly #schedule: Schedule
  readonly #throttle: Throttle | null
  readonly #refusals = new Refusals()
  readonly #handsets = new Handsets()
  readonly #asked = new AskedStates()
  /** Ids must not repeat over a restart: the other end may remember the old ones. */
  readonly #idsBegin: string
  #segments = 0
  #written = 0

  constructor({ clock, chance, log, receiptDelayMs, segmentsPerSecond }: SmscOptions) {
    this.#clock = clock
    this.#receiptDelayMs = receiptDelayMs
    this.#schedule = new Schedule(clock, log)
    this.#throttle = segmentsPerSecond === null ? null : new Throttle(clock, segmentsPerSecond)
    // No number in any notation, so that an id is spelled alike however its carrier's ids are read.
    this.#idsBegin = `s${chance.bytes(4).toString('hex')}`
    this.outbox = new Outbox({ clock, log, schedule: this.#schedule })
  }

  /** Answers a submission, or leaves it without an answer. */
  async submit(pdu: Pdu<'submit_sm'>, from: Peer): Promise<Reply<'submit_sm'> | undefined> {
    const segment = readSegment(pdu)
    const outcome = simulatedOutcomeOf(segment.to)
    const status = this.#faultOf(pdu) ?? this.#refusals.next(segment, outcome)
    if (status !== undefined) return { status }
    if (outcome.answer === 'never') return undefined
    const taken = this.#take(segment, { outcome, from })
    if (outcome.answer === 'after the receipt') await this.#schedule.begin(() => this.#finish(taken))
    else this.#schedule.at(taken.fate.at, () => this.#finish(taken))
    return { message_id: taken.id }
  }

  messages(number: string | null): HandsetList {
    return this.#handsets.list(number)
  }

  /** What became of a message of somebody who may ask; null where nobody knows it. */
  stateOf(id: string): AskedState | null {
    return this.#asked.find(id, this.#clock.now())
  }

  /** A handset writes to whoever is bound under this name. Says whether it was taken at once; else it is tried again later. */
  async write(reply: Omit<HandsetReply, 'sentAt'>, systemId: string): Promise<boolean> {
    this.#written += 1
    this.#handsets.write({ ...reply, sentAt: this.#clock.now() })
    let isTaken = true
    for (const part of writtenBy(reply, this.#written))
      isTaken = (await this.outbox.post({ systemId }, part)) && isTaken
    return isTaken
  }

  settle(): Promise<boolean> {
    return this.#schedule.settle()
  }

  stop(): void {
    this.#schedule.clear()
  }

  #faultOf(pdu: Pdu<'submit_sm'>): number | undefined {
    if (this.#throttle?.admits() === false) return commandStatus.ESME_RTHROTTLED
    // Receipts go back along these addresses, so they must be such as can be written.
    if (!/^[ -~]{0,20}$/.test(pdu.source_addr)) return commandStatus.ESME_RINVSRCADR
    if (!/^(?=.{1,20}$)\+?\d+$/.test(pdu.destination_addr)) return commandStatus.ESME_RINVDSTADR
    if (pdu.schedule_delivery_time !== '') return commandStatus.ESME_RINVSCHED
    const isReadable = pdu.validity_period === '' || parseValidityPeriod(pdu.validity_period, this.#clock.now())
    return isReadable ? undefined : commandStatus.ESME_RINVEXPIRY
  }

  #take(segment: Segment, { outcome, from }: Pick<Taken, 'outcome' | 'from'>): Taken {
    const takenAt = this.#clock.now()
    this.#segments += 1
    const id = this.#idsBegin + this.#segments.toString(16).padStart(8, '0')
    const fate = this.#fateOf(segment.pdu, outcome, takenAt)
    if (from.mayAsk) this.#asked.add(id, { to: segment.to, fate, outcome })
    return { from, segment, outcome, id, takenAt, fate }
  }

  /** A message whose time is up before it would have arrived has expired. */
  #fateOf(
    { validity_period }: Pdu<'submit_sm'>,
    { state, answer, afterSeconds }: SimulatedOutcome,
    takenAt: Date,
  ): Fate {
    const waitMs = answer === 'after the receipt' ? 0 : this.#receiptDelayMs + afterSeconds * 1000
    const at = new Date(takenAt.getTime() + waitMs)
    const expiresAt = parseValidityPeriod(validity_period, takenAt)
    return expiresAt && expiresAt < at ? { state: 'EXPIRED', at: expiresAt } : { state, at }
  }

  async #finish({ from, segment, outcome, fate, ...taken }: Taken): Promise<void> {
    const isWhole = fate.state === 'DELIVRD' && this.#handsets.receive(segment, { id: taken.id, receivedAt: fate.at })
    if (wantsReceipt(segment.pdu, fate)) {
      const receipt = receiptFor(segment, { ...taken, fate })
      for (let told = 0; told < outcome.receipts; told++) await this.outbox.post(from, receipt)
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
