// Records the results of attempts in batches: delivered, failed, or due for a retry (§6.4), and the health of their endpoints.
import { sumAttempts } from '../../domain/webhooks/endpoint-health.ts'
import {
  type AttemptResult,
  afterAttempt,
  type FailureReason,
  type NextStep,
} from '../../domain/webhooks/webhook-schedule.ts'
import { addToHealth } from '../../store/webhooks/webhook-health.ts'
import {
  type AttemptRecord,
  deleteWebhookClaims,
  insertAttempts,
  listRecorded,
  lockWebhookClaims,
  withdrawDeliveries,
} from '../../store/webhooks/webhook-queue.ts'
import type { Ports } from '../ports.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'

export interface FinishedAttempt {
  delivery: ClaimedDelivery
  url: string
  attemptedAt: Date
  result: AttemptResult
}

/**
 * `endedClaims` have no other results left. Returns the next step of each attempt, in order; 'stale' if its claim has lapsed or its result is
 * stored already, so that nothing was stored.
 */
export async function recordAttempts(
  ports: Ports,
  finished: FinishedAttempt[],
  endedClaims: string[],
): Promise<(AttemptRecord['next'] | 'stale')[]> {
  const now = ports.clock.now()
  const records = finished.map((it) => recordOf(it, now))
  const stored = await ports.db.transaction(async (tx) => {
    const [claims, recorded] = await Promise.all([
      lockWebhookClaims(tx, [...new Set(records.map((it) => it.claimId))]),
      listRecorded(tx, records),
    ])
    const known = new Set(recorded.map(keyOf))
    const valid = records.filter((it) => claims.has(it.claimId) && !known.has(keyOf(it)))
    if (valid.length > 0) {
      // Last, because concurrent batches of an endpoint wait for its row.
      const health = sumAttempts(valid.map((it) => ({ ...it, isSuccess: it.next.kind === 'delivered' })))
      tx.afterCommit(() => publishDeliveries(ports, finished))
      tx.finishWith(...insertAttempts(tx, valid, now), deleteWebhookClaims(tx, endedClaims), addToHealth(tx, health))
    }
    return new Set(valid)
  })
  return records.map((record) => (stored.has(record) ? record.next : 'stale'))
}

function publishDeliveries({ changeFeed }: Ports, changed: readonly { delivery: ClaimedDelivery }[]): void {
  changeFeed.publishTopic('webhooks', () => new Set(changed.map(({ delivery }) => delivery.workspaceId)))
}

function keyOf({ deliveryId, claimId }: { deliveryId: string; claimId: string }): string {
  return `${deliveryId} ${claimId}`
}

export interface Withdrawal {
  delivery: ClaimedDelivery
  /** Null returns the delivery to the queue for any process; the claim does not count (§6.4). */
  failureReason: FailureReason | null
}

/** Ends claims of deliveries that are not posted. */
export async function withdrawFromClaims(ports: Ports, withdrawals: Withdrawal[]): Promise<void> {
  const withdrawn = withdrawals.map(({ delivery: { deliveryId, claimId }, failureReason }) => ({
    deliveryId,
    claimId,
    failureReason,
  }))
  await withdrawDeliveries(ports.db, { withdrawn, now: ports.clock.now() })
  publishDeliveries(ports, withdrawals)
}

function recordOf({ delivery, url, attemptedAt, result }: FinishedAttempt, now: Date): AttemptRecord {
  const { deliveryId, claimId, clientId, number } = delivery
  const answered = result.kind === 'answered'
  return {
    deliveryId,
    claimId,
    clientId,
    number,
    url,
    attemptedAt,
    milliseconds: result.milliseconds,
    statusCode: answered ? result.statusCode : null,
    failure: answered ? null : result.why,
    answerHead: answered ? result.bodyHead : null,
    next: scheduled(afterAttempt(number, result), now),
  }
}

function scheduled(step: NextStep, now: Date): AttemptRecord['next'] {
  return step.kind === 'retry' ? { kind: 'retry', at: new Date(now.getTime() + step.afterSeconds * 1000) } : step
}
