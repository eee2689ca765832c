// Records the results of postings in batches: delivered, failed, or due for a retry (§6.4).
import { afterPosting, type NextStep, type PostingResult } from '../../domain/webhooks/webhook-schedule.ts'
import { type ClaimCompletion, completeClaims, releaseClaims } from '../../store/webhooks/webhook-queue.ts'
import type { Ports } from '../ports.ts'
import type { ClaimedPosting } from './claim-postings.ts'

export interface FinishedPosting {
  posting: ClaimedPosting
  postedAt: Date
  result: PostingResult
}

export interface Unposted {
  posting: ClaimedPosting
  claimedAt: Date
}

/** The next step of each, in order; 'stale' if the claim has lapsed and the result is not stored. */
export async function recordPostings(
  ports: Ports,
  finished: FinishedPosting[],
): Promise<(ClaimCompletion['next'] | 'stale')[]> {
  const now = ports.clock.now()
  const completions = finished.map((it) => completionOf(it, now))
  const held = await completeClaims(ports.db, completions, now)
  return completions.map(({ next }, index) => (held[index] ? next : 'stale'))
}

/** Makes the deliveries due again for any process. The claim does not count (§6.4). */
export async function releasePostings(ports: Ports, unposted: Unposted[]): Promise<void> {
  await releaseClaims(
    ports.db,
    unposted.map(({ posting: { deliveryId, claimId }, claimedAt }) => ({ deliveryId, claimId, dueAt: claimedAt })),
  )
  ports.notifications.notify('webhooks')
}

function completionOf({ posting, postedAt, result }: FinishedPosting, now: Date): ClaimCompletion {
  const { deliveryId, claimId, number, url } = posting
  const answered = result.kind === 'answered'
  return {
    deliveryId,
    claimId,
    posting: {
      url,
      postedAt,
      milliseconds: result.milliseconds,
      statusCode: answered ? result.statusCode : null,
      failure: answered ? null : result.why,
      answerHead: answered ? result.bodyHead : null,
    },
    next: scheduled(afterPosting(number, result), now),
  }
}

function scheduled(step: NextStep, now: Date): ClaimCompletion['next'] {
  return step.kind === 'retry' ? { kind: 'retry', at: new Date(now.getTime() + step.afterSeconds * 1000) } : step
}
