// Which submission a report is about (D13, D15, D65): ids repeat, reports come before their answers, and some answers never come.

import type { Report, ReportStatus } from './report.ts'
import { referenceOf, type SubmissionName, type SubmissionOutcome, submissionKey } from './submission.ts'

/** What one process notes down first may bear the later time of another. */
export const CLOCKS_DIFFER_MS = 5_000
/** How far back a submission may lie that a report is about: as long as a message waits for one (D13), and a carrier keeps an id. */
const LATELY_MS = 72 * 3600 * 1000
/** So many last digits are the same, however a number is written. */
const SAME_DIGITS = 8

export type MatchableReport = Pick<Report, 'id' | 'carrierId' | 'reference' | 'to' | 'byText' | 'status' | 'receivedAt'>

/** Where the submissions are found that a report may be about by its id. */
export interface MatchScope {
  carrierId: string
  reference: string
  to: string
  /** Of any spelling of the number; empty where there is no number that can be told from others. */
  lastDigits: string
  since: Date
  until: Date
}

/** A report that has waited may be late by any time, for the number that it names. */
export function scopeOf(report: MatchableReport, { hasWaited }: { hasWaited: boolean }): MatchScope {
  const { carrierId, reference, to, receivedAt } = report
  const since = hasWaited ? new Date(0) : latelyBefore(receivedAt)
  return { carrierId, reference, to, lastDigits: lastDigitsOf(to), since, until: latestClaim(receivedAt) }
}

export interface MatchCandidate extends SubmissionName {
  carrierId: string
  reference: string | null
  to: string
  claimedAt: Date
  outcome: SubmissionOutcome
}

/** A submission without an answer; open is one whose answer may still come in time. */
export interface Unanswered extends SubmissionName {
  carrierId: string
  to: string
  claimedAt: Date
  isOpen: boolean
}

export interface MatchFacts {
  /** All submissions of the messages in the scopes of the reports. */
  submissions: readonly MatchCandidate[]
  /** The reports that these have already. */
  reports: readonly (SubmissionName & { status: ReportStatus })[]
  /**
   * Of reports that have waited: an answer that they were ahead of is here by now, so one under an id that nobody knows may be
   * matched by its number. `ofTests` are the ids of those that are about tests of carriers, and no message's.
   */
  waited?: { unanswered: readonly Unanswered[]; ofTests: ReadonlySet<string> }
}

/** By its number, a report is the missing answer, too. */
export interface Match {
  by: 'id' | 'number'
  name: SubmissionName
}

/** By the id of the report; those that are not in it are about nothing that is known, or wait. */
export function matchReports(reports: readonly MatchableReport[], facts: MatchFacts): Map<string, Match> {
  const inOrder = reports.toSorted((one, other) => one.receivedAt.getTime() - other.receivedAt.getTime())
  const matches = matchById(inOrder, facts)
  const { waited } = facts
  if (!waited) return matches
  const strangers = inOrder.filter(({ id }) => !matches.has(id) && !waited.ofTests.has(id))
  return new Map([...matches, ...matchByNumber(strangers, waited.unanswered)])
}

/** Of a message all of whose segments were given one id, every report takes another segment. */
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
    // It says again what is known, or it is ahead of an answer under the same id: of this message, or of another.
    const isAhead =
      open.has(first.messageId) || (first.to !== report.to && likeliest.every((it) => decided.has(submissionKey(it))))
    if (!free && isAhead && !hasWaited) continue
    const name = nameOf(free ?? first)
    if (report.status !== 'pending') taken.add(submissionKey(name))
    matches.set(report.id, { by: 'id', name })
  }
  return matches
}

/** D65: of the submissions under its id those of one message, the likeliest: of its own number before others, then the latest. */
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

function canBeAbout(report: MatchableReport, { to, claimedAt }: MatchCandidate, hasWaited: boolean): boolean {
  const isLate = claimedAt <= latelyBefore(report.receivedAt)
  if (claimedAt > latestClaim(report.receivedAt)) return false
  if (to === report.to) return hasWaited || !isLate
  return !report.byText && !isLate && to.endsWith(lastDigitsOf(report.to))
}

/**
 * D15: a report under an id that nobody knows is the missing answer to a submission to that number, by that carrier, that was made
 * before it. While the answer to another may still come, nobody can tell which, and the report waits. One that names the message by our
 * own reference is about that message, whatever its number.
 */
function matchByNumber(reports: readonly MatchableReport[], unanswered: readonly Unanswered[]): Map<string, Match> {
  const candidates = Map.groupBy(unanswered, ({ carrierId, to }) => `${carrierId} ${to}`)
  const byReference = Map.groupBy(unanswered, ({ carrierId, messageId }) =>
    headOf({ carrierId, reference: referenceOf(messageId) }),
  )
  const matches = new Map<string, Match>()
  const taken = new Set<string>()
  /** By number and id, for ids repeat: what speaks twice of one thing is about one. */
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

/** Empty where it is no number, or none that can be told from others: a sender in its place, or nothing at all. */
function lastDigitsOf(to: string): string {
  const digits = /^[+][1-9]\d{6,14}$/.test(to) ? to : to.replaceAll(/\D/g, '')
  return digits.length < SAME_DIGITS ? '' : digits.slice(-SAME_DIGITS)
}

function latelyBefore(receivedAt: Date): Date {
  return new Date(receivedAt.getTime() - LATELY_MS)
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
