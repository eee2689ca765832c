// Matches reports to submissions (D13, D15, D65): ids repeat, reports arrive before their answers, and some answers never arrive.

import { REMOVED_NUMBER } from '../people/masking.ts'
import type { Report, ReportStatus } from './report.ts'
import { referenceOf, type SubmissionName, type SubmissionOutcome, submissionKey } from './submission.ts'

/** Clocks of processes may differ by this much. */
export const CLOCKS_DIFFER_MS = 5_000
/** How old the submission of a report may be: messages wait this long for a report (D13), and carriers keep ids this long. */
const MAX_REPORT_AGE_MS = 72 * 3600 * 1000
/** This many last digits are equal in every notation of a number. */
const SAME_DIGITS = 8

export type MatchableReport = Pick<Report, 'id' | 'carrierId' | 'reference' | 'to' | 'byText' | 'status' | 'receivedAt'>

/** Where to look for the submissions that a report's id may belong to. */
export interface MatchScope {
  carrierId: string
  reference: string
  to: string
  /** Equal in every notation of the number; empty if the number is too short to identify anything. */
  lastDigits: string
  since: Date
  until: Date
}

/** A report that has waited may be arbitrarily late for its own number. */
export function matchScopeOf(report: MatchableReport, { hasWaited }: { hasWaited: boolean }): MatchScope {
  const { carrierId, reference, to, receivedAt } = report
  const since = hasWaited ? new Date(0) : oldestClaim(receivedAt)
  return { carrierId, reference, to, lastDigits: lastDigitsOf(to), since, until: latestClaim(receivedAt) }
}

export interface MatchCandidate extends SubmissionName {
  carrierId: string
  reference: string | null
  to: string
  claimedAt: Date
  outcome: SubmissionOutcome
}

/** A submission without an answer; `isOpen` if the answer may still arrive in time. */
export interface Unanswered extends SubmissionName {
  carrierId: string
  to: string
  claimedAt: Date
  isOpen: boolean
}

export interface MatchFacts {
  /** All submissions of the messages in the scopes of the reports. */
  submissions: readonly MatchCandidate[]
  /** The stored reports of these submissions. */
  reports: readonly (SubmissionName & { status: ReportStatus })[]
  /**
   * Set for reports that have waited: answers that they overtook have arrived by now, so a report with an unknown id may be matched by its
   * number. `ofTests` are the ids of reports on carrier tests, which belong to no message.
   */
  waited?: { unanswered: readonly Unanswered[]; ofTests: ReadonlySet<string> }
}

/** A match by number also replaces the missing answer. */
export interface Match {
  by: 'id' | 'number'
  name: SubmissionName
}

/** By report id. A report without a match is unknown, or waits. */
export function matchReports(reports: readonly MatchableReport[], facts: MatchFacts): Map<string, Match> {
  const inOrder = reports.toSorted((one, other) => one.receivedAt.getTime() - other.receivedAt.getTime())
  const matches = matchById(inOrder, facts)
  const { waited } = facts
  if (!waited) return matches
  const unmatched = inOrder.filter(({ id }) => !matches.has(id) && !waited.ofTests.has(id))
  return new Map([...matches, ...matchByNumber(unmatched, waited.unanswered)])
}

/** If all segments of a message share one id, each report settles another segment. */
function matchById(reports: readonly MatchableReport[], facts: MatchFacts): Map<string, Match> {
  const { submissions } = facts
  const hasWaited = facts.waited !== undefined
  const byId = Map.groupBy(
    submissions.filter((it) => it.reference !== null),
    headOf,
  )
  const decided = new Set(facts.reports.filter((it) => it.status !== 'pending').map(submissionKey))
  const open = new Set(submissions.filter((it) => it.outcome === 'open').map((it) => it.messageId))
  const taken = new Set<string>()
  const matches = new Map<string, Match>()
  for (const report of reports) {
    const likeliest = pickMessage(report, byId.get(headOf(report)) ?? [], hasWaited)
    const [first] = likeliest
    if (!first) continue
    const free = likeliest.find((it) => !decided.has(submissionKey(it)) && !taken.has(submissionKey(it)))
    // A report without a free segment repeats a known one, or is ahead of an answer with the same id.
    const isAhead =
      open.has(first.messageId) || (first.to !== report.to && likeliest.every((it) => decided.has(submissionKey(it))))
    if (!free && isAhead && !hasWaited) continue
    const name = nameOf(free ?? first)
    if (report.status !== 'pending') taken.add(submissionKey(name))
    matches.set(report.id, { by: 'id', name })
  }
  return matches
}

