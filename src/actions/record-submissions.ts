// What carriers answered to submissions, and what follows from it for the messages (D12 to D15).
import { countSubmissions, decideProgress } from '../domain/progress.ts'
import { type SubmissionName, submissionKey } from '../domain/submission.ts'
import type { MessageState } from '../domain/transition.ts'
import type { Tx } from '../store/db.ts'
import { type ClaimName, findWaiting, leaveQueue, lockClaims } from '../store/delivery-queue.ts'
import {
  adoptOrphans,
  insertOrphans,
  insertReports,
  loadReports,
  type MatchedReport,
  type Report,
} from '../store/reports.ts'
import {
  type Answer,
  abandonSubmissions,
  loadSubmissions,
  type NamedByCarrier,
  storeAnswers,
} from '../store/submissions.ts'
import { findLong, lockMessages, lockWorkspacesOf, storeTransitions } from '../store/transitions.ts'
import type { Ports } from './ports.ts'
import { returnMessages } from './return-messages.ts'

/** By then their segments may have been answered too. */
const REST_LOOK_MS = 2_000

/** Safe to repeat: an answer that was recorded before changes nothing. */
export async function recordAnswers(ports: Ports, told: Answer[]): Promise<void> {
  const now = ports.clock.now()
  const answers = oneEach(told)
  await ports.db.transaction(async (tx) => {
    const messageIds = [...new Set(answers.map((it) => it.messageId))]
    await lockWorkspacesOf(tx, await findDoubtful(tx, answers))
    const messages = await lockMessages(tx, messageIds)
    const changed = await storeAnswers(tx, answers, now)
    // A report may overtake the answer that tells whose it is.
    const { reports, rest } = shareOut(await adoptOrphans(tx, changed), changed)
    await insertOrphans(tx, rest, new Date(now.getTime() + REST_LOOK_MS))
    await progress(tx, ports, { messages, reports, now })
  })
  ports.bell.ring('webhooks')
}

/**
 * Early reports and the segments they are about. Where one id stands for all segments of a message, each verdict is about another,
 * and those whose segments are still without an answer wait on.
 */
function shareOut(early: Report[], answered: (SubmissionName & NamedByCarrier)[]) {
  const whose = Map.groupBy(answered, heading)
  const reports: MatchedReport[] = []
  const rest: Report[] = []
  for (const report of early.toSorted((one, other) => one.receivedAt.getTime() - other.receivedAt.getTime())) {
    const own = whose.get(heading(report)) ?? []
    const [name] = own
    if (!name) rest.push(report)
    else reports.push({ ...report, messageId: name.messageId, number: name.number, segment: name.segment })
    if (name && name.ofSegments > 1 && report.status !== 'pending') own.shift()
  }
  return { reports, rest }
}

/** Of a time-out and the answer that comes right behind it, in one batch, the answer stands: the store keeps one row of each. */
function oneEach(answers: Answer[]): Answer[] {
  const kept = new Map<string, Answer>()
  for (const answer of answers) {
    const name = submissionKey(answer)
    if ((kept.get(name)?.outcome ?? 'unknown') === 'unknown') kept.set(name, answer)
  }
  return [...kept.values()]
}

/** Ids repeat: only with the number beside it does one say what it is about. */
function heading({ carrierId, reference, to }: { carrierId: string; reference: string | null; to: string }): string {
  return `${carrierId} ${reference} ${to}`
}

/** What may fail now, and be refunded: also a long message whose last segment is taken after another was refused. */
async function findDoubtful(tx: Tx, answers: Answer[]): Promise<string[]> {
  const { taken = [], others = [] } = Object.groupBy(answers, (it) => (it.outcome === 'taken' ? 'taken' : 'others'))
  const long = await findLong(
    tx,
    taken.map((it) => it.messageId),
  )
  return [...others.map((it) => it.messageId), ...long]
}

/** Claims that were never settled: whoever made them is gone, and what they had open is unknown. */
export async function recordAbandoned(ports: Ports, claims: ClaimName[]): Promise<void> {
  if (claims.length === 0) return
  const now = ports.clock.now()
  const claimOf = new Map(claims.map((it) => [it.messageId, it.claimId]))
  await ports.db.transaction(async (tx) => {
    await lockWorkspacesOf(tx, [...claimOf.keys()])
    const messages = await lockMessages(tx, [...claimOf.keys()])
    // Another process may have settled it meanwhile, and have the message on the wire again under a claim of its own.
    const current = await lockClaims(tx, [...claimOf.keys()])
    const lapsed = new Set(current.filter((it) => it.claimId === claimOf.get(it.messageId)).map((it) => it.messageId))
    await abandonSubmissions(tx, [...lapsed], now)
    await progress(tx, ports, { messages: messages.filter((it) => lapsed.has(it.id)), reports: [], now })
  })
  ports.bell.ring('webhooks')
}

/** Keeps the reports and decides anew where the locked messages stand, from all that is known of their segments. */
export async function progress(
  tx: Tx,
  ports: Ports,
  { messages, reports, now }: { messages: MessageState[]; reports: MatchedReport[]; now: Date },
): Promise<void> {
  await insertReports(tx, reports)
  const ids = messages.map((message) => message.id)
  const [submissions, known, waiting] = await Promise.all([
    loadSubmissions(tx, ids),
    loadReports(tx, ids),
    findWaiting(tx, ids),
  ])
  const submissionsOf = Map.groupBy(submissions, (it) => it.messageId)
  const reportsOf = Map.groupBy(known, (it) => it.messageId)
  const shown = new Map(reports.map((it) => [it.messageId, it]))
  const decided = messages.map((message) => {
    const own = submissionsOf.get(message.id) ?? []
    const report = shown.get(message.id)
    const facts = {
      submissions: own,
      reports: reportsOf.get(message.id) ?? [],
      reportedAt: report?.receivedAt ?? null,
      resendUnknown: own.at(-1)?.resendUnknown ?? false,
      isWaiting: waiting.has(message.id),
    }
    const { dlrAt, ...decision } = decideProgress(message, facts, now)
    const dlr = report && dlrAt ? dlrOf(report, dlrAt) : null
    return { id: message.id, remark: { messageId: message.id, submissions: countSubmissions(own), dlr }, ...decision }
  })
  const leaving = decided.filter((it) => it.queue === 'leave').map((it) => it.id)
  const returning = decided.flatMap(({ id, queue }) => (typeof queue === 'string' ? [] : [{ messageId: id, ...queue }]))
  await storeTransitions(tx, {
    transitions: decided.flatMap((it) => it.transitions),
    remarks: decided.map((it) => it.remark),
    ids: ports.ids,
    now,
  })
  await Promise.all([leaveQueue(tx, leaving), returnMessages(tx, { returns: returning, now })])
}

/** §2.1: the latest report is shown with the message, whatever its status (D13). */
function dlrOf({ state, code, raw }: MatchedReport, at: Date) {
  return { status: state, code, raw, at: at.toISOString() }
}
