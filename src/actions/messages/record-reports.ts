// What carriers report on segments they took (D13), in any order, twice, late, or before we know whose they are.

import { type FirstReceipt, firstReceipts } from '../../domain/messages/first-receipts.ts'
import type { Report } from '../../domain/messages/report.ts'
import { type Match, matchReports, matchScopeOf } from '../../domain/messages/report-matching.ts'
import {
  type AnsweredSubmission,
  messageIdOf,
  type SubmissionName,
  submissionKey,
} from '../../domain/messages/submission.ts'
import type { MessageState } from '../../domain/messages/transition.ts'
import { isShown, planFirstMatchAttempt, planUnmatched } from '../../domain/messages/unmatched-reports.ts'
import { listCharges } from '../../store/carriers/carrier-costs.ts'
import { listTestReportIds, storeTestReports } from '../../store/carriers/carrier-tests.ts'
import type { Tx } from '../../store/database/db.ts'
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
import { loadSubmissions, storeAnswers } from '../../store/messages/submissions.ts'
import { lockMessages, lockWorkspacesOf } from '../../store/messages/transitions.ts'
import { deleteUnmatched, insertUnmatched } from '../../store/messages/unmatched-receipts.ts'
import type { Ports } from '../ports.ts'
import { countCosts, loadSnapshot, type MessageSnapshot, progress } from './progress.ts'

/** How far back a message without an answer may lie for a report to be its missing word: longer than any lives. */
const UNKNOWN_SINCE_MS = 7 * 24 * 3600 * 1000
const ORPHANS_AT_ONCE = 200
/**
 * A report is acknowledged only after this has returned: until then it is the carrier's to keep. Returns those that ended the wait for
 * a segment that is known.
 */
export async function recordReports(ports: Ports, reports: Report[]): Promise<FirstReceipt[]> {
  const now = ports.clock.now()
  const { orphaned, stations, receipts } = await ports.db.transaction(async (tx) => {
    const candidates = { candidatesIn: reports.map((it) => matchScopeOf(it, { hasWaited: false })) }
    const known = await loadSnapshot(tx, lockMessages(tx, candidates), candidates)
    const { snapshot, news, rest } = matchWithin(known, reports)
    tx.finishWith(insertPendingReports(tx, rest, planFirstMatchAttempt(now)))
    const stations = await progress(tx, ports, { snapshot, news, counterShard: 'reports', now })
    return { orphaned: rest.length, stations, receipts: firstReceipts(snapshot, news) }
  })
  // Where another process recorded the answer at this very moment, neither saw the other's: the next look is to be in time.
  if (orphaned > 0) ports.notifications.notify('orphans')
  for (const station of stations) ports.notifications.notify(station)
  return receipts
}

/** Of reports that are new: those that are about messages which are known and locked, these messages, and the other reports. */
export function matchWithin(
  known: MessageSnapshot,
  reports: Report[],
): { snapshot: MessageSnapshot; news: MatchedReport[]; rest: Report[] } {
  const matches = matchReports(reports, known)
  const isLocked = new Set(known.messages.map((it) => it.id))
  const news: MatchedReport[] = []
  const rest: Report[] = []
  for (const report of reports) {
    const name = matches.get(report.id)?.name
    // Its answer may have been stored between the lock and what was read behind it: then the next look finds the message.
    if (name && isLocked.has(name.messageId)) news.push({ ...report, ...name })
    else rest.push(report)
  }
  const isMatched = new Set(news.map((it) => it.messageId))
  return { snapshot: { ...known, messages: known.messages.filter((it) => isMatched.has(it.id)) }, news, rest }
}

/** Looks again for the submissions of orphaned reports. Returns how many orphans were looked at, and what was found for segments. */
export async function matchOrphans(ports: Ports): Promise<{ looked: number; receipts: FirstReceipt[] }> {
  const now = ports.clock.now()
  const { stations, ...done } = await ports.db.transaction(async (tx) => {
    const due = await listDuePendingReports(tx, { now, limit: ORPHANS_AT_ONCE })
    if (due.length === 0) return { looked: 0, stations: [], receipts: [] }
    const matches = await matchWaiting(tx, due, now)
    // In the order of whoever records answers: workspaces, messages, orphans. Submissions change under their message's lock.
    const messageIds = [...new Set(Array.from(matches.values(), (it) => it.name.messageId))]
    await lockWorkspacesOf(tx, messageIds)
    const locked = await lockMessages(tx, messageIds)
    const ours = await lockPendingReports(tx, { ids: due.map((it) => it.id), now })
    const orphans = due.filter((it) => ours.has(it.id))
    const found = await adopt(tx, { orphans, matches, messages: locked, now })
    await putAway(tx, { orphans, found: new Set(found.map((it) => it.id)), now })
    const snapshot = await loadSnapshot(tx, Promise.resolve(locked), messageIds)
    const stations = await progress(tx, ports, { snapshot, news: found, counterShard: 'reports', now })
    return { looked: orphans.length, stations, receipts: firstReceipts(snapshot, found) }
  })
  for (const station of stations) ports.notifications.notify(station)
  return done
}

