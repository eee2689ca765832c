// What carriers report on segments they took (D13), in any order, twice, late, or before we know whose they are.

import { type FirstReceipt, firstReceipts } from '../../domain/messages/first-receipts.ts'
import { pairUnanswered, pickNamed } from '../../domain/messages/report-matching.ts'
import { messageIdOf, type SubmissionName, submissionKey } from '../../domain/messages/submission.ts'
import type { MessageState } from '../../domain/messages/transition.ts'
import { listCharges } from '../../store/carriers/carrier-costs.ts'
import { listTested, storeTestReports } from '../../store/carriers/carrier-tests.ts'
import type { Tx } from '../../store/database/db.ts'
import type { NotifiedRole } from '../../store/database/notifications.ts'
import { MATCHED } from '../../store/messages/matched.ts'
import {
  deleteOrphans,
  insertOrphans,
  listNamed,
  listOrphans,
  listOrphansOf,
  listUnanswered,
  lockOrphans,
  lookAgain,
  type MatchedReport,
  type Orphan,
  type Report,
} from '../../store/messages/reports.ts'
import { type AnsweredSubmission, storeAnswers } from '../../store/messages/submissions.ts'
import { lockMessages, lockWorkspacesOf } from '../../store/messages/transitions.ts'
import { forgetUnmatched, insertUnmatched } from '../../store/messages/unmatched-receipts.ts'
import type { Ports } from '../ports.ts'
import { countCosts, loadSnapshot, progress } from './progress.ts'

/** The looks an orphan gets, in seconds after the one before; then it is nobody's. */
const LOOKS = [2, 10, 60, 600, 3600, 6 * 3600, 24 * 3600, 48 * 3600]
/** How far back a message without an answer may lie for a report to be its missing word: longer than any lives. */
const UNKNOWN_SINCE_MS = 7 * 24 * 3600 * 1000
const ORPHANS_AT_ONCE = 200
/** What is not found with this look, a minute after it came, is shown to the operator: the later ones seldom find anything. */
const TOLD_WITH_LOOK = 3

/**
 * A report is acknowledged only after this has returned: until then it is the carrier's to keep. Returns those that ended the wait for
 * a segment that is known.
 */
export async function recordReports(ports: Ports, reports: Report[]): Promise<FirstReceipt[]> {
  const now = ports.clock.now()
  const { orphaned, stations, receipts } = await ports.db.transaction(async (tx) => {
    const [named, standing] = await Promise.all([
      listNamed(
        tx,
        reports.map((it) => ({ ...it, hasWaited: false })),
      ),
      loadSnapshot(tx, lockMessages(tx, MATCHED), MATCHED),
    ])
    const names = pickNamed(reports, named)
    const news = reports.flatMap((report, index) => {
      const name = names[index]
      return name ? [{ ...report, ...name }] : []
    })
    const orphans = reports.filter((_, index) => !names[index])
    tx.finishWith(insertOrphans(tx, orphans, lookAt(now, 0)))
    const stations = await progress(tx, ports, { snapshot: standing, news, counterShard: 'reports', now })
    return { orphaned: orphans.length, stations, receipts: firstReceipts(standing, news) }
  })
  // Where another process recorded the answer at this very moment, neither saw the other's: the next look is to be in time.
  if (orphaned > 0) ports.notifications.notify('orphans')
  for (const station of stations) ports.notifications.notify(station)
  return receipts
}