/** D65: the submissions of one message with this id: the report's own number comes first, then the latest message. */
function pickMessage(report: MatchableReport, named: MatchCandidate[], hasWaited: boolean): MatchCandidate[] {
  const isOwn = (it: MatchCandidate) => it.to === report.to
  const [likeliest, ...others] = named
    .filter((it) => canBeAbout(report, it, hasWaited))
    .toSorted(
      (one, other) =>
        Number(isOwn(other)) - Number(isOwn(one)) ||
        other.claimedAt.getTime() - one.claimedAt.getTime() ||
        compare(other.messageId, one.messageId) ||
        one.segment - other.segment,
    )
  return likeliest ? [likeliest, ...others.filter((it) => it.messageId === likeliest.messageId)] : []
}

/** For a report on the only submission with its id. */
export function isAbout(report: MatchableReport, submission: Pick<MatchCandidate, 'to' | 'claimedAt'>): boolean {
  return canBeAbout(report, submission, false)
}

function canBeAbout(
  report: MatchableReport,
  { to, claimedAt }: Pick<MatchCandidate, 'to' | 'claimedAt'>,
  hasWaited: boolean,
): boolean {
  const isLate = claimedAt <= oldestClaim(report.receivedAt)
  if (claimedAt > latestClaim(report.receivedAt)) return false
  // D77: a submission without its number is known by its id alone.
  if (to === report.to || to === REMOVED_NUMBER) return hasWaited || !isLate
  return !report.byText && !isLate && to.endsWith(lastDigitsOf(report.to))
}

/**
 * D15: a report with an unknown id replaces the missing answer to an earlier submission to that number by that carrier. While another answer
 * may still arrive, the match is ambiguous and the report waits. A report with our own reference belongs to that message, with any number.
 */
function matchByNumber(reports: readonly MatchableReport[], unanswered: readonly Unanswered[]): Map<string, Match> {
  const candidates = Map.groupBy(unanswered, ({ carrierId, to }) => `${carrierId} ${to}`)
  const byReference = Map.groupBy(unanswered, ({ carrierId, messageId }) =>
    headOf({ carrierId, reference: referenceOf(messageId) }),
  )
  const matches = new Map<string, Match>()
  const taken = new Set<string>()
  /** By number and id, because ids repeat: two reports with the same id are about the same submission. */
  const known = new Map<string, SubmissionName>()
  for (const report of reports) {
    const { carrierId, to, reference } = report
    const until = latestClaim(report.receivedAt)
    const before =
      byReference.get(headOf(report)) ??
      (candidates.get(`${carrierId} ${to}`) ?? []).filter((it) => it.claimedAt <= until)
    if (before.some((it) => it.isOpen)) continue
    const called = `${carrierId} ${to} ${reference}`
    const found = known.get(called) ?? before.find((it) => !taken.has(submissionKey(it)))
    if (!found) continue
    const name = nameOf(found)
    taken.add(submissionKey(name))
    known.set(called, name)
    matches.set(report.id, { by: 'number', name })
  }
  return matches
}

/** Empty if the text is not a number, or too short to identify one. */
function lastDigitsOf(to: string): string {
  const digits = /^[+][1-9]\d{6,14}$/.test(to) ? to : to.replaceAll(/\D/g, '')
  return digits.length < SAME_DIGITS ? '' : digits.slice(-SAME_DIGITS)
}

function oldestClaim(receivedAt: Date): Date {
  return new Date(receivedAt.getTime() - MAX_REPORT_AGE_MS)
}

function latestClaim(receivedAt: Date): Date {
  return new Date(receivedAt.getTime() + CLOCKS_DIFFER_MS)
}

function headOf({ carrierId, reference }: { carrierId: string; reference: string | null }): string {
  return `${carrierId} ${reference}`
}

function nameOf({ messageId, ordinal, segment }: SubmissionName): SubmissionName {
  return { messageId, ordinal, segment }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