/**
 * A receipt that came while its submission was open waits, and is acknowledged. Whoever finds that there will be no answer hears it
 * before he decides anything: else a code that has arrived is sent twice, or refunded (D15). For messages that are locked, and whose
 * submissions are no longer open. Returns what was found; `progress` stores it.
 */
export async function adoptStored(
  tx: Tx,
  { messages, now }: { messages: MessageState[]; now: Date },
): Promise<MatchedReport[]> {
  const ids = new Set(messages.map((it) => it.id))
  const orphans = ids.size > 0 ? await lockPendingReportsOf(tx, [...ids]) : []
  if (orphans.length === 0) return []
  const all = await matchWaiting(tx, orphans, now)
  const matches = new Map([...all].filter(([, it]) => ids.has(it.name.messageId)))
  const found = await adopt(tx, { orphans, matches, messages, now })
  await deletePendingReports(
    tx,
    found.map((it) => it.id),
  )
  await deleteUnmatched(
    tx,
    found.filter((it) => isShown(it.looks)),
  )
  return found
}

/** The same, and these messages stand where it leads them. Returns which they are, and who has work by it. */
export async function settleStored(
  tx: Tx,
  ports: Ports,
  { messages, now }: { messages: MessageState[]; now: Date },
): Promise<{ settled: ReadonlySet<string>; stations: NotifiedRole[] }> {
  const news = await adoptStored(tx, { messages, now })
  const settled = new Set(news.map((it) => it.messageId))
  if (settled.size === 0) return { settled, stations: [] }
  const own = messages.filter((it) => settled.has(it.id))
  const snapshot = await loadSnapshot(tx, Promise.resolve(own), [...settled])
  return { settled, stations: await progress(tx, ports, { snapshot, news, counterShard: 'reports', now }) }
}

/** D15: of reports that have waited. By now the answers are here that they may have been ahead of. */
async function matchWaiting(tx: Tx, reports: PendingReport[], now: Date): Promise<Map<string, Match>> {
  const since = new Date(now.getTime() - UNKNOWN_SINCE_MS)
  const [known, unanswered, ofTests] = await Promise.all([
    loadSubmissions(tx, { candidatesIn: reports.map((it) => matchScopeOf(it, { hasWaited: true })) }),
    listUnanswered(tx, reports, since),
    listTestReportIds(tx, reports),
  ])
  return matchReports(reports, { ...known, waited: { unanswered, ofTests } })
}

/** Those of these reports that are about the submissions they were matched with, and what follows for those. */
async function adopt(
  tx: Tx,
  { orphans, matches, messages, now }: { messages: MessageState[] } & Matched,
): Promise<(PendingReport & SubmissionName)[]> {
  const changed = await adoptUnknown(tx, { orphans, matches, now })
  const charges =
    changed.length > 0
      ? await listCharges(
          tx,
          messages.map((it) => it.id),
        )
      : []
  await countCosts(tx, { changed, messages, charges })
  const adopted = new Set(changed.map(submissionKey))
  return orphans.flatMap((report) => {
    const match = matches.get(report.id)
    return match && (match.by === 'id' || adopted.has(submissionKey(match.name))) ? [{ ...report, ...match.name }] : []
  })
}

interface Matched {
  orphans: PendingReport[]
  matches: ReadonlyMap<string, Match>
  now: Date
}

/** Stores the answers that reports stand for. Returns those that had none until now. */
async function adoptUnknown(tx: Tx, { orphans, matches, now }: Matched): Promise<AnsweredSubmission[]> {
  const answers = orphans.flatMap(({ id, reference }) => {
    const match = matches.get(id)
    if (match?.by !== 'number') return []
    const answer = { outcome: 'accepted' as const, error: '' as const, commandStatus: null }
    // Our own word for it is no id of the carrier's.
    const carrierMessageId = messageIdOf(reference) === match.name.messageId ? null : reference
    return [{ ...match.name, ...answer, carrierMessageId, reference }]
  })
  return answers.length > 0 ? storeAnswers(tx, answers, now) : []
}

/** What was found, or is about the message of a test, is no orphan any more; the others get another look, or had their last one. */
async function putAway(
  tx: Tx,
  { orphans, found, now }: { orphans: PendingReport[]; found: ReadonlySet<string>; now: Date },
): Promise<void> {
  const strangers = orphans.filter((it) => !found.has(it.id))
  const settled = await storeTestReports(tx, strangers)
  const { again, over, show, hide } = planUnmatched(orphans, { found, settled, now })
  await deletePendingReports(
    tx,
    over.map((it) => it.id),
  )
  await reschedulePendingReports(tx, again)
  await insertUnmatched(tx, show, now)
  await deleteUnmatched(tx, hide)
}
