// Receipt polling of HTTP carriers (D54): schedules, claims and settles polls.
import type { PollOutcome } from '../../domain/carriers/http/poll.ts'
import { firstPoll, nextPoll, type PollWaits, pollEnd } from '../../domain/carriers/http/poll-times.ts'
import { isFinal } from '../../domain/message-status.ts'
import type { AcceptedSubmission } from '../../domain/messages/submission.ts'
import {
  type ClaimedPoll,
  claimDuePolls,
  type DeferredPoll,
  deferPolls,
  deletePolls,
  insertPolls,
} from '../../store/carriers/receipt-polls.ts'
import type { Tx } from '../../store/database/db.ts'
import type { Ports } from '../ports.ts'

/** Runs in the transaction that stores the answers. Carriers without waits are not polled. */
export function schedulePolls(
  tx: Tx,
  accepted: AcceptedSubmission[],
  waitsOf: (carrierId: string) => PollWaits | undefined,
): Promise<void> | null {
  const polls = accepted.flatMap(({ message, acceptedAt, ...submission }) => {
    const waits = waitsOf(submission.carrierId)
    return waits ? [{ ...submission, dueAt: firstPoll(waits, acceptedAt), endsAt: pollEnd(message) }] : []
  })
  return polls.length > 0 ? insertPolls(tx, polls) : null
}

/** Claims due polls and deletes those of final messages. `worked` is true if any poll was due. */
export async function claimPolls(
  ports: Ports,
  { carrierId, most, leaseMs }: { carrierId: string; most: number; leaseMs: number },
): Promise<{ worked: boolean; polls: ClaimedPoll[] }> {
  const now = ports.clock.now()
  const leasedUntil = new Date(now.getTime() + leaseMs)
  return ports.db.transaction(async (tx) => {
    const claimed = await claimDuePolls(tx, { carrierId, now, leasedUntil, limit: most })
    const isOver = ({ status, endsAt }: (typeof claimed)[number]) =>
      endsAt <= now || (status !== null && isFinal(status))
    await deletePolls(tx, claimed.filter(isOver))
    return { worked: claimed.length > 0, polls: claimed.filter((it) => !isOver(it)) }
  })
}

export interface FinishedPoll extends ClaimedPoll {
  /** Its final receipt is stored. */
  isReported: boolean
  /** The reported state, as stored. */
  state: string
  /** False if the carrier throttled the poll or did not answer. */
  counts: boolean
}

const UNCOUNTED: readonly PollOutcome[] = ['throttled', 'unanswered']

export function countsAsAttempt(outcome: PollOutcome): boolean {
  return !UNCOUNTED.includes(outcome)
}

/** The waits no longer grow beyond this count. */
const MAX_COUNTED = 1_000

export async function settlePolls(ports: Ports, polled: FinishedPoll[], waits: PollWaits): Promise<void> {
  const now = ports.clock.now()
  const putOff: DeferredPoll[] = []
  const over: ClaimedPoll[] = []
  for (const poll of polled) {
    const times = Math.min(MAX_COUNTED, poll.attempts + Number(poll.counts))
    const nextAt = poll.isReported ? null : nextPoll({ attempts: times, endsAt: poll.endsAt }, waits, now)
    if (nextAt === null) over.push(poll)
    else putOff.push({ ...poll, attempts: times, said: poll.state, nextAt })
  }
  await ports.db.transaction(async (tx) => {
    await deletePolls(tx, over)
    await deferPolls(tx, putOff)
  })
}

/** Releases claimed polls that were not sent. They are due as before. */
export function releasePolls(ports: Ports, polls: ClaimedPoll[]): Promise<void> {
  return ports.db.transaction((tx) =>
    deferPolls(
      tx,
      polls.map((poll) => ({ ...poll, nextAt: poll.dueAt })),
    ),
  )
}
