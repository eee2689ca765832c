// What a carrier over HTTP is asked about (D54): noted when it takes a message, claimed when it is due, and put off or over once it was
// asked. What it tells is recorded as any report is.
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

/** In the transaction that stores the answers: when to ask about what was accepted. Carriers without waits are not asked. */
export function notePolls(
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

/** Up to so many of those that are due; what has come to its end meanwhile is not asked about. Says whether there was any. */
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

/** What became of one question. */
export interface AskedPoll extends ClaimedPoll {
  /** Its last word is stored. */
  isReported: boolean
  /** The state that was told, as it was stored. */
  told: string
  /** Whether the carrier gave an answer: being throttled, or silence, is no question asked. */
  counts: boolean
}

const UNCOUNTED: readonly PollOutcome[] = ['throttled', 'unanswered']

export function countsAsAsked(outcome: PollOutcome): boolean {
  return !UNCOUNTED.includes(outcome)
}

/** More are not counted: the waits do not grow any more by then. */
const MOST_COUNTED = 1_000

export async function settlePolls(ports: Ports, asked: AskedPoll[], waits: PollWaits): Promise<void> {
  const now = ports.clock.now()
  const putOff: DeferredPoll[] = []
  const over: ClaimedPoll[] = []
  for (const poll of asked) {
    const times = Math.min(MOST_COUNTED, poll.asked + Number(poll.counts))
    const nextAt = poll.isReported ? null : nextPoll({ asked: times, endsAt: poll.endsAt }, waits, now)
    if (nextAt === null) over.push(poll)
    else putOff.push({ ...poll, asked: times, said: poll.told, nextAt })
  }
  await ports.db.transaction(async (tx) => {
    await deletePolls(tx, over)
    await deferPolls(tx, putOff)
  })
}

/** What was claimed and not asked after all is due as it was. */
export function giveBackPolls(ports: Ports, polls: ClaimedPoll[]): Promise<void> {
  return ports.db.transaction((tx) =>
    deferPolls(
      tx,
      polls.map((poll) => ({ ...poll, nextAt: poll.dueAt })),
    ),
  )
}
