// Keeps postings under way: claims what is due as far as there are slots, posts it, records how it ended (§6.4).

import type { Ports } from '../actions/ports.ts'
import { type ClaimedPosting, claimPostings } from '../actions/webhooks/claim-postings.ts'
import {
  type FinishedPosting,
  giveBackPostings,
  recordPostings,
  type Unposted,
} from '../actions/webhooks/record-postings.ts'
import { isSuccess, type PostingResult } from '../domain/webhooks/webhook-schedule.ts'
import { Batcher } from '../runtime/batcher.ts'
import { inBackground, type Log } from '../runtime/log.ts'
import { Loop, type Turn } from '../runtime/loop.ts'
import { courseAfter, isAway } from '../store/database/db.ts'
import { BEFORE_ALL_WORKSPACES, type ClaimLimits, findNextRetryTime } from '../store/webhooks/webhook-queue.ts'
import { type EventPoster, PostingGivenUp } from './post-event.ts'
import { type FreeSlots, type PostingRank, ReceiverSlots } from './receiver-slots.ts'

interface SenderOptions {
  ports: Ports
  log: Log
  poster: EventPoster
  /** Told of every posting that ended. */
  onResult: (result: PostingResult) => void
}

type Recorded = Awaited<ReturnType<typeof recordPostings>>[number]

/** The backstop for rings that got lost, and for deliveries whose process died. */
const POLL_MS = 5_000
const LARGEST_RECORDING = 200
/** A stop waits this long for answers; what has none by then is for another process, which need not wait for the lease. */
const STOP_GRACE_MS = 1_000

export class Sender {
  readonly #options: SenderOptions
  readonly #slots = new ReceiverSlots()
  readonly #recorder: Batcher<FinishedPosting, Recorded>
  readonly #loop: Loop
  readonly #underWay = new Set<Promise<void>>()
  readonly #givenUp: Unposted[] = []
  /** Where the walk over the workspaces goes on, so that each has its turn when there are more of them than slots. */
  readonly #walkedTo: Record<PostingRank, string> = { first: BEFORE_ALL_WORKSPACES, retry: BEFORE_ALL_WORKSPACES }
  #nextRetryAt: Date | null = null
  #claimed = 0

  constructor(options: SenderOptions) {
    const { ports, log } = options
    this.#options = options
    this.#recorder = new Batcher({
      lanes: 1,
      laneOf: () => 0,
      fairBy: () => [],
      largestBatch: LARGEST_RECORDING,
      // Bounded already: nothing gives up its slot before it is recorded.
      mostWaiting: Number.POSITIVE_INFINITY,
      longestWaitMs: Number.POSITIVE_INFINITY,
      whenFull: () => 'stale',
      run: (finished) => recordPostings(ports, finished),
      onFault: courseAfter,
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

  /** Returns when nothing is due and nothing under way; says whether anything was. */
  async settle(): Promise<boolean> {
    const claimedBefore = this.#claimed
    do {
      await Promise.all(this.#underWay)
      await this.#loop.settle()
    } while (this.#underWay.size > 0)
    return this.#claimed > claimedBefore
  }

  /** Claims no more, waits a little for the postings under way, and gives the rest back: they count as never made. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    const { ports, poster } = this.#options
    const grace = setTimeout(() => poster.giveUp(), STOP_GRACE_MS)
    await Promise.all(this.#underWay)
    clearTimeout(grace)
    if (this.#givenUp.length > 0) await giveBackPostings(ports, this.#givenUp)
  }

  async #turn(): Promise<Turn> {
    const news = await this.#claim('first')
    const retries = await this.#claim('retry')
    if (news || retries) return { worked: true }
    const { clock, db } = this.#options.ports
    const now = clock.now()
    // Known until it has come, so that the queue is not asked at every turn.
    if (this.#nextRetryAt === null || this.#nextRetryAt <= now) this.#nextRetryAt = await findNextRetryTime(db, now)
    return { worked: false, nextAt: this.#nextRetryAt }
  }

  /** Says whether there may be more. */
  async #claim(rank: PostingRank): Promise<boolean> {
    const { inAll, perWorkspace, workspaces, perReceiver, receivers } = this.#slots.room()
    if (inAll[rank] === 0) return false
    const behind = this.#walkedTo[rank]
    const { postings, discarded, walkedTo } = await claimPostings(this.#options.ports, {
      retry: rank === 'retry',
      afterWorkspaceId: behind,
      limit: inAll[rank],
      workspaces: limitsOf(rank, perWorkspace, workspaces),
      receivers: limitsOf(rank, perReceiver, receivers),
    })
    this.#walkedTo[rank] = walkedTo ?? BEFORE_ALL_WORKSPACES
    this.#claimed += postings.length + discarded
    for (const posting of postings) this.#track(this.#send(posting, rank))
    return postings.length + discarded > 0 || behind !== this.#walkedTo[rank]
  }

  #track(sending: Promise<void>): void {
    this.#underWay.add(sending)
    const settled = sending.finally(() => {
      this.#underWay.delete(sending)
      this.#loop.wake()
    })
    inBackground(settled, this.#options.log, 'posting a webhook')
  }

  async #send(posting: ClaimedPosting, rank: PostingRank): Promise<void> {
    const { ports, log, poster, onResult } = this.#options
    const { url, deliveryId, clientId, event, secrets } = posting
    this.#slots.take(posting, rank)
    let end: 'succeeded' | 'timedOut' | 'failed' = 'failed'
    const postedAt = ports.clock.now()
    try {
      const unixSeconds = Math.floor(postedAt.getTime() / 1000)
      const result = await poster.post({ url, deliveryId, event, secrets, unixSeconds })
      onResult(result)
      end = endOf(result)
      this.#remember(await this.#recorder.add({ posting, postedAt, result }))
    } catch (fault) {
      if (fault instanceof PostingGivenUp) {
        this.#givenUp.push({ posting, claimedAt: postedAt })
        return
      }
      // Without a result stored the claim lapses, and the delivery is posted again under the same id.
      if (!isAway(fault)) log.error({ err: fault, deliveryId, clientId }, 'a posting could not be made or recorded')
    } finally {
      this.#slots.giveBack(posting, rank, end)
    }
  }

  #remember(recorded: Recorded): void {
    if (recorded === 'stale' || recorded.kind !== 'retry') return
    if (this.#nextRetryAt === null || recorded.at < this.#nextRetryAt) this.#nextRetryAt = recorded.at
  }
}

/** Those that differ from the rest are named. */
function limitsOf(rank: PostingRank, usual: FreeSlots, others: ReadonlyMap<string, FreeSlots>): ClaimLimits {
  const named = [...others].filter(([, room]) => room[rank] !== usual[rank])
  return { usual: usual[rank], named: new Map(named.map(([id, room]) => [id, room[rank]])) }
}

function endOf(result: PostingResult): 'succeeded' | 'timedOut' | 'failed' {
  if (isSuccess(result)) return 'succeeded'
  return result.kind === 'failed' && result.timedOut ? 'timedOut' : 'failed'
}
