// Asks one carrier over HTTP what became of messages that it has (D54): what is due, within bounds of its own, and after a failure with
// patience. What it is told goes the way of every report, and only then is a question settled.
import { httpSecretsOf } from '../../actions/carriers/carrier-secrets.ts'
import {
  type AskedPoll,
  claimPolls,
  countsAsAsked,
  releasePolls,
  settlePolls,
} from '../../actions/carriers/poll-receipts.ts'
import type { CarrierEventLane } from '../../actions/carriers/record-carrier-events.ts'
import type { Ports } from '../../actions/ports.ts'
import type { Carrier, HttpCarrier } from '../../domain/carriers/carrier.ts'
import { retryAfterMs } from '../../domain/carriers/http/answer.ts'
import { placesOfReceipts } from '../../domain/carriers/http/capture.ts'
import { readJson } from '../../domain/carriers/http/content.ts'
import type { ReceiptPoll } from '../../domain/carriers/http/description.ts'
import {
  authOf,
  compilePoll,
  type MakePoll,
  type PollOutcome,
  type ReadPoll,
  readPoll,
} from '../../domain/carriers/http/poll.ts'
import { pollPauseMs } from '../../domain/carriers/http/poll-times.ts'
import { isKnownIn } from '../../domain/carriers/http/read-receipts.ts'
import { createRedactors, NO_PRIVATE_PARTS } from '../../domain/carriers/http/redact.ts'
import { type HttpCall, partsOf } from '../../domain/carriers/http/request.ts'
import type { ReportStatus } from '../../domain/messages/report.ts'
import { nationalNumber } from '../../domain/phone-number.ts'
import type { AddressGuard } from '../../outbound/address-guard.ts'
import type { Log } from '../../runtime/log.ts'
import { Loop, type Turn } from '../../runtime/loop.ts'
import { type ClaimedPoll, findNextPollTime } from '../../store/carriers/receipt-polls.ts'
import { isAway, isPassing } from '../../store/database/db.ts'
import type { Exchanged as Shown } from '../connection.ts'
import { Caller } from './caller.ts'
import type { Exchanged } from './exchange.ts'
import { PollLog } from './poll-log.ts'
import { Wire } from './wire.ts'

/** How soon what became due unheard of is found. */
const LOOK_MS = 2_000
/** Beyond the time of the call: for what is told to be stored. */
const LEASE_MARGIN_MS = 30_000
/** Longer addresses are refused by servers; then fewer are asked about in one call. */
const LONGEST_PATH = 6_000

export interface ReceiptPollerOptions {
  ports: Ports
  carrier: HttpCarrier
  poll: ReceiptPoll
  /** Of the carrier's bounds, the part that is this process's. */
  share: number
  guard: AddressGuard
  log: Log
  lane: CarrierEventLane
  events: PollEvents
  paced: (perSecond: number) => PollPace
  /** For whoever wants to see its calls (D60). */
  exchanged: (carrierId: string, read: () => Shown) => void
}

/** What it tells of. */
export interface PollEvents {
  poll(carrier: Carrier, outcome: PollOutcome): void
  countReport(report: { carrier: Carrier; status: ReportStatus; state: string; isKnown: boolean }): void
  setAside(): void
}

/** How fast calls may begin. */
export interface PollPace {
  readonly room: number
  readonly waitMs: number
  take(calls: number): void
}

export class ReceiptPoller {
  readonly #options: ReceiptPollerOptions
  readonly #make: MakePoll
  readonly #caller: Caller
  readonly #pace: PollPace
  readonly #atOnce: number
  readonly #news: PollLog
  readonly #wire: Wire
  readonly #loop: Loop
  readonly #underWay = new Set<Promise<void>>()
  #refill: NodeJS.Timeout | undefined
  #isStopping = false
  #failures = 0
  #restingUntil = new Date(0)

