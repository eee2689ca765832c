// Records the reports of carriers on segments (D13). Reports may be out of order, repeated, late, or ahead of the answer.
import { DAY_MS } from '../../domain/durations.ts'
import { type FirstReceipt, firstReceipts } from '../../domain/messages/first-receipts.ts'
import { inMessageTrace } from '../../domain/messages/message-trace.ts'
import type { Report } from '../../domain/messages/report.ts'
import {
  isAbout,
  type Match,
  type MatchScope,
  matchReports,
  matchScopeOf,
} from '../../domain/messages/report-matching.ts'
import {
  type AnsweredSubmission,
  messageIdOf,
  type SubmissionName,
  submissionKey,
} from '../../domain/messages/submission.ts'
import type { MessageState } from '../../domain/messages/transition.ts'
import { isShown, planFirstMatchAttempt, planUnmatched } from '../../domain/messages/unmatched-reports.ts'
import { countBy } from '../../runtime/count-by.ts'
import type { EndedSpan } from '../../runtime/tracer.ts'
import { listCharges } from '../../store/carriers/carrier-costs.ts'
import { listTestReportIds, storeTestReports } from '../../store/carriers/carrier-tests.ts'
import { isUnexpectedCount, type Tx } from '../../store/database/db.ts'
import type { NotifiedRole } from '../../store/database/notifications.ts'
import {
  deletePendingReports,
  insertPendingReports,
  listDuePendingReports,
  listUnanswered,
  lockPendingReports,
  lockPendingReportsOf,
  type MatchedReport,
  type PendingReport,
  reschedulePendingReports,
} from '../../store/messages/reports.ts'
import {
  acceptUnknown,
  listReportedSubmissions,
  loadSubmissions,
  type ReportedSubmission,
} from '../../store/messages/submissions.ts'
import { lockMessages, lockWorkspacesOf } from '../../store/messages/transitions.ts'
import { deleteUnmatched, insertUnmatched } from '../../store/messages/unmatched-receipts.ts'
import type { Ports } from '../ports.ts'
import { countCosts, loadSnapshot, type MessageSnapshot, mergeSnapshots, NO_MESSAGES, progress } from './progress.ts'

/** How old a message without an answer may be for a report to be its missing answer: longer than any validity. */
const UNKNOWN_SINCE_MS = 7 * DAY_MS
const PENDING_AT_ONCE = 200

/** A report is acknowledged only after this resolves. Returns the first receipts of segments. */
export async function recordReports(ports: Ports, reports: Report[]): Promise<FirstReceipt[]> {
  try {
    return await recordBatch(ports, reports, { isUnlocked: true })
  } catch (error) {
    // A message has changed since it was read.
    if (!isUnexpectedCount(error)) throw error
    return recordBatch(ports, reports, { isUnlocked: false })
  }
}

async function recordBatch(
  ports: Ports,
  reports: Report[],
  { isUnlocked }: { isUnlocked: boolean },
): Promise<FirstReceipt[]> {
  const now = ports.clock.now()
  const { pending, roles, receipts, newReports } = await ports.db.transaction(async (tx) => {
    const scopes = reports.map((it) => matchScopeOf(it, { hasWaited: false }))
    const { common, others } = isUnlocked
      ? await findCommon(tx, reports, scopes)
      : { common: NO_COMMON, others: scopes.keys().toArray() }
    const candidates = { candidatesIn: others.flatMap((index) => scopes[index] ?? []) }
    const locked =
      others.length > 0 ? await loadSnapshot(tx, lockBeside(tx, scopes, common.snapshot), candidates) : NO_MESSAGES
    const matched = matchWithin(
      locked,
      reports.filter((_, index) => !common.reports.has(index)),
    )
    const { rest } = matched
    const newReports = [...common.newReports, ...matched.newReports]
    const snapshot = mergeSnapshots(common.snapshot, matched.snapshot)
    tx.finishWith(insertPendingReports(tx, rest, planFirstMatchAttempt(now)))
    const roles = await progress(tx, ports, { snapshot, newReports, counterShard: 'reports', now })
    return { pending: rest.length, roles, receipts: firstReceipts(snapshot, newReports), newReports }
  })
  if (ports.tracer) for (const report of newReports) ports.tracer.record(receiptSpan(report))
  // Another process may have stored the answer concurrently without seeing this report, so pending reports are matched again soon.
  if (pending > 0) ports.notifications.notify('pendingReports')
  for (const role of roles) ports.notifications.notify(role)
  return receipts
}

function receiptSpan({ messageId, segment, status, state }: MatchedReport): EndedSpan {
  return {
    ...inMessageTrace(messageId),
    name: 'record delivery receipt',
    kind: 'internal',
    milliseconds: 0,
    attributes: { 'hulaki.segment': segment, 'hulaki.receipt_status': status, 'hulaki.receipt_state': state },
  }
}

