// What carriers answered to submissions, and what follows from it for the messages (D12 to D15).
import { type FirstReceipt, firstReceipts } from '../../domain/messages/first-receipts.ts'
import { type SubmissionName, submissionKey } from '../../domain/messages/submission.ts'
import type { MessageState } from '../../domain/messages/transition.ts'
import { listCharges } from '../../store/carriers/carrier-costs.ts'
import type { Tx } from '../../store/database/db.ts'
import { type ClaimName, lockClaims } from '../../store/messages/delivery-queue.ts'
import { adoptOrphans, insertOrphans, type MatchedReport, type Report } from '../../store/messages/reports.ts'
import {
  type Answer,
  type AnsweredSubmission,
  abandonSubmissions,
  type NamedByCarrier,
  storeAnswers,
} from '../../store/messages/submissions.ts'
import { lockMessages, lockWorkspacesOf } from '../../store/messages/transitions.ts'
import { lockWorkspaces } from '../../store/workspaces/workspaces.ts'
import type { Ports } from '../ports.ts'
import { countCosts, loadSnapshot, progress } from './progress.ts'
import { adoptStored } from './record-reports.ts'

/** By then their segments may have been answered too. */
const REST_LOOK_MS = 2_000

/** An answer, and what its submission was: whoever wrote it still knows. */
export interface HeardAnswer extends Answer, NamedByCarrier {
  workspaceId: string
  /** D61: what its carrier charges where it took it. */
  carrierCostE4: number | null
}

/** The answers of a batch, with what they changed. */
export interface StoredAnswers<Heard extends HeardAnswer> {
  answers: Heard[]
  /** The submissions that had not been answered before. */
  changed: AnsweredSubmission[]
  messages: MessageState[]
  now: Date
}

/** Safe to repeat: an answer that was recorded before changes nothing. Returns the first receipts, which had been waiting for these. */
export async function recordAnswers<Heard extends HeardAnswer>(
  ports: Ports,
  told: Heard[],
  onStored?: (tx: Tx, stored: StoredAnswers<Heard>) => Promise<void> | null,
): Promise<FirstReceipt[]> {
  const now = ports.clock.now()
  const answers = oneEach(told)
  const messageIds = [...new Set(answers.map((it) => it.messageId))].sort()
  const foreseen = [...new Set(answers.filter(mayFail).map((it) => it.workspaceId))]
  const unanswered = new Set(answers.filter((it) => it.outcome === 'unknown').map((it) => it.messageId))
  const priced = answers.filter((it) => it.outcome === 'taken' && it.carrierCostE4 !== null)
  const { stations, receipts } = await ports.db.transaction(async (tx) => {
    // Locks of workspaces come before those of messages, in the same trip as everything below.
    const workspaces = foreseen.length > 0 ? lockWorkspaces(tx, foreseen) : []
    const locked = lockMessages(tx, messageIds)
    const [changed, early, known, charges] = await Promise.all([
      storeAnswers(tx, answers, now),
      // A report may overtake the answer that tells whose it is.
      adoptOrphans(tx, answers),
      loadSnapshot(tx, locked, messageIds),
      priced.length > 0 ? listCharges(tx, [...new Set(priced.map((it) => it.messageId))]) : [],
      workspaces,
    ])
    const { messages } = known
    const stored = await adoptStored(tx, { messages: messages.filter((it) => unanswered.has(it.id)), now })
    const snapshot = stored.length > 0 ? await loadSnapshot(tx, Promise.resolve(messages), messageIds) : known
    tx.finishWith(countCosts(tx, { changed, messages, charges }))
    const more = onStored?.(tx, { answers, changed, messages, now })
    if (more) tx.finishWith(more)
    const { reports: adopted, rest } = shareOut(early, changed)
    const reports = [...adopted, ...stored]
    tx.finishWith(insertOrphans(tx, rest, new Date(now.getTime() + REST_LOOK_MS)))
    const stations = await progress(tx, ports, { snapshot, news: reports, counterShard: 'answers', now })
    return { stations, receipts: firstReceipts(snapshot, reports) }
  })
  for (const station of stations) ports.notifications.notify(station)
  return receipts
}

/** Then it is refunded: also a long message whose last segment is taken after another was refused. */
function mayFail({ outcome, ofSegments }: HeardAnswer): boolean {
  return outcome !== 'taken' || ofSegments > 1
}

/**
 * Early reports and the segments they are about. Where one id stands for all segments of a message, each verdict is about another,
 * and those whose segments are still without an answer wait on.
 */
function shareOut(early: Report[], answered: (SubmissionName & NamedByCarrier)[]) {
  const newest = answered.toSorted((one, other) => other.claimedAt.getTime() - one.claimedAt.getTime())
  const byNumber = Map.groupBy(newest, heading)
  const byId = Map.groupBy(newest, (it) => heading({ ...it, to: '' }))
  const taken = new Set<string>()
  const reports: MatchedReport[] = []
  const rest: Report[] = []
  for (const report of early.toSorted((one, other) => one.receivedAt.getTime() - other.receivedAt.getTime())) {
    const [likeliest, ...others] = (report.to === '' ? byId : byNumber).get(heading(report)) ?? []
    const own = likeliest ? [likeliest, ...others.filter((it) => it.messageId === likeliest.messageId)] : []
    const name = own.find((it) => !taken.has(submissionKey(it)))
    if (!name) rest.push(report)
    else reports.push({ ...report, messageId: name.messageId, ordinal: name.ordinal, segment: name.segment })
    if (name && name.ofSegments > 1 && report.status !== 'pending') taken.add(submissionKey(name))
  }
  return { reports, rest }
}

/** Of a time-out and the answer that comes right behind it, in one batch, the answer stands: the store keeps one row of each. */
function oneEach<Heard extends HeardAnswer>(answers: Heard[]): Heard[] {
  const kept = new Map<string, Heard>()
  for (const answer of answers) {
    const name = submissionKey(answer)
    if ((kept.get(name)?.outcome ?? 'unknown') === 'unknown') kept.set(name, answer)
  }
  return [...kept.values()]
}

/** Ids repeat: with the number beside it one says what it is about; one that names none is about the latest (D65). */
function heading({ carrierId, reference, to }: { carrierId: string; reference: string | null; to: string }): string {
  return `${carrierId} ${reference} ${to}`
}

/** Claims that were never settled: whoever made them is gone, and what they had open is unknown. */
export async function recordAbandoned(ports: Ports, claims: ClaimName[]): Promise<void> {
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
