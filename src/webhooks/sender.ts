// Claims due deliveries ahead of their attempts, posts them as slots become free, and hands the results to the recorder (§6.4).
import type { Ports } from '../actions/ports.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  endLapsedClaims,
  mayStillPost,
  nextRetryTime,
} from '../actions/webhooks/claim-deliveries.ts'
import type { FinishedAttempt, Withdrawal } from '../actions/webhooks/record-attempts.ts'
import { inMessageTrace, traceIdOf } from '../domain/messages/message-trace.ts'
import { NIL_UUID } from '../domain/uuid.ts'
import { type AttemptResult, failureBeforeAttempt, isSuccess } from '../domain/webhooks/webhook-schedule.ts'
import { inBackground, type Log } from '../runtime/log.ts'
import { Loop, type Turn } from '../runtime/loop.ts'
import type { OnBatch } from '../runtime/metrics.ts'
import type { EndedSpan } from '../runtime/tracer.ts'
import { isAway } from '../store/database/db.ts'
import { AttemptRecorder } from './attempt-recorder.ts'
import { EndpointCache } from './endpoint-cache.ts'
import { EndpointSlots, type StartedDelivery } from './endpoint-slots.ts'
import type { EventPoster } from './post-event.ts'
import type { AttemptEnd, AttemptRank } from './slot-limits.ts'

interface SenderOptions {
  ports: Ports
  log: Log
  poster: EventPoster
  /** Called for every finished attempt. */
  onResult: (result: AttemptResult) => void
  /** Called with the number of attempts that are recorded together. */
  onBatch: OnBatch
}

type Started = StartedDelivery<ClaimedDelivery>

/** Finds deliveries after a lost notification or a crashed process. */
const POLL_MS = 5_000
/** A data error, for example a secret that was stored with another key. The owner sees it. */
const UNREADABLE = 'the settings of the endpoint cannot be read'
/** A stop waits this long for answers, then releases the other deliveries for another process. */
const STOP_GRACE_MS = 1_000

export class Sender {
  readonly #options: SenderOptions
  readonly #slots = new EndpointSlots<ClaimedDelivery>()
  readonly #endpoints: EndpointCache
  readonly #recorder: AttemptRecorder
  readonly #loop: Loop
  /** Where the next claim continues, so that each workspace has its turn when there are more workspaces than places. */
  readonly #scannedTo: Record<AttemptRank, string> = { first: NIL_UUID, retry: NIL_UUID }
  #isReading = false
  #isDispatchDue = false
  /** When a retry falls due or a lease ends, as far as known, and when this was looked up. */
  #nextRetryAt: Date | null = null
  #lookedUpAt = Number.NEGATIVE_INFINITY
  #claimed = 0
  #isStopping = false