/** Looks again for the submissions of orphaned reports. Returns how many orphans were looked at, and what was found for segments. */
export async function matchOrphans(ports: Ports): Promise<{ looked: number; receipts: FirstReceipt[] }> {
  const now = ports.clock.now()
  const { stations, ...done } = await ports.db.transaction(async (tx) => {
    const due = await listOrphans(tx, { now, limit: ORPHANS_AT_ONCE })
    if (due.length === 0) return { looked: 0, stations: [], receipts: [] }
    const matches = await matchDue(tx, due, now)
    // In the order of whoever records answers: workspaces, messages, orphans. Submissions change under their message's lock.
    const messageIds = [...new Set(Array.from(matches.values(), (it) => it.name.messageId))]
    await lockWorkspacesOf(tx, messageIds)
    const locked = await lockMessages(tx, messageIds)
    const ours = await lockOrphans(tx, { ids: due.map((it) => it.id), now })
    const orphans = due.filter((it) => ours.has(it.id))
    const found = await adopt(tx, { orphans, matches, messages: locked, now })
    await putAway(tx, { orphans, found: new Set(found.map((it) => it.id)), now })
    const standing = await loadSnapshot(tx, Promise.resolve(locked), messageIds)
    const stations = await progress(tx, ports, { snapshot: standing, news: found, counterShard: 'reports', now })
    return { looked: orphans.length, stations, receipts: firstReceipts(standing, found) }
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
  const orphans = ids.size > 0 ? await listOrphansOf(tx, [...ids]) : []
  if (orphans.length === 0) return []
  const all = await matchDue(tx, orphans, now)
  const matches = new Map([...all].filter(([, it]) => ids.has(it.name.messageId)))
  const found = await adopt(tx, { orphans, matches, messages, now })
  await deleteOrphans(
    tx,
    found.map((it) => it.id),
  )
  await forgetUnmatched(
    tx,
    found.filter((it) => it.looks >= TOLD_WITH_LOOK),
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
  const standing = await loadSnapshot(tx, Promise.resolve(own), [...settled])
  return { settled, stations: await progress(tx, ports, { snapshot: standing, news, counterShard: 'reports', now }) }
}

interface Match {
  by: 'id' | 'number'
  name: SubmissionName
}

/**
 * D15: a report under an id that nobody knows, for a number that has a submission without an answer, is that answer. It
 * waits for its second look: by then the answer that it may have overtaken is here.
 */
async function matchDue(tx: Tx, due: Orphan[], now: Date): Promise<Map<string, Match>> {
  const asked = due.map((it) => ({ ...it, hasWaited: true }))
  const byId = pickNamed(due, await listNamed(tx, asked))
  const unknown = due.filter((_, index) => !byId[index])
  // A test's own receipt is no customer's missing word.
  const ofTests = unknown.length > 0 ? await listTested(tx, unknown) : new Set<string>()
  const strangers = unknown.filter((it) => !ofTests.has(it.id))
  const since = new Date(now.getTime() - UNKNOWN_SINCE_MS)
  const unanswered = strangers.length > 0 ? await listUnanswered(tx, strangers, since) : []
  const matches = new Map<string, Match>()
  for (const [id, name] of pairUnanswered(strangers, unanswered)) matches.set(id, { by: 'number', name })
  for (const [index, report] of due.entries()) {
    const name = byId[index]
    if (name) matches.set(report.id, { by: 'id', name })
  }
  return matches
}

/** Those of these reports that are about the submissions they were matched with, and what follows for those. */
async function adopt(
  tx: Tx,
  { orphans, matches, messages, now }: { messages: MessageState[] } & Matched,
): Promise<(Orphan & SubmissionName)[]> {
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
  orphans: Orphan[]
  matches: ReadonlyMap<string, Match>
  now: Date
}

/** Stores the answers that reports stand for. Returns those that had none until now. */
async function adoptUnknown(tx: Tx, { orphans, matches, now }: Matched): Promise<AnsweredSubmission[]> {
  const answers = orphans.flatMap(({ id, reference }) => {
    const match = matches.get(id)
    if (match?.by !== 'number') return []
    const answer = { outcome: 'taken' as const, error: '' as const, commandStatus: null }
    // Our own word for it is no id of the carrier's.
    const carrierMessageId = messageIdOf(reference) === match.name.messageId ? null : reference
    return [{ ...match.name, ...answer, carrierMessageId, reference }]
  })
  return answers.length > 0 ? storeAnswers(tx, answers, now) : []
}

/** What was found, or is about the message of a test, is no orphan any more; the others get another look, or had their last one. */
async function putAway(
  tx: Tx,
  { orphans, found, now }: { orphans: Orphan[]; found: ReadonlySet<string>; now: Date },
): Promise<void> {
  const strangers = orphans.filter((it) => !found.has(it.id))
  const ofTests = await storeTestReports(tx, strangers)
  const lost = strangers.filter((it) => !ofTests.has(it.id))
  const again = lost.filter((it) => !isLastLook(it.looks))
  const isAgain = new Set(again.map((it) => it.id))
  await deleteOrphans(
    tx,
    orphans.map((it) => it.id).filter((id) => !isAgain.has(id)),
  )
  await lookAgain(
    tx,
    again.map(({ id, looks }) => ({ id, lookAt: lookAt(now, looks + 1) })),
  )
  await insertUnmatched(
    tx,
    lost.filter((it) => it.looks + 1 === TOLD_WITH_LOOK),
    now,
  )
  await forgetUnmatched(
    tx,
    orphans.filter((it) => found.has(it.id) && it.looks >= TOLD_WITH_LOOK),
  )
}

function lookAt(now: Date, look: number): Date {
  return new Date(now.getTime() + (LOOKS[look] ?? 0) * 1000)
}

function isLastLook(looks: number): boolean {
  return looks + 1 >= LOOKS.length
}
