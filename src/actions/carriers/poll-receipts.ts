// What a carrier over HTTP is asked about (D54): noted when it takes a message, claimed when it is due, and put off or over once it was
// asked. What it tells is recorded as any report is.
import type { PollOutcome } from '../../domain/carriers/http/poll.ts'
import { firstPoll, nextPoll, type PollWaits, pollEnd } from '../../domain/carriers/http/poll-times.ts'
import { isFinal } from '../../domain/message-status.ts'
import { submissionKey } from '../../domain/messages/submission.ts'
import {
  type ClaimedPoll,
  claimDuePolls,
  deletePolls,
  insertPolls,
  type NewPoll,
  type PutOff,
  putOffPolls,
} from '../../store/carriers/receipt-polls.ts'
import type { Tx } from '../../store/database/db.ts'
import type { HeardAnswer, StoredAnswers } from '../messages/record-answers.ts'
import type { Ports } from '../ports.ts'

export interface PolledAnswer extends HeardAnswer {
  /** How its carrier is asked for receipts; null where it is not. */
  polled: PollWaits | null
}

/** In the transaction of the answers: what was taken now, and is to be asked about. */
export function notePolls(tx: Tx, stored: StoredAnswers<PolledAnswer>): Promise<void> | null {
  return stored.answers.some((it) => it.polled) ? insertPolls(tx, pollsOf(stored)) : null
}

function pollsOf({ answers, changed, messages, now }: StoredAnswers<PolledAnswer>): NewPoll[] {
  const isChanged = new Map(changed.map((it) => [submissionKey(it), it]))
  const messageOf = new Map(messages.map((it) => [it.id, it]))
  return answers.flatMap((answer) => {
    const { polled, outcome, reference, messageId, ordinal, segment, carrierMessageId } = answer
    const submission = isChanged.get(submissionKey(answer))
    const message = messageOf.get(messageId)
    if (polled === null || outcome !== 'taken' || reference === null || !submission || !message) return []
    const { carrierId, to } = submission
    const times = { dueAt: firstPoll(polled, now), endsAt: pollEnd(message) }
    return [{ messageId, ordinal, segment, carrierId, carrierMessageId, reference, to, ...times }]
  })
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
  const putOff: PutOff[] = []
  const over: ClaimedPoll[] = []
  for (const poll of asked) {
    const times = Math.min(MOST_COUNTED, poll.asked + Number(poll.counts))
    const nextAt = poll.isReported ? null : nextPoll({ asked: times, endsAt: poll.endsAt }, waits, now)
    if (nextAt === null) over.push(poll)
    else putOff.push({ ...poll, asked: times, said: poll.told, nextAt })
  }
  await ports.db.transaction(async (tx) => {
    await deletePolls(tx, over)
    await putOffPolls(tx, putOff)
  })
}

/** What was claimed and not asked after all is due as it was. */
export function giveBackPolls(ports: Ports, polls: ClaimedPoll[]): Promise<void> {
  return ports.db.transaction((tx) =>
    putOffPolls(
      tx,
      polls.map((poll) => ({ ...poll, nextAt: poll.dueAt })),
    ),
  )
}
