// Records the answers of carriers to submissions and updates the messages (D12 to D15).
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
import { matchStoredReports, matchWithin } from './record-reports.ts'

/** An answer with the data of its submission. */
export interface ReceivedAnswer extends SubmissionAnswer, NamedByCarrier {
  workspaceId: string
  /** D61: the price of the carrier, charged if accepted. */
  carrierCostE4: number | null
}

/** Called with accepted submissions in the transaction of their answers. Returns a further write, or null. */
export type OnAccepted = (tx: Tx, accepted: AcceptedSubmission[]) => Promise<void> | null

/** Idempotent. Returns first receipts that waited for these answers. */
export async function recordAnswers(
  ports: Ports,
  received: ReceivedAnswer[],
  onAccepted?: OnAccepted,
): Promise<FirstReceipt[]> {
  const now = ports.clock.now()
  const answers = oneEach(received)
  const messageIds = [...new Set(answers.map((it) => it.messageId))].sort()
  const foreseen = [...new Set(answers.filter(mayFail).map((it) => it.workspaceId))]
  const unanswered = new Set(answers.filter((it) => it.outcome === 'unknown').map((it) => it.messageId))
  const priced = answers.filter((it) => it.outcome === 'accepted' && it.carrierCostE4 !== null)
  const { stations, receipts } = await ports.db.transaction(async (tx) => {
    // Workspaces are locked before messages, in the same round trip as the queries below.
    const workspaces = foreseen.length > 0 ? lockWorkspaces(tx, foreseen) : []
    const locked = lockMessages(tx, messageIds)
    const [changed, early, known, charges] = await Promise.all([
      storeAnswers(tx, answers, now),
      // A report may arrive before the answer that identifies its message.
      claimPendingReports(tx, answers),
      loadSnapshot(tx, locked, messageIds),
      priced.length > 0 ? listCharges(tx, [...new Set(priced.map((it) => it.messageId))]) : [],
      workspaces,
    ])
    const { messages } = known
    const stored = await matchStoredReports(tx, { messages: messages.filter((it) => unanswered.has(it.id)), now })
    const snapshot = stored.length > 0 ? await loadSnapshot(tx, Promise.resolve(messages), messageIds) : known
    tx.finishWith(countCosts(tx, { changed, messages, charges }))
    const more = onAccepted?.(tx, acceptedAmong(answers, { changed, messages, now }))
    if (more) tx.finishWith(more)
    // Reports of segments without an answer stay pending.
    const { news: adopted, rest } = matchWithin(known, early)
    tx.finishWith(insertPendingReports(tx, rest, planFirstMatchAttempt(now)))
    const news = [...adopted, ...stored]
    const stations = await progress(tx, ports, { snapshot, news, counterShard: 'answers', now })
    return { stations, receipts: firstReceipts(snapshot, news) }
  })
  for (const station of stations) ports.notifications.notify(station)
  return receipts
}

/** Submissions that these answers, and no earlier ones, accepted. */
function acceptedAmong(
  answers: ReceivedAnswer[],
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

/** A message may fail, and be refunded, also when its last segment is accepted after another was rejected. */
function mayFail({ outcome, ofSegments }: ReceivedAnswer): boolean {
  return outcome !== 'accepted' || ofSegments > 1
}

/** Keeps one answer per submission: a late answer replaces a timeout in the same batch. */
function oneEach(answers: ReceivedAnswer[]): ReceivedAnswer[] {
  const kept = new Map<string, ReceivedAnswer>()
  for (const answer of answers) {
    const name = submissionKey(answer)
    if ((kept.get(name)?.outcome ?? 'unknown') === 'unknown') kept.set(name, answer)
  }
  return [...kept.values()]
}

/** For lapsed claims: the outcome of their open submissions is unknown. */
export async function recordAbandoned(ports: Ports, claims: QueueClaim[]): Promise<void> {
  if (claims.length === 0) return
  const now = ports.clock.now()
  const claimOf = new Map(claims.map((it) => [it.messageId, it.claimId]))
  const messageIds = [...claimOf.keys()]
  const stations = await ports.db.transaction(async (tx) => {
    await lockWorkspacesOf(tx, messageIds)
    const messages = await lockMessages(tx, messageIds)
    // Another process may have settled the claim and have claimed the message again.
    const current = await lockClaims(tx, messageIds)
    const lapsed = new Set(current.filter((it) => it.claimId === claimOf.get(it.messageId)).map((it) => it.messageId))
    await abandonSubmissions(tx, [...lapsed], now)
    const ours = messages.filter((it) => lapsed.has(it.id))
    const news = await matchStoredReports(tx, { messages: ours, now })
    const snapshot = await loadSnapshot(tx, Promise.resolve(ours), [...lapsed])
    return progress(tx, ports, { snapshot, news, counterShard: 'answers', now })
  })
  for (const station of stations) ports.notifications.notify(station)
}