/** Locks the candidates of all reports at once: updates of common messages would follow these locks otherwise, and could deadlock. */
async function lockBeside(tx: Tx, scopes: MatchScope[], common: MessageSnapshot): Promise<MessageState[]> {
  const isCommon = new Set(common.messages.map((it) => it.id))
  const locked = await lockMessages(tx, { candidatesIn: scopes })
  return locked.filter((it) => !isCommon.has(it.id))
}

interface CommonReports {
  /** Indexes of these reports. */
  reports: ReadonlySet<number>
  newReports: MatchedReport[]
  snapshot: MessageSnapshot
}

const NO_COMMON: CommonReports = { reports: new Set(), newReports: [], snapshot: NO_MESSAGES }

/**
 * Final reports on sent messages of one segment and one submission that have no report yet. These messages are not locked: the update fails
 * if they have changed. `others` are indexes of the other reports, without those that no submission can match.
 */
async function findCommon(
  tx: Tx,
  reports: Report[],
  scopes: MatchScope[],
): Promise<{ common: CommonReports; others: number[] }> {
  const found = await listReportedSubmissions(tx, scopes)
  const ofReport = countBy(found, (it) => it.nth)
  const ofMessage = countBy(found, (it) => it.id)
  const messages: ReportedSubmission[] = []
  const newReports: MatchedReport[] = []
  const common = new Set<number>()
  const others = new Set<number>()
  for (const submission of found) {
    const index = submission.nth - 1
    const report = reports[index]
    if (!report) continue
    const isOnlyOne = ofReport.get(submission.nth) === 1 && ofMessage.get(submission.id) === 1
    if (isOnlyOne && report.status !== 'pending' && isUnreported(submission) && isAbout(report, submission)) {
      const { messageId, ordinal, segment } = submission
      messages.push(submission)
      newReports.push({ ...report, messageId, ordinal, segment })
      common.add(index)
    } else {
      others.add(index)
    }
  }
  const unreported = new Set(messages.map((it) => it.id))
  const snapshot = { messages, submissions: messages, reports: [], unreported }
  return { common: { reports: common, newReports, snapshot }, others: [...others] }
}

function isUnreported(it: ReportedSubmission): boolean {
  const isFirst = it.ordinal === 1 && it.attempts === 1 && it.ofSegments === 1
  return isFirst && it.status === 'sent' && !it.isReported && it.outcome === 'accepted' && it.receipts !== 'none'
}

/** Splits new reports into matches with locked messages and the rest. */
export function matchWithin(
  known: MessageSnapshot,
  reports: Report[],
): { snapshot: MessageSnapshot; newReports: MatchedReport[]; rest: Report[] } {
  if (reports.length === 0) return { snapshot: { ...known, messages: [] }, newReports: [], rest: [] }
  const matches = matchReports(reports, known)
  const isLocked = new Set(known.messages.map((it) => it.id))
  const newReports: MatchedReport[] = []
  const rest: Report[] = []
  for (const report of reports) {
    const name = matches.get(report.id)?.name
    // An answer stored between the lock and the read matches an unlocked message; the next match finds it.
    if (name && isLocked.has(name.messageId)) newReports.push({ ...report, ...name })
    else rest.push(report)
  }
  const isMatched = new Set(newReports.map((it) => it.messageId))
  return { snapshot: { ...known, messages: known.messages.filter((it) => isMatched.has(it.id)) }, newReports, rest }
}

/** Matches due pending reports again. Returns how many were checked and the first receipts of segments. */
export async function matchPendingReports(ports: Ports): Promise<{ looked: number; receipts: FirstReceipt[] }> {
  const now = ports.clock.now()
  const { roles, ...done } = await ports.db.transaction(async (tx) => {
    const due = await listDuePendingReports(tx, { now, limit: PENDING_AT_ONCE })
    if (due.length === 0) return { looked: 0, roles: [], receipts: [] }
    const matches = await matchWaiting(tx, due, now)
    // Lock order as in recordAnswers: workspaces, messages, pending reports.
    const messageIds = [...new Set(Array.from(matches.values(), (it) => it.name.messageId))]
    await lockWorkspacesOf(tx, messageIds)
    const locked = await lockMessages(tx, messageIds)
    const ours = await lockPendingReports(tx, { ids: due.map((it) => it.id), now })
    const pending = due.filter((it) => ours.has(it.id))
    const found = await settleMatches(tx, { pending, matches, messages: locked, now })
    await closePendingReports(tx, ports, { pending, found: new Set(found.map((it) => it.id)), now })
    const snapshot = await loadSnapshot(tx, Promise.resolve(locked), messageIds)
    const roles = await progress(tx, ports, { snapshot, newReports: found, counterShard: 'reports', now })
    return { looked: pending.length, roles, receipts: firstReceipts(snapshot, found) }
  })
  for (const role of roles) ports.notifications.notify(role)
  return done
}

