// Records finished attempts in batches, and withdraws deliveries without an attempt from their claims (§6.4).
import type { Ports } from '../actions/ports.ts'
import type { ClaimedDelivery } from '../actions/webhooks/claim-deliveries.ts'
import {
  type FinishedAttempt,
  recordAttempts,
  type Withdrawal,
  withdrawFromClaims,
} from '../actions/webhooks/record-attempts.ts'
import { Batcher } from '../runtime/batcher.ts'
import { countBy } from '../runtime/count-by.ts'
import { inBackground, type Log } from '../runtime/log.ts'
import type { OnBatch } from '../runtime/metrics.ts'
import { isAway, retryDecision } from '../store/database/db.ts'

interface RecorderOptions {
  ports: Ports
  log: Log
  /** Called when a retry is stored, with its due time. */
  onRetry: (at: Date) => void
  /** Called when a claim may bring more: deliveries are back in the queue, or the recorder is no longer full. */
  onClaimable: () => void
  onBatch: OnBatch
}

type RecordedAttempt = Awaited<ReturnType<typeof recordAttempts>>[number]

const MAX_BATCH = 200
/** Larger batches cost less per attempt. */
const PACE = { everyMs: 50, few: 0, enough: 100 }
const MAX_STORING = 1_000

export class AttemptRecorder {
  readonly #options: RecorderOptions
  readonly #batcher: Batcher<FinishedAttempt, RecordedAttempt>
  /** Deliveries without a stored result, by claim. After an error the claim is removed here, and lapses in the database. */
  readonly #openOf = new Map<string, number>()
  /** Claimed deliveries that wait, are posted or are being stored. */
  #unfinished = 0
  /** Attempts and withdrawals that are being stored. */
  #storing = 0
  #withdrawals: Withdrawal[] = []
  #isWithdrawing = false
  #whenIdle: (() => void)[] = []

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#batcher = new Batcher({
      lanes: 1,
      laneOf: () => 0,
      fairBy: () => [],
      maxBatch: MAX_BATCH,
      pace: PACE,
      onBatch: options.onBatch,
      // Unlimited, because the sender claims nothing while the recorder is full.
      maxWaiting: Number.POSITIVE_INFINITY,
      maxWaitMs: Number.POSITIVE_INFINITY,
      whenFull: () => 'stale',
      run: (finished) => this.#store(finished),
      onError: retryDecision,
    })
  }

  /** While the recorder is full, the sender claims nothing. */
  get isFull(): boolean {
    return this.#storing > MAX_STORING
  }

  /** True while a claimed delivery waits, is posted or is being stored. */
  get isBusy(): boolean {
    return this.#unfinished > 0
  }

  /** Resolves when no claimed delivery is left. */
  async drain(): Promise<void> {
    if (this.isBusy) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  /** The caller records or withdraws each delivery of the claim once. */
  addClaim(claimId: string, size: number): void {
    this.#openOf.set(claimId, size)
    this.#unfinished += size
  }

  record(finished: FinishedAttempt): void {
    const { delivery } = finished
    this.#storing += 1
    this.#batcher.push(
      finished,
      (recorded) => {
        if (recorded !== 'stale' && recorded.kind === 'retry') this.#options.onRetry(recorded.at)
        this.#end(delivery, true)
      },
      (error) => {
        const { deliveryId, clientId } = delivery
        if (!isAway(error))
          this.#options.log.error({ err: error, deliveryId, clientId }, 'webhook attempt was not recorded')
        this.#end(delivery, false)
      },
    )
  }

  /** One statement at a time, because concurrent statements would lock the same claims. */
  withdraw(withdrawal: Withdrawal): void {
    this.#storing += 1
    this.#withdrawals.push(withdrawal)
    if (this.#isWithdrawing) return
    this.#isWithdrawing = true
    inBackground(this.#storeWithdrawals(), this.#options.log, 'return of webhook deliveries')
  }

  #store(finished: FinishedAttempt[]): Promise<RecordedAttempt[]> {
    const counts = countBy(finished, ({ delivery }) => delivery.claimId)
    const ended = [...counts].filter(([claimId, count]) => this.#openOf.get(claimId) === count)
    return recordAttempts(
      this.#options.ports,
      finished,
      ended.map(([claimId]) => claimId),
    )
  }

  async #storeWithdrawals(): Promise<void> {
    const { ports, log, onClaimable } = this.#options
    // Withdrawals of the same turn of the event loop share a statement.
    await new Promise(setImmediate)
    while (this.#withdrawals.length > 0) {
      const withdrawals = this.#withdrawals
      this.#withdrawals = []
      let isStored = false
      try {
        await withdrawFromClaims(ports, withdrawals)
        isStored = true
        onClaimable()
      } catch (error) {
        if (!isAway(error)) log.error({ err: error }, 'webhook deliveries were not returned')
      }
      for (const { delivery } of withdrawals) this.#end(delivery, isStored)
    }
    this.#isWithdrawing = false
  }

  /** If the result is not stored, the claim lapses and the delivery is posted again under the same id. */
  #end({ claimId }: ClaimedDelivery, isStored: boolean): void {
    const open = this.#openOf.get(claimId) ?? 0
    if (isStored && open > 1) this.#openOf.set(claimId, open - 1)
    else this.#openOf.delete(claimId)
    const wasFull = this.isFull
    this.#storing -= 1
    this.#unfinished -= 1
    if (wasFull && !this.isFull) this.#options.onClaimable()
    if (!this.isBusy) for (const resolve of this.#whenIdle.splice(0)) resolve()
  }
}
