// Polls one HTTP carrier for due receipts (D54), with rate limits and backoff. A poll is settled only after its receipt is stored.
import { decryptHttpSecrets } from '../../actions/carriers/carrier-secrets.ts'
import {
  claimPolls,
  countsAsAttempt,
  type FinishedPoll,
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
import type { ConnectionFrame } from '../connection.ts'
import { CallCapture } from './call-capture.ts'
import { HttpCaller } from './caller.ts'
import type { CallResult } from './exchange.ts'
import { PollLog } from './poll-log.ts'

/** Finds polls that became due without a notification. */
const POLL_MS = 2_000
/** Time to store the receipts after the call. */
const LEASE_MARGIN_MS = 30_000
/** Servers reject longer paths; a longer call is split. */
const MAX_PATH_LENGTH = 6_000

export interface ReceiptPollerOptions {
  ports: Ports
  carrier: HttpCarrier
  poll: ReceiptPoll
  /** This process's share of the carrier's rate limits. */
  share: number
  guard: AddressGuard
  log: Log
  lane: CarrierEventLane
  events: PollEvents
  paced: (perSecond: number) => PollPace
  /** Records calls for captures (D60). */
  onFrame: (carrierId: string, read: () => ConnectionFrame) => void
}

/** Counts polls and receipts. */
export interface PollEvents {
  poll(carrier: Carrier, outcome: PollOutcome): void
  countReport(report: { carrier: Carrier; status: ReportStatus; state: string; isKnown: boolean }): void
  setAside(): void
}

/** The rate limit of calls. */
interface PollPace {
  readonly room: number
  readonly waitMs: number
  take(calls: number): void
}

export class ReceiptPoller {
  readonly #options: ReceiptPollerOptions
  readonly #make: MakePoll
  readonly #caller: HttpCaller
  readonly #pace: PollPace
  readonly #atOnce: number
  readonly #log: PollLog
  readonly #capture: CallCapture
  readonly #loop: Loop
  readonly #inFlight = new Set<Promise<void>>()
  #refill: NodeJS.Timeout | undefined
  #isStopping = false
  #failures = 0
  #restingUntil = new Date(0)

  constructor(options: ReceiptPollerOptions) {
    const { ports, carrier, poll, share, guard, log } = options
    const { description } = carrier.http
    const secrets = decryptHttpSecrets(ports, carrier)
    this.#options = options
    this.#make = compilePoll(description, poll, secrets)
    const { origin } = partsOf(poll.url)
    // A late response is not awaited: the poll is repeated.
    this.#caller = new HttpCaller({ guard, origin, limitMs: carrier.answerSeconds * 1000, lateMs: 0, maxLate: 0 })
    this.#pace = options.paced(poll.perSecond * share)
    this.#atOnce = Math.max(1, Math.round(poll.atOnce * share))
    const auth = authOf(description)
    const redactorOf = createRedactors(secrets)
    this.#log = new PollLog(log, carrier.name, redactorOf(NO_PRIVATE_PARTS))
    const onFrame = (read: () => ConnectionFrame) => options.onFrame(carrier.id, read)
    this.#capture = new CallCapture({ ...poll, auth, places: placesOfReceipts(poll.reading), redactorOf, onFrame })
    const turn = () => this.#turn()
    this.#loop = new Loop({
      name: 'receipts',
      clock: ports.clock,
      log,
      pollMs: POLL_MS,
      turn,
      isLoggedElsewhere: isAway,
    })
  }

  async settle(): Promise<boolean> {
    let worked = false
    for (;;) {
      worked = (await this.#loop.settle()) || worked
      if (this.#inFlight.size === 0 && this.#refill === undefined) return worked
      worked = true
      if (this.#inFlight.size > 0) await Promise.all(this.#inFlight)
      else await new Promise((resolve) => setTimeout(resolve, this.#pace.waitMs))
    }
  }

  /** Aborts calls in flight; the next poller repeats them. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#refill)
    const stopped = this.#loop.stop()
    this.#caller.abort('receipt polling stopped')
    await stopped
    await Promise.all(this.#inFlight)
  }

  async #turn(): Promise<Turn> {
    const { ports, carrier, poll } = this.#options
    if (this.#inFlight.size >= this.#atOnce) return { worked: false }
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
    this.#log.late(dueAt, this.#options.ports.clock.now())
    const polling = this.#poll(polls)
      // The polls are repeated after their lease expires.
      .catch((error) => this.#log.failedStore(error))
      .finally(() => {
        this.#inFlight.delete(polling)
        this.#loop.wake()
      })
    this.#inFlight.add(polling)
  }

  async #poll(claimed: ClaimedPoll[]): Promise<void> {
    const { ports, carrier, poll, events } = this.#options
    const { call, polls, left, unsendable } = this.#compose(claimed)
    if (left.length > 0) await releasePolls(ports, left)
    if (unsendable.length > 0) {
      this.#log.failedPoll('a message ID cannot be encoded in the request')
      await settlePolls(ports, unsendable.map(withoutReceipt), poll)
    }
    if (!call) return
    const captured = this.#capture.begin(call, {
      messageIds: polls.map((it) => it.messageId),
      parts: () => ({ numbers: polls.flatMap(({ to }) => [to.replace(/^\+/, ''), nationalNumber(to)]), text: '' }),
    })
    const result = await this.#caller.call(call, { written: captured.written, onLateResult: captured.late })
    captured.settled(result)
    const read = this.#read(result, polls)
    events.poll(carrier, read.outcome)
    this.#backOff(read, result)
    if (read.oddity !== null) this.#log.failedPoll(read.oddity)
    await this.#record(polls, read)
    const counts = countsAsAttempt(read.outcome)
    const polled = polls.map((it, index): FinishedPoll => {
      const receipt = read.receipts[index] ?? null
      const isReported = receipt !== null && receipt.status !== 'pending'
      return { ...it, isReported, state: receipt ? stateKey(receipt) : it.said, counts }
    })
    await settlePolls(ports, polled, poll)
  }

  /** Splits a call that is too long, and separates polls that cannot be encoded. */
  #compose(claimed: ClaimedPoll[]): ComposedPoll {
    const isSayable = (some: ClaimedPoll[]) => !('unsendable' in this.#make(some))
    // Checks up to a thousand polls together, and single polls only after a failure.
    const unsendable = isSayable(claimed) ? [] : claimed.filter((it) => !isSayable([it]))
    let polls = claimed.filter((it) => !unsendable.includes(it))
    const left: ClaimedPoll[] = []
    for (;;) {
      const call = this.#make(polls)
      if ('unsendable' in call) return { call: null, polls: [], left, unsendable: [...unsendable, ...polls] }
      if (call.path.length <= MAX_PATH_LENGTH || polls.length === 1) return { call, polls, left, unsendable }
      const half = Math.ceil(polls.length / 2)
      left.push(...polls.slice(half))
      polls = polls.slice(0, half)
    }
  }

  #read(result: CallResult, polls: readonly ClaimedPoll[]): ReadPoll {
    if (result.kind !== 'answered')
      return { outcome: 'unanswered', receipts: polls.map(() => null), oddity: result.why }
    const { status, body } = result
    const json = body === null ? undefined : readJson(body)
    const read = readPoll({ status, json }, polls, this.#options.poll.reading)
    return { ...read, oddity: result.oddity ?? read.oddity }
  }

  /** A readable response resets the backoff. */
  #backOff({ outcome }: ReadPoll, result: CallResult): void {
    const { clock } = this.#options.ports
    this.#failures = outcome === 'reported' || outcome === 'nothing' ? 0 : this.#failures + 1
    const pauseMs = result.kind === 'answered' ? retryAfterMs(result.retryAfter, clock.now()) : 0
    this.#restingUntil = new Date(clock.now().getTime() + pollPauseMs(this.#failures, pauseMs))
  }

  /** Resolves after all new receipts are stored; throws if the poll must be repeated. */
  async #record(polls: readonly ClaimedPoll[], { receipts }: ReadPoll): Promise<void> {
    const { ports, carrier, poll, lane, events } = this.#options
    const receivedAt = ports.clock.now()
    const recorded = polls.map(async ({ reference, to, said }, index) => {
      const receipt = receipts[index]
      // An unchanged pending state is not stored again.
      if (!receipt || (receipt.status === 'pending' && stateKey(receipt) === said)) return
      const source = { id: ports.ids.next(), carrierId: carrier.id, reference, to, byText: false, receivedAt }
      try {
        await lane.add({ kind: 'report', report: { ...receipt, ...source } })
        const { status, state } = receipt
        events.countReport({ carrier, status, state, isKnown: isKnownIn(poll.reading, state) })
      } catch (error) {
        // A permanent failure of one receipt must not block the other polls.
        if (isPassing(error)) throw error
        events.setAside()
        this.#log.failedStore(error)
      }
    })
    await Promise.all(recorded)
  }
}

interface ComposedPoll {
  call: HttpCall | null
  polls: ClaimedPoll[]
  left: ClaimedPoll[]
  unsendable: ClaimedPoll[]
}

function withoutReceipt(poll: ClaimedPoll): FinishedPoll {
  return { ...poll, isReported: false, state: poll.said, counts: true }
}

function stateKey({ state, code }: { state: string; code: string }): string {
  return `${state} ${code}`
}
