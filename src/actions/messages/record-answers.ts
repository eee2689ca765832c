// What carriers answered to submissions, and what follows from it for the messages (D12 to D15).
import { type FirstReceipt, firstReceipts } from '../../domain/messages/first-receipts.ts'
import {
  type AcceptedSubmission,
  type AnsweredSubmission,
  type NamedByCarrier,
  type SubmissionAnswer,
  submissionKey,
} from '../../domain/messages/submission.ts'
import type { MessageState } from '../../domain/messages/transition.ts'
import { planFirstMatchAttempt } from '../../domain/messages/unmatched-reports.ts'
import { listCharges } from '../../store/carriers/carrier-costs.ts'
import type { Tx } from '../../store/database/db.ts'
import { lockClaims, type QueueClaim } from '../../store/messages/delivery-queue.ts'
import { claimPendingReports, insertPendingReports } from '../../store/messages/reports.ts'
import { abandonSubmissions, storeAnswers } from '../../store/messages/submissions.ts'
import { lockMessages, lockWorkspacesOf } from '../../store/messages/transitions.ts'
import { lockWorkspaces } from '../../store/workspaces/workspaces.ts'
import type { Ports } from '../ports.ts'
import { countCosts, loadSnapshot, progress } from './progress.ts'
import { adoptStored, matchWithin } from './record-reports.ts'

/** An answer, and what its submission was: whoever wrote it still knows. */
export interface HeardAnswer extends SubmissionAnswer, NamedByCarrier {
  workspaceId: string
  /** D61: what its carrier charges where it took it. */
  carrierCostE4: number | null
}

/** Told of accepted submissions in the transaction that stores their answers. Returns what it stores beside them, or null. */
export type OnAccepted = (tx: Tx, accepted: AcceptedSubmission[]) => Promise<void> | null

/** Safe to repeat: an answer that was recorded before changes nothing. Returns the first receipts, which had been waiting for these. */
export async function recordAnswers(
  ports: Ports,
  told: HeardAnswer[],
  onAccepted?: OnAccepted,
): Promise<FirstReceipt[]> {
  const now = ports.clock.now()
  const answers = oneEach(told)
  const messageIds = [...new Set(answers.map((it) => it.messageId))].sort()
  const foreseen = [...new Set(answers.filter(mayFail).map((it) => it.workspaceId))]
  const unanswered = new Set(answers.filter((it) => it.outcome === 'unknown').map((it) => it.messageId))
  const priced = answers.filter((it) => it.outcome === 'accepted' && it.carrierCostE4 !== null)
  const { stations, receipts } = await ports.db.transaction(async (tx) => {
    // Locks of workspaces come before those of messages, in the same trip as everything below.
    const workspaces = foreseen.length > 0 ? lockWorkspaces(tx, foreseen) : []
    const locked = lockMessages(tx, messageIds)
    const [changed, early, known, charges] = await Promise.all([
      storeAnswers(tx, answers, now),
      // A report may overtake the answer that tells whose it is.
      claimPendingReports(tx, answers),
      loadSnapshot(tx, locked, messageIds),
      priced.length > 0 ? listCharges(tx, [...new Set(priced.map((it) => it.messageId))]) : [],
      workspaces,
    ])
    const { messages } = known
    const stored = await adoptStored(tx, { messages: messages.filter((it) => unanswered.has(it.id)), now })
    const snapshot = stored.length > 0 ? await loadSnapshot(tx, Promise.resolve(messages), messageIds) : known
    tx.finishWith(countCosts(tx, { changed, messages, charges }))
    const more = onAccepted?.(tx, acceptedAmong(answers, { changed, messages, now }))
    if (more) tx.finishWith(more)
    // Those whose segments are still without an answer wait on.
    const { news: adopted, rest } = matchWithin(known, early)
    tx.finishWith(insertPendingReports(tx, rest, planFirstMatchAttempt(now)))
    const news = [...adopted, ...stored]
    const stations = await progress(tx, ports, { snapshot, news, counterShard: 'answers', now })
    return { stations, receipts: firstReceipts(snapshot, news) }
  })
  for (const station of stations) ports.notifications.notify(station)
  return receipts
}

/** What was taken with these answers, and not before. */
function acceptedAmong(
  answers: HeardAnswer[],
  { changed, messages, now }: { changed: AnsweredSubmission[]; messages: MessageState[]; now: Date },
): AcceptedSubmission[] {
  const isChanged = new Set(changed.map(submissionKey))
  const messageOf = new Map(messages.map((it) => [it.id, it]))
  return answers.flatMap((answer) => {
    const { outcome, messageId, ordinal, segment, carrierId, carrierMessageId, reference, to } = answer
    const message = messageOf.get(messageId)
    if (outcome !== 'accepted' || reference === null || !message || !isChanged.has(submissionKey(answer))) return []
    return [{ messageId, ordinal, segment, carrierId, carrierMessageId, reference, to, message, acceptedAt: now }]
  })
}

/** Then it is refunded: also a long message whose last segment is taken after another was refused. */
function mayFail({ outcome, ofSegments }: HeardAnswer): boolean {
  return outcome !== 'accepted' || ofSegments > 1
}

/** Of a time-out and the answer that comes right behind it, in one batch, the answer stands: the store keeps one row of each. */
function oneEach(answers: HeardAnswer[]): HeardAnswer[] {
  const kept = new Map<string, HeardAnswer>()
  for (const answer of answers) {
    const name = submissionKey(answer)
    if ((kept.get(name)?.outcome ?? 'unknown') === 'unknown') kept.set(name, answer)
  }
  return [...kept.values()]
}

/** Claims that were never settled: whoever made them is gone, and what they had open is unknown. */
export async function recordAbandoned(ports: Ports, claims: QueueClaim[]): Promise<void> {
  if (claims.length === 0) return
  const now = ports.clock.now()
  const claimOf = new Map(claims.map((it) => [it.messageId, it.claimId]))
  const messageIds = [...claimOf.keys()]
  const stations = await ports.db.transaction(async (tx) => {
    await lockWorkspacesOf(tx, messageIds)
    const messages = await lockMessages(tx, messageIds)
    // Another process may have settled it meanwhile, and have the message on the wire again under a claim of its own.
    const current = await lockClaims(tx, messageIds)
    const lapsed = new Set(current.filter((it) => it.claimId === claimOf.get(it.messageId)).map((it) => it.messageId))
    await abandonSubmissions(tx, [...lapsed], now)
    const ours = messages.filter((it) => lapsed.has(it.id))
    const news = await adoptStored(tx, { messages: ours, now })
    const snapshot = await loadSnapshot(tx, Promise.resolve(ours), [...lapsed])
    return progress(tx, ports, { snapshot, news, counterShard: 'answers', now })
  })
  for (const station of stations) ports.notifications.notify(station)
}