  constructor(options: ReceiptPollerOptions) {
    const { ports, carrier, poll, share, guard, log } = options
    const { description } = carrier.http
    const secrets = httpSecretsOf(ports, carrier)
    this.#options = options
    this.#make = compilePoll(description, poll, secrets)
    const { origin } = partsOf(poll.url)
    // Nobody waits for an answer that comes late: it is asked again.
    this.#caller = new Caller({ guard, origin, limitMs: carrier.answerSeconds * 1000, lateMs: 0, mostLate: 0 })
    this.#pace = options.paced(poll.perSecond * share)
    this.#atOnce = Math.max(1, Math.round(poll.atOnce * share))
    const auth = authOf(description)
    const redactorOf = createRedactors(secrets)
    this.#news = new PollLog(log, carrier.name, redactorOf(NO_PRIVATE_PARTS))
    const exchanged = (read: () => Shown) => options.exchanged(carrier.id, read)
    this.#wire = new Wire({ ...poll, auth, places: placesOfReceipts(poll.reading), redactorOf, exchanged })
    const turn = () => this.#turn()
    this.#loop = new Loop({
      name: 'receipts',
      clock: ports.clock,
      log,
      pollMs: LOOK_MS,
      turn,
      isLoggedElsewhere: isAway,
    })
  }

  async settle(): Promise<boolean> {
    let worked = false
    for (;;) {
      worked = (await this.#loop.settle()) || worked
      if (this.#underWay.size === 0 && this.#refill === undefined) return worked
      worked = true
      if (this.#underWay.size > 0) await Promise.all(this.#underWay)
      else await new Promise((resolve) => setTimeout(resolve, this.#pace.waitMs))
    }
  }

  /** What is under way is given up, and asked again by whoever comes next. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#refill)
    const stopped = this.#loop.stop()
    this.#caller.hangUp('receipts are not asked for any more')
    await stopped
    await Promise.all(this.#underWay)
  }

  async #turn(): Promise<Turn> {
    const { ports, carrier, poll } = this.#options
    if (this.#underWay.size >= this.#atOnce) return { worked: false }
    if (ports.clock.now() < this.#restingUntil) return { worked: false, nextAt: this.#restingUntil }
    if (this.#pace.room === 0) {
      this.#wakeAfter(this.#pace.waitMs)
      return { worked: false }
    }
    const leaseMs = carrier.answerSeconds * 1000 + LEASE_MARGIN_MS
    const { worked, polls } = await claimPolls(ports, { carrierId: carrier.id, most: poll.many?.most ?? 1, leaseMs })
    const [first] = polls
    if (this.#isStopping) await releasePolls(ports, polls)
    else if (first) this.#begin(polls, first.dueAt)
    return worked ? { worked } : { worked, nextAt: await findNextPollTime(ports.db, carrier.id) }
  }

  #wakeAfter(ms: number): void {
    this.#refill ??= setTimeout(() => {
      this.#refill = undefined
      this.#loop.wake()
    }, ms)
  }

  #begin(polls: ClaimedPoll[], dueAt: Date): void {
    this.#pace.take(1)
    this.#news.late(dueAt, this.#options.ports.clock.now())
    const asked = this.#ask(polls)
      // Until their lease is over, they are nobody's; then they are asked about again.
      .catch((fault) => this.#news.failed(fault))
      .finally(() => {
        this.#underWay.delete(asked)
        this.#loop.wake()
      })
    this.#underWay.add(asked)
  }

  async #ask(claimed: ClaimedPoll[]): Promise<void> {
    const { ports, carrier, poll, events } = this.#options
    const { call, polls, left, unsendable } = this.#compose(claimed)
    if (left.length > 0) await releasePolls(ports, left)
    if (unsendable.length > 0) {
      this.#news.odd('it cannot be asked about a message with such an id')
      await settlePolls(ports, unsendable.map(nothingTold), poll)
    }
    if (!call) return
    const shown = this.#wire.begin(call, {
      messageIds: polls.map((it) => it.messageId),
      parts: () => ({ numbers: polls.flatMap(({ to }) => [to.replace(/^\+/, ''), nationalNumber(to)]), text: '' }),
    })
    const exchanged = await this.#caller.call(call, { written: shown.written, hearLate: shown.late })
    shown.settled(exchanged)
    const read = this.#read(exchanged, polls)
    events.poll(carrier, read.outcome)
    this.#rest(read, exchanged)
    if (read.oddity !== null) this.#news.odd(read.oddity)
    await this.#record(polls, read)
    const counts = countsAsAsked(read.outcome)
    const asked = polls.map((it, index): AskedPoll => {
      const told = read.receipts[index] ?? null
      const isReported = told !== null && told.status !== 'pending'
      return { ...it, isReported, told: told ? wordOf(told) : it.said, counts }
    })
    await settlePolls(ports, asked, poll)
  }

  /** Fewer where the call would be too long; and without those that cannot be said. */
  #compose(claimed: ClaimedPoll[]): Composed {
    const isSayable = (some: ClaimedPoll[]) => !('unsendable' in this.#make(some))
    // Up to a thousand: one by one only where some of them is to blame.
    const unsendable = isSayable(claimed) ? [] : claimed.filter((it) => !isSayable([it]))
    let polls = claimed.filter((it) => !unsendable.includes(it))
    const left: ClaimedPoll[] = []
    for (;;) {
      const call = this.#make(polls)
      if ('unsendable' in call) return { call: null, polls: [], left, unsendable: [...unsendable, ...polls] }
      if (call.path.length <= LONGEST_PATH || polls.length === 1) return { call, polls, left, unsendable }
      const half = Math.ceil(polls.length / 2)
      left.push(...polls.slice(half))
      polls = polls.slice(0, half)
    }
  }

  #read(exchanged: Exchanged, polls: readonly ClaimedPoll[]): ReadPoll {
    if (exchanged.kind !== 'answered')
      return { outcome: 'unanswered', receipts: polls.map(() => null), oddity: exchanged.why }
    const { status, body } = exchanged
    const json = body === null ? undefined : readJson(body)
    const read = readPoll({ status, json }, polls, this.#options.poll.reading)
    return { ...read, oddity: exchanged.oddity ?? read.oddity }
  }

  /** One answer that can be read, and all is well again. */
  #rest({ outcome }: ReadPoll, exchanged: Exchanged): void {
    const { clock } = this.#options.ports
    this.#failures = outcome === 'reported' || outcome === 'nothing' ? 0 : this.#failures + 1
    const wished = exchanged.kind === 'answered' ? retryAfterMs(exchanged.retryAfter, clock.now()) : 0
    this.#restingUntil = new Date(clock.now().getTime() + pollPauseMs(this.#failures, wished))
  }

  /** Returns once all that is news is stored; throws where it shall be asked for again. */
  async #record(polls: readonly ClaimedPoll[], { receipts }: ReadPoll): Promise<void> {
    const { ports, carrier, poll, lane, events } = this.#options
    const receivedAt = ports.clock.now()
    const recorded = polls.map(async ({ reference, to, said }, index) => {
      const receipt = receipts[index]
      // The same again, on the way, is no news.
      if (!receipt || (receipt.status === 'pending' && wordOf(receipt) === said)) return
      const heard = { id: ports.ids.next(), carrierId: carrier.id, reference, to, byText: false, receivedAt }
      try {
        await lane.add({ kind: 'report', report: { ...receipt, ...heard } })
        const { status, state } = receipt
        events.countReport({ carrier, status, state, isKnown: isKnownIn(poll.reading, state) })
      } catch (fault) {
        // What fails for a reason of its own fails for ever, and must not keep others from being asked about.
        if (isPassing(fault)) throw fault
        events.setAside()
        this.#news.failed(fault)
      }
    })
    await Promise.all(recorded)
  }
}

interface Composed {
  call: HttpCall | null
  polls: ClaimedPoll[]
  left: ClaimedPoll[]
  unsendable: ClaimedPoll[]
}

function nothingTold(poll: ClaimedPoll): AskedPoll {
  return { ...poll, isReported: false, told: poll.said, counts: true }
}

function wordOf({ state, code }: { state: string; code: string }): string {
  return `${state} ${code}`
}
