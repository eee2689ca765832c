// Which submission a report is about, where its id alone does not tell (D13, D15): ids repeat, reports come before their answers,
// and some answers never come.

import { referenceOf, type SubmissionName, submissionKey } from './submission.ts'

/** What one process notes down first may bear the later time of another. */
export const CLOCKS_DIFFER_MS = 5_000

/** A submission that a carrier gave the id of a report; decided is one that has its final report already. */
export interface Named extends SubmissionName {
  isDecided: boolean
}

/** A submission without an answer; open is one whose answer may still come in time. */
export interface Unanswered extends SubmissionName {
  carrierId: string
  to: string
  claimedAt: Date
  isOpen: boolean
}

interface Headed {
  id: string
  carrierId: string
  reference: string
  to: string
  receivedAt: Date
}

/**
 * For each report its submission, or null; `named` are those it may be about, the likeliest first. Of a message all of whose
 * segments were given one id, every report takes another segment; whatever is reported twice goes where it went before.
 */
export function pickNamed(
  reports: readonly { status: string }[],
  named: readonly (Named & { place: number })[],
): (SubmissionName | null)[] {
  const byPlace = Map.groupBy(named, (it) => it.place)
  const taken = new Set<string>()
  return reports.map(({ status }, place) => {
    const [likeliest, ...others] = byPlace.get(place) ?? []
    if (!likeliest) return null
    const siblings = others.filter((it) => it.messageId === likeliest.messageId)
    const free = [likeliest, ...siblings].find((it) => !it.isDecided && !taken.has(submissionKey(it)))
    const { messageId, ordinal, segment } = free ?? likeliest
    if (status !== 'pending') taken.add(submissionKey({ messageId, ordinal, segment }))
    return { messageId, ordinal, segment }
  })
}

/**
 * D15: a report under an id that nobody knows is the missing word on a submission to that number, by that carrier, that was made
 * before it. While the answer to another may still come, nobody can tell which, and the report waits. One that names the message by our
 * own reference is about that message, whatever its number.
 */
export function pairUnanswered(
  reports: readonly Headed[],
  unanswered: readonly Unanswered[],
): Map<string, SubmissionName> {
  const candidates = Map.groupBy(unanswered, headOf)
  const byReference = Map.groupBy(unanswered, ({ carrierId, messageId }) => `${carrierId} ${referenceOf(messageId)}`)
  const pairs = new Map<string, SubmissionName>()
  const taken = new Set<string>()
  /** By number and id, for ids repeat: what speaks twice of one thing is about one. */
  const known = new Map<string, SubmissionName>()
  for (const report of reports.toSorted((one, other) => one.receivedAt.getTime() - other.receivedAt.getTime())) {
    const until = report.receivedAt.getTime() + CLOCKS_DIFFER_MS
    const before =
      byReference.get(`${report.carrierId} ${report.reference}`) ??
      (candidates.get(headOf(report)) ?? []).filter((it) => it.claimedAt.getTime() <= until)
    if (before.some((it) => it.isOpen)) continue
    const called = `${headOf(report)} ${report.reference}`
    const found = known.get(called) ?? before.find((it) => !taken.has(submissionKey(it)))
    if (!found) continue
    const { messageId, ordinal, segment } = found
    taken.add(submissionKey(found))
    known.set(called, { messageId, ordinal, segment })
    pairs.set(report.id, { messageId, ordinal, segment })
  }
  return pairs
}

function headOf({ carrierId, to }: { carrierId: string; to: string }): string {
  return `${carrierId} ${to}`
}
