// Claims due deliveries as far as there are slots, posts them and records the results (§6.4).
import type { Ports } from '../actions/ports.ts'
import { type ClaimedAttempt, claimAttempts } from '../actions/webhooks/claim-attempts.ts'
import {
  type AbortedAttempt,
  type FinishedAttempt,
  recordAttempts,
  releaseAttempts,
} from '../actions/webhooks/record-attempts.ts'
import { NIL_UUID } from '../domain/uuid.ts'
import { type AttemptResult, isSuccess } from '../domain/webhooks/webhook-schedule.ts'
import { Batcher } from '../runtime/batcher.ts'
import { inBackground, type Log } from '../runtime/log.ts'
import { Loop, type Turn } from '../runtime/loop.ts'
import { isAway, retryDecision } from '../store/database/db.ts'
import { type ClaimLimits, findNextRetryTime } from '../store/webhooks/webhook-queue.ts'
import { type AttemptRank, EndpointSlots, type FreeSlots } from './endpoint-slots.ts'
import { AttemptAborted, type EventPoster } from './post-event.ts'

interface SenderOptions {
  ports: Ports
  log: Log
  poster: EventPoster
  /** Called for every finished attempt. */
  onResult: (result: AttemptResult) => void
}

type RecordedAttempt = Awaited<ReturnType<typeof recordAttempts>>[number]

/** Finds deliveries after a lost notification or a crashed process. */
const POLL_MS = 5_000
const MAX_RECORDED_BATCH = 200
/** A stop waits this long for answers, then releases the other deliveries for another process. */
const STOP_GRACE_MS = 1_000

export class Sender {
  readonly #options: SenderOptions
  readonly #slots = new EndpointSlots()
  readonly #recorder: Batcher<FinishedAttempt, RecordedAttempt>
  readonly #loop: Loop
  readonly #underWay = new Set<Promise<void>>()
  readonly #aborted: AbortedAttempt[] = []
  /** Where the next claim continues, so that each workspace has its turn when there are more workspaces than slots. */
  readonly #scannedTo: Record<AttemptRank, string> = { first: NIL_UUID, retry: NIL_UUID }
  #nextRetryAt: Date | null = null
  #claimed = 0

  constructor(options: SenderOptions) {
    const { ports, log } = options
    this.#options = options
    this.#recorder = new Batcher({
      lanes: 1,
      laneOf: () => 0,
      fairBy: () => [],
      maxBatch: MAX_RECORDED_BATCH,
      // The slots limit the number: a slot is released after its attempt is recorded.
      maxWaiting: Number.POSITIVE_INFINITY,
      maxWaitMs: Number.POSITIVE_INFINITY,
      whenFull: () => 'stale',
      run: (finished) => recordAttempts(ports, finished),
      onError: retryDecision,
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

  get underWay(): number {
    return this.#underWay.size
  }

  wake(): void {
    this.#loop.wake()
  }

  /** Resolves when no delivery is due or running. Returns whether there was any. */
  async settle(): Promise<boolean> {
    const claimedBefore = this.#claimed
    do {
      await Promise.all(this.#underWay)
      await this.#loop.settle()
    } while (this.#underWay.size > 0)
    return this.#claimed > claimedBefore
  }

  /** Waits briefly for running attempts. Releases and does not count the rest. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    const { ports, poster } = this.#options
    const grace = setTimeout(() => poster.abort(), STOP_GRACE_MS)
    await Promise.all(this.#underWay)
    clearTimeout(grace)
    if (this.#aborted.length > 0) await releaseAttempts(ports, this.#aborted)
  }

  async #turn(): Promise<Turn> {
    const first = await this.#claim('first')
    const retries = await this.#claim('retry')
    if (first || retries) return { worked: true }
    const { clock, db } = this.#options.ports
    const now = clock.now()
    // Cached until it is due, which saves a query per turn.
    if (this.#nextRetryAt === null || this.#nextRetryAt <= now) this.#nextRetryAt = await findNextRetryTime(db, now)
    return { worked: false, nextAt: this.#nextRetryAt }
  }

  /** Returns whether there may be more. */
  async #claim(rank: AttemptRank): Promise<boolean> {
    const { inAll, perWorkspace, workspaces, perEndpoint, endpoints } = this.#slots.room()
    if (inAll[rank] === 0) return false
    const behind = this.#scannedTo[rank]
    const { attempts, discarded, scannedTo } = await claimAttempts(this.#options.ports, {
      retry: rank === 'retry',
      afterWorkspaceId: behind,
      limit: inAll[rank],
      workspaces: limitsOf(rank, perWorkspace, workspaces),
      endpoints: limitsOf(rank, perEndpoint, endpoints),
    })
    this.#scannedTo[rank] = scannedTo ?? NIL_UUID
    this.#claimed += attempts.length + discarded
    for (const attempt of attempts) this.#track(this.#send(attempt, rank))
    return attempts.length + discarded > 0 || behind !== this.#scannedTo[rank]
  }

  #track(sending: Promise<void>): void {
    this.#underWay.add(sending)
    const settled = sending.finally(() => {
      this.#underWay.delete(sending)
      this.#loop.wake()
    })
    inBackground(settled, this.#options.log, 'webhook attempt')
  }

  async #send(attempt: ClaimedAttempt, rank: AttemptRank): Promise<void> {
    const { ports, log, poster, onResult } = this.#options
    const { url, deliveryId, clientId, event, secrets } = attempt
    this.#slots.take(attempt, rank)
    let end: 'succeeded' | 'timedOut' | 'failed' = 'failed'
    const attemptedAt = ports.clock.now()
    try {
      const unixSeconds = Math.floor(attemptedAt.getTime() / 1000)
      const result = await poster.post({ url, deliveryId, event, secrets, unixSeconds })
      onResult(result)
      end = endOf(result)
      this.#remember(await this.#recorder.add({ attempt, attemptedAt, result }))
    } catch (error) {
      if (error instanceof AttemptAborted) {
        this.#aborted.push({ attempt, claimedAt: attemptedAt })
        return
      }
      // Without a stored result the claim lapses, and the delivery is posted again under the same id.
      if (!isAway(error)) log.error({ err: error, deliveryId, clientId }, 'webhook attempt failed unexpectedly')
    } finally {
      this.#slots.release(attempt, rank, end)
    }
  }

  #remember(recorded: RecordedAttempt): void {
    if (recorded === 'stale' || recorded.kind !== 'retry') return
    if (this.#nextRetryAt === null || recorded.at < this.#nextRetryAt) this.#nextRetryAt = recorded.at
  }
}

/** Names only the workspaces or endpoints whose limit differs from the usual one. */
function limitsOf(rank: AttemptRank, usual: FreeSlots, others: ReadonlyMap<string, FreeSlots>): ClaimLimits {
  const named = [...others].filter(([, room]) => room[rank] !== usual[rank])
  return { usual: usual[rank], named: new Map(named.map(([id, room]) => [id, room[rank]])) }
}

function endOf(result: AttemptResult): 'succeeded' | 'timedOut' | 'failed' {
  if (isSuccess(result)) return 'succeeded'
  return result.kind === 'failed' && result.timedOut ? 'timedOut' : 'failed'
}