  constructor(options: SenderOptions) {
    const { ports, log, onBatch } = options
    this.#options = options
    this.#endpoints = new EndpointCache(ports)
    this.#recorder = new AttemptRecorder({
      ports,
      log,
      onBatch,
      onRetry: (at) => this.#wakeAt(at),
      onClaimable: () => this.#loop.wake(),
    })
    const turn = () => this.#turn()
    this.#loop = new Loop({
      name: 'webhooks',
      clock: ports.clock,
      log,
      pollMs: POLL_MS,
      turn,
      isLoggedElsewhere: isAway,
    })
  }

  get running(): number {
    return this.#slots.running
  }

  wake(): void {
    this.#loop.wake()
  }

  /** Resolves when no delivery is due, running or being recorded. Returns whether there was any. */
  async settle(): Promise<boolean> {
    const claimedBefore = this.#claimed
    do {
      await this.#recorder.drain()
      await this.#loop.settle()
    } while (this.#recorder.isBusy)
    return this.#claimed > claimedBefore
  }

  /** Waits briefly for running attempts. Releases and does not count the rest. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const grace = setTimeout(() => this.#options.poster.abort(), STOP_GRACE_MS)
    await this.#loop.stop()
    for (const delivery of this.#slots.takeWaiting()) this.#recorder.withdraw({ delivery, failureReason: null })
    await this.#recorder.drain()
    clearTimeout(grace)
    this.#options.ports.notifications.notify('webhooks')
  }

  async #turn(): Promise<Turn> {
    this.#dispatch()
    const { ports } = this.#options
    const isDue = this.#nextRetryAt === null || this.#nextRetryAt <= ports.clock.now()
    // Other processes may have ended, or have stored retries.
    const isLookupDue = isDue || performance.now() - this.#lookedUpAt >= POLL_MS
    const lapsed = isLookupDue && (await endLapsedClaims(ports))
    const first = await this.#claim('first')
    const retries = await this.#claim('retry')
    if (first || retries || lapsed) return { worked: true }
    if (isLookupDue) await this.#lookUpRetryTime()
    return { worked: false, nextAt: this.#nextRetryAt }
  }

  /** The answer may be older than a retry that was stored meanwhile: the earlier time counts. */
  async #lookUpRetryTime(): Promise<void> {
    this.#nextRetryAt = null
    const found = await nextRetryTime(this.#options.ports)
    if (found) this.#expect(found)
    this.#lookedUpAt = performance.now()
  }

  /** The loop takes a turn at this time. */
  #wakeAt(at: Date): void {
    if (this.#expect(at)) this.#loop.wake()
  }

  /** Keeps the time if no earlier one is known. */
  #expect(at: Date): boolean {
    if (this.#nextRetryAt !== null && this.#nextRetryAt <= at) return false
    this.#nextRetryAt = at
    return true
  }

  /** Returns whether there may be more. */
  async #claim(rank: AttemptRank): Promise<boolean> {
    const plan = this.#slots.planClaim(rank)
    if (plan.limit === 0 || this.#recorder.isFull) return false
    const behind = this.#scannedTo[rank]
    const request = { retry: rank === 'retry', afterWorkspaceId: behind, ...plan }
    const { deliveries, scannedTo } = await claimDeliveries(this.#options.ports, request)
    this.#scannedTo[rank] = scannedTo ?? NIL_UUID
    this.#claimed += deliveries.length
    const [some] = deliveries
    let mayHaveMore = false
    try {
      if (some) {
        this.#recorder.addClaim(some.claimId, deliveries.length)
        this.#wakeAt(some.leasedUntil)
        // Read after the claim, so that earlier changes of the settings apply to these deliveries.
        await this.#endpoints.read(new Set(deliveries.map((it) => it.clientId)))
      }
    } finally {
      mayHaveMore = this.#slots.add(rank, deliveries, plan)
      this.#dispatch()
    }
    return mayHaveMore || behind !== this.#scannedTo[rank]
  }

  /** Once per tick of the event loop, in which many attempts may end. */
  #dispatchSoon(): void {
    if (this.#isDispatchDue) return
    this.#isDispatchDue = true
    setImmediate(() => {
      this.#isDispatchDue = false
      this.#dispatch()
    })
  }

  /** Posts as many waiting deliveries as there are slots. */
  #dispatch(): void {
    if (this.#slots.held === this.#slots.running) this.#endpoints.clear()
    else if (!this.#isStopping) this.#startWaiting()
  }

  #startWaiting(): void {
    const now = this.#options.ports.clock.now()
    const { started, expired, unready } = this.#slots.start({
      isReady: (clientId) => this.#endpoints.isFresh(clientId),
      isExpired: (delivery) => !mayStillPost(delivery, now),
    })
    for (const delivery of expired) this.#recorder.withdraw({ delivery, failureReason: null })
    for (const each of started) this.#post(each)
    if (started.length > 0) this.#dispatchSoon()
    else if (unready.length > 0 && !this.#isReading)
      inBackground(this.#readThenDispatch(unready), this.#options.log, 'webhook endpoints')
  }

  async #readThenDispatch(clientIds: string[]): Promise<void> {
    this.#isReading = true
    try {
      await this.#endpoints.read(new Set(clientIds))
    } catch (error) {
      // The next turn of the loop tries again.
      if (isAway(error)) return
      throw error
    } finally {
      this.#isReading = false
    }
    this.#dispatch()
  }

  #post(started: Started): void {
    const { ports, poster } = this.#options
    const { delivery } = started
    const attemptedAt = ports.clock.now()
    const endpoint = this.#endpoints.get(delivery.clientId)
    const url = endpoint?.url ?? null
    const failureReason = failureBeforeAttempt({ url, claims: delivery.claims })
    if (!endpoint || endpoint.isDisabled || url === null || failureReason) {
      this.#giveUp(started, endpoint && !endpoint.isDisabled ? failureReason : null)
      return
    }
    const finish = (result: AttemptResult) => this.#finish(started, { delivery, url, attemptedAt, result })
    const { target, secrets } = endpoint
    if (!target || !secrets) {
      finish({ kind: 'failed', why: UNREADABLE, timedOut: false, milliseconds: 0 })
      return
    }
    const unixSeconds = Math.floor(attemptedAt.getTime() / 1000)
    const { deliveryId, event } = delivery
    poster.post({ target, deliveryId, event, secrets, unixSeconds }, (result) =>
      result === null ? this.#giveUp(started, null) : finish(result),
    )
  }

  #finish(started: Started, finished: FinishedAttempt): void {
    const { result } = finished
    this.#options.onResult(result)
    this.#options.ports.tracer?.record(attemptSpan(finished))
    this.#recorder.record(finished)
    this.#release(started, endOf(result), result.milliseconds)
  }

  #giveUp(started: Started, failureReason: Withdrawal['failureReason']): void {
    this.#recorder.withdraw({ delivery: started.delivery, failureReason })
    this.#release(started, 'withdrawn')
  }

  #release(started: Started, end: AttemptEnd, milliseconds?: number): void {
    if (this.#slots.release(started, end, milliseconds)) this.#loop.wake()
    this.#dispatchSoon()
  }
}

function endOf(result: AttemptResult): AttemptEnd {
  if (isSuccess(result)) return 'succeeded'
  return result.kind === 'failed' && result.timedOut ? 'timedOut' : 'failed'
}

function attemptSpan({ delivery, url, result }: FinishedAttempt): EndedSpan {
  const { deliveryId, clientId, number, event } = delivery
  const answered = result.kind === 'answered' ? result : null
  const { id } = JSON.parse(Buffer.from(event.body).toString()) as { id: string }
  return {
    ...(event.name === 'message.status' ? inMessageTrace(id) : { traceId: traceIdOf(id) }),
    name: `POST ${event.name}`,
    kind: 'client',
    milliseconds: result.milliseconds,
    attributes: {
      ...{ 'http.request.method': 'POST', 'server.address': new URL(url).hostname },
      ...{ 'http.response.status_code': answered?.statusCode ?? null, 'hulaki.client_id': clientId },
      ...{ 'hulaki.delivery_id': deliveryId, 'hulaki.attempt': number },
    },
    error: isSuccess(result) ? null : result.kind === 'failed' ? result.why : String(result.statusCode),
  }
}
