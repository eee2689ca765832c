// What carriers report on segments they took (D13), in any order, twice, late, or before we know whose they are.
import type { Tx } from '../store/db.ts'
import {
  deleteOrphans,
  insertOrphans,
  lockOrphans,
  lookAgain,
  matchReports,
  matchUnknown,
  type Report,
} from '../store/reports.ts'
import { storeAnswers } from '../store/submissions.ts'
import { lockMessages } from '../store/transitions.ts'
import type { House } from './house.ts'
import { progress } from './record-submissions.ts'

/** The looks an orphan gets, in seconds after the one before; then it is nobody's. */
const LOOKS = [2, 10, 60, 600, 3600, 6 * 3600, 24 * 3600, 48 * 3600]
/** How far back a submission without an answer may lie for a report to be its missing word. */
const UNKNOWN_SINCE_MS = 72 * 3600 * 1000
const ORPHANS_AT_ONCE = 200

/** A report is acknowledged only after this has returned: until then it is the carrier's to keep. */
export async function recordReports(house: House, reports: Report[]): Promise<void> {
  const now = house.clock.now()
  await house.db.transaction(async (tx) => {
    const names = await matchReports(tx, reports)
    const matched = reports.flatMap((report, index) => {
      const name = names[index]
      return name ? [{ ...report, ...name }] : []
    })
    const orphans = reports.filter((_, index) => !names[index])
    await insertOrphans(tx, orphans, lookAt(now, 0))
    const messages = await lockMessages(tx, [...new Set(matched.map((it) => it.messageId))])
    await progress(tx, house, { messages, reports: matched, now })
  })
  house.bell.ring('webhooks')
}

/** Looks again for the submissions of orphaned reports. Returns how many orphans were looked at. */
export async function matchOrphans(house: House): Promise<number> {
  const now = house.clock.now()
  const looked = await house.db.transaction(async (tx) => {
    const orphans = await lockOrphans(tx, { now, limit: ORPHANS_AT_ONCE })
    if (orphans.length === 0) return 0
    const byId = await matchReports(tx, orphans)
    const strangers = orphans.filter((_, index) => !byId[index])
    const byNumber = await adoptUnknown(tx, strangers, now)
    const found = orphans.flatMap((report, index) => {
      const name = byId[index] ?? byNumber.get(report.id)
      return name ? [{ ...report, ...name, id: report.id }] : []
    })
    const messages = await lockMessages(tx, [...new Set(found.map((it) => it.messageId))])
    await progress(tx, house, { messages, reports: found, now })
    const isFound = new Set(found.map((it) => it.id))
    const lost = orphans.filter((it) => !isFound.has(it.id))
    await deleteOrphans(tx, [...isFound, ...lost.filter((it) => isLastLook(it.looks)).map((it) => it.id)])
    const again = lost.filter((it) => !isLastLook(it.looks))
    await lookAgain(
      tx,
      again.map(({ id, looks }) => ({ id, lookAt: lookAt(now, looks + 1) })),
    )
    return orphans.length
  })
  if (looked > 0) house.bell.ring('webhooks')
  return looked
}

/**
 * D15: a report under an id that nobody knows, for a number that has a submission without an answer, is that answer. It
 * waits for its second look: by then the answer that it may have overtaken is here.
 */
async function adoptUnknown(tx: Tx, reports: Report[], now: Date) {
  if (reports.length === 0) return new Map()
  const since = new Date(now.getTime() - UNKNOWN_SINCE_MS)
  const found = await matchUnknown(tx, reports, since)
  const reference = new Map(reports.map((it) => [it.id, it.reference]))
  await storeAnswers(
    tx,
    found.map(({ reportId, ...name }) => ({
      ...name,
      outcome: 'taken' as const,
      error: '' as const,
      commandStatus: null,
      carrierMessageId: reference.get(reportId) ?? null,
      reference: reference.get(reportId) ?? null,
    })),
    now,
  )
  return new Map(found.map(({ reportId, ...name }) => [reportId, name]))
}

function lookAt(now: Date, look: number): Date {
  return new Date(now.getTime() + (LOOKS[look] ?? 0) * 1000)
}

function isLastLook(looks: number): boolean {
  return looks + 1 >= LOOKS.length
}