/**
 * Matches stored pending reports with messages that will get no answer. Without it, a delivered OTP could be sent twice or refunded (D15). The
 * messages must be locked and have no open submissions. `progress` stores the returned reports.
 */
export async function matchStoredReports(
  tx: Tx,
  { messages, now }: { messages: MessageState[]; now: Date },
): Promise<MatchedReport[]> {
  const ids = new Set(messages.map((it) => it.id))
  const pending = ids.size > 0 ? await lockPendingReportsOf(tx, [...ids]) : []
  if (pending.length === 0) return []
  const all = await matchWaiting(tx, pending, now)
  const matches = new Map([...all].filter(([, it]) => ids.has(it.name.messageId)))
  const found = await settleMatches(tx, { pending, matches, messages, now })
  await deletePendingReports(
    tx,
    found.map((it) => it.id),
  )
  await deleteUnmatched(
    tx,
    found.filter((it) => isShown(it.matchAttempts)),
  )
  return found
}

/** Like matchStoredReports, and updates the matched messages. Returns their ids and the roles with new work. */
export async function settleStored(
  tx: Tx,
  ports: Ports,
  { messages, now }: { messages: MessageState[]; now: Date },
): Promise<{ settled: ReadonlySet<string>; roles: NotifiedRole[] }> {
  const newReports = await matchStoredReports(tx, { messages, now })
  const settled = new Set(newReports.map((it) => it.messageId))
  if (settled.size === 0) return { settled, roles: [] }
  const own = messages.filter((it) => settled.has(it.id))
  const snapshot = await loadSnapshot(tx, Promise.resolve(own), [...settled])
  return { settled, roles: await progress(tx, ports, { snapshot, newReports, counterShard: 'reports', now }) }
}

/** D15: for reports that have waited long enough for an answer to arrive. */
async function matchWaiting(tx: Tx, reports: PendingReport[], now: Date): Promise<Map<string, Match>> {
  const since = new Date(now.getTime() - UNKNOWN_SINCE_MS)
  const [known, unanswered, ofTests] = await Promise.all([
    loadSubmissions(tx, { candidatesIn: reports.map((it) => matchScopeOf(it, { hasWaited: true })) }),
    listUnanswered(tx, reports, since),
    listTestReportIds(tx, reports),
  ])
  return matchReports(reports, { ...known, waited: { unanswered, ofTests } })
}

/** Settles the matched submissions and returns the reports that belong to them. */
async function settleMatches(
  tx: Tx,
  { pending, matches, messages, now }: { messages: MessageState[] } & Matched,
): Promise<(PendingReport & SubmissionName)[]> {
  const changed = await settleUnknown(tx, { pending, matches, now })
  const charges =
    changed.length > 0
      ? await listCharges(
          tx,
          messages.map((it) => it.id),
        )
      : []
  await countCosts(tx, { changed, messages, charges })
  const settled = new Set(changed.map(submissionKey))
  return pending.flatMap((report) => {
    const match = matches.get(report.id)
    return match && (match.by === 'id' || settled.has(submissionKey(match.name))) ? [{ ...report, ...match.name }] : []
  })
}

interface Matched {
  pending: PendingReport[]
  matches: ReadonlyMap<string, Match>
  now: Date
}

/** Stores the answers that reports imply. Returns the submissions that had none until now. */
async function settleUnknown(tx: Tx, { pending, matches, now }: Matched): Promise<AnsweredSubmission[]> {
  const answers = pending.flatMap(({ id, reference }) => {
    const match = matches.get(id)
    if (match?.by !== 'number') return []
    // Our own reference is not a message id of the carrier.
    const carrierMessageId = messageIdOf(reference) === match.name.messageId ? null : reference
    return [{ ...match.name, carrierMessageId, reference }]
  })
  return answers.length > 0 ? acceptUnknown(tx, answers, now) : []
}

/** Deletes matched reports and reports of carrier tests, and schedules or ends the others. */
async function closePendingReports(
  tx: Tx,
  { changeFeed }: Ports,
  { pending, found, now }: { pending: PendingReport[]; found: ReadonlySet<string>; now: Date },
): Promise<void> {
  const unmatched = pending.filter((it) => !found.has(it.id))
  const settled = await storeTestReports(tx, unmatched)
  const { again, over, show, hide } = planUnmatched(pending, { found, settled, now })
  await deletePendingReports(
    tx,
    over.map((it) => it.id),
  )
  await reschedulePendingReports(tx, again)
  await insertUnmatched(tx, show, now)
  await deleteUnmatched(tx, hide)
  if (settled.size + show.length + hide.length > 0) tx.afterCommit(() => changeFeed.publishIn(null, 'carriers'))
}
