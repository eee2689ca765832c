// Records the results of attempts in batches: delivered, failed, or due for a retry (§6.4).
import { type AttemptResult, afterAttempt, type NextStep } from '../../domain/webhooks/webhook-schedule.ts'
import { type ClaimCompletion, completeClaims, releaseClaims } from '../../store/webhooks/webhook-queue.ts'
import type { Ports } from '../ports.ts'
import type { ClaimedAttempt } from './claim-attempts.ts'

export interface FinishedAttempt {
  attempt: ClaimedAttempt
  attemptedAt: Date
  result: AttemptResult
}

export interface AbortedAttempt {
  attempt: ClaimedAttempt
  claimedAt: Date
}

/** The next step of each, in order; 'stale' if the claim has lapsed and the result is not stored. */
export async function recordAttempts(
  ports: Ports,
  finished: FinishedAttempt[],
): Promise<(ClaimCompletion['next'] | 'stale')[]> {
  const now = ports.clock.now()
  const completions = finished.map((it) => completionOf(it, now))
  const held = await completeClaims(ports.db, completions, now)
  return completions.map(({ next }, index) => (held[index] ? next : 'stale'))
}

/** Makes the deliveries due again for any process. The claim does not count (§6.4). */
export async function releaseAttempts(ports: Ports, aborted: AbortedAttempt[]): Promise<void> {
  await releaseClaims(
    ports.db,
    aborted.map(({ attempt: { deliveryId, claimId }, claimedAt }) => ({ deliveryId, claimId, dueAt: claimedAt })),
  )
  ports.notifications.notify('webhooks')
}

function completionOf({ attempt, attemptedAt, result }: FinishedAttempt, now: Date): ClaimCompletion {
  const { deliveryId, claimId, number, url } = attempt
  const answered = result.kind === 'answered'
  return {
    deliveryId,
    claimId,
    attempt: {
      url,
      attemptedAt,
      milliseconds: result.milliseconds,
      statusCode: answered ? result.statusCode : null,
      failure: answered ? null : result.why,
      answerHead: answered ? result.bodyHead : null,
    },
    next: scheduled(afterAttempt(number, result), now),
  }
}

function scheduled(step: NextStep, now: Date): ClaimCompletion['next'] {
  return step.kind === 'retry' ? { kind: 'retry', at: new Date(now.getTime() + step.afterSeconds * 1000) } : step
}
