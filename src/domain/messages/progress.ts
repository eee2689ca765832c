// Where a message stands after what its carriers said: the submissions and reports of all its segments, taken together,
// decide its next status and whether it is submitted again (D12 to D15).

import { type FailureCode, isFinal } from '../message-status.ts'
import { expiresAt } from './lifetime.ts'
import type { Receipts, ReportVerdict } from './report.ts'
import type { SubmissionOutcome } from './submission.ts'
import { type MessageState, reported, type Transition, timeAfter, transition } from './transition.ts'

export interface Submission {
  /** Which submission of the message it belongs to; all its segments together are one. */
  ordinal: number
  segment: number
  ofSegments: number
  carrierId: string
  outcome: SubmissionOutcome
  error: FailureCode | ''
  /** The carrier's id of it, normalised; null until the carrier has given one. */
  reference?: string | null
  /** D56: what receipts its carrier was asked for. */
  receipts: Receipts
  /** D59: though the carrier may have taken it, an operator lets it go out once more. */
  isLetGo?: boolean
}

export interface SegmentReport extends ReportVerdict {
  ordinal: number
  segment: number
}

interface ProgressFacts {
  submissions: Submission[]
  reports: SegmentReport[]
  /** When the report came that is news; null where none is. */
  reportedAt: Date | null
  /** D15: whether the carrier of the latest submission wants unknown outcomes sent again. */
  resendUnknown: boolean
  /** It is in the queue, unclaimed: its next submission is arranged already. */
  isWaiting: boolean
}

interface Progress {
  transitions: Transition[]
  /** What becomes of its place in the queue: it keeps it as it is, leaves it, or falls due again. */
  queue: 'stay' | 'leave' | { dueAt: Date; avoidCarrierId: string | null }
}

/** D13: and the time that is shown of the report. */
interface TimedProgress extends Progress {
  dlrAt: Date | null
}

/** D14, in seconds; after the last of them the message has failed. */
const WAITS = { otp: [2, 4, 8, 16, 32], other: [5, 15, 60, 300, 900] }
/**
 * Throttled, or the link was lost: the wait doubles from a second up to these, so that a carrier that takes nothing for
 * hours is not asked every second. A code has no time for that.
 */
const LONGEST_PAUSE_SECONDS = { otp: 4, other: 60 }
const MOST_DOUBTFUL = 3

export function decideProgress(message: MessageState, facts: ProgressFacts, now: Date): TimedProgress {
  const { transitions, queue } = decide(message, facts, now)
  const { reportedAt } = facts
  if (reportedAt === null) return { transitions, queue, dlrAt: null }
  // A report stands behind all that it is about, and before the end that it brought about (D13).
  const [end] = transitions.slice(-1).filter(({ to }) => isFinal(to))
  const before = end ? transitions.slice(0, -1) : transitions
  const dlrAt = timeAfter(before.at(-1)?.at ?? message.updatedAt, reportedAt)
  return { transitions: end ? [...before, { ...end, at: timeAfter(dlrAt, end.at) }] : before, queue, dlrAt }
}

function decide(message: MessageState, facts: ProgressFacts, now: Date): Progress {
  if (isFinal(message.status) || endsAsSent(message, facts.submissions)) return { transitions: [], queue: 'leave' }
  const isHeld = holdsUnknown(message, facts)
  const ofSegments = cutOf(facts.submissions, isHeld) ?? latestSubmission(facts.submissions)[0]?.ofSegments ?? 1
  const segments = segmentStates(facts, ofSegments)
  const verdict = verdictOf(segments)
  if (verdict) return { transitions: reported(message, { ...verdict, at: now }), queue: 'leave' }
  if (segments.every((segment) => segment !== 'missing'))
    return { transitions: reach(message, 'sent', now), queue: 'leave' }
  const partly = segments.some((segment) => segment !== 'missing')
  const inPart = partly ? reach(message, 'submitted', now) : []
  const latest = latestSubmission(facts.submissions)
  if (latest.some((it) => it.outcome === 'open')) return { transitions: inPart, queue: 'stay' }
  const missing = missingSegments(facts.submissions, { ofSegments, isHeld })
  return decideNext(message, { ...facts, missing, inPart }, now)
}

/** D56: all of it was taken, and nobody was asked to report on any of it: nothing more will be known, so this is its end. */
export function endsAsSent(
  { status }: Pick<MessageState, 'status'>,
  submissions: readonly Pick<Submission, 'outcome' | 'receipts'>[],
): boolean {
  const taken = submissions.filter((it) => it.outcome === 'accepted')
  return status === 'sent' && taken.length > 0 && taken.every((it) => it.receipts === 'none')
}

/** D14: throttling and a lost link are no attempts. */
const NO_ATTEMPT: SubmissionOutcome[] = ['throttled', 'unwritten']
const FAILING: SubmissionOutcome[] = ['unknown', 'other_carrier', 'retryable']

/** The number that §2.1 shows as attempts. */
export function countSubmissions(submissions: Pick<Submission, 'ordinal' | 'outcome'>[]): number {
  const counted = submissions.filter((it) => !['open', ...NO_ATTEMPT].includes(it.outcome))
  return new Set(counted.map((it) => it.ordinal)).size
}

/** D15: whether what a carrier may have taken is not sent to it again. */
export function holdsUnknown(
  { type }: Pick<MessageState, 'type'>,
  { resendUnknown }: { resendUnknown: boolean },
): boolean {
  return type !== 'otp' && !resendUnknown
}

/** Once a carrier has taken a part, or may have, the message stays cut into as many as it was for the wire. */
export function cutOf(submissions: Submission[], isHeld: boolean): number | undefined {
  const taken = submissions.find((it) => it.outcome === 'accepted')
  return (taken ?? submissions.find((it) => isHeld && isUnknown(it)))?.ofSegments
}

/** Segments that no carrier has taken so far, nor may have where that holds them back. */
export function missingSegments(
  submissions: Submission[],
  { ofSegments, isHeld }: { ofSegments: number; isHeld: boolean },
): number[] {
  const gone = submissions.filter((it) => it.outcome === 'accepted' || (isHeld && isUnknown(it)))
  const there = new Set(gone.map((it) => it.segment))
  return Array.from({ length: ofSegments }, (_, index) => index + 1).filter((segment) => !there.has(segment))
}

function isUnknown({ outcome, isLetGo = false }: Submission): boolean {
  return outcome === 'unknown' && !isLetGo
}

interface NextFacts extends ProgressFacts {
  /** The segments that are to be submitted again. */
  missing: number[]
  /** The news that part of it was taken, if that is news. */
  inPart: Transition[]
}

/** The latest submission is over, and some segment was not taken. */
function decideNext(message: MessageState, facts: NextFacts, now: Date): Progress {
  const { missing, submissions } = facts
  const last = missing.flatMap((segment) => submissions.findLast((it) => it.segment === segment) ?? [])
  const outcomes = new Set(last.map((it) => it.outcome))
  const refused = last.find((it) => it.outcome === 'rejected')
  if (refused) return fail(message, refused.error || 'delivery_failed', now)
  // A report on a segment that was taken, or a late answer, does not put off the rest of it.
  if (facts.isWaiting) return { transitions: facts.inPart, queue: 'stay' }
  // D15: not sent twice by default; it waits for a late answer, a report, or its deadline. Parts that never reached the wire do not.
  if (missing.length === 0) return { transitions: facts.inPart, queue: 'leave' }
  // Whoever refused it, or left it without an answer, may well do so again: another carrier first.
  const avoidCarrierId = last.find((it) => FAILING.includes(it.outcome))?.carrierId ?? null
  if (outcomes.has('unknown')) {
    return tryAgain(message, { ...facts, error: 'delivery_timeout', avoidCarrierId }, now)
  }
  if (outcomes.has('retryable') && countWith(submissions, 'retryable') >= MOST_DOUBTFUL) {
    return fail(message, 'delivery_failed', now)
  }
  if (outcomes.has('retryable') || outcomes.has('other_carrier')) {
    return tryAgain(message, { ...facts, error: 'network_unavailable', avoidCarrierId }, now)
  }
  const dueAt = secondsAfter(now, pauseSeconds(message, submissions))
  const queue = { dueAt, avoidCarrierId: null }
  if (message.status === 'submitted' || facts.inPart.length > 0) return { transitions: facts.inPart, queue }
  const error = 'network_unavailable'
  // Throttling puts it off (§3.1), and that is told; what was never tried waits on as if nothing had been.
  return { transitions: outcomes.has('throttled') ? [transition(message, 'queued', { at: now, error })] : [], queue }
}

/** By how many submissions in a row ended like this. */
function pauseSeconds(message: MessageState, submissions: Submission[]): number {
  const numbers = new Set(submissions.map((it) => it.ordinal))
  const judged = submissions.filter((it) => !['accepted', ...NO_ATTEMPT].includes(it.outcome)).map((it) => it.ordinal)
  const lastJudged = Math.max(0, ...judged)
  const inARow = [...numbers].filter((ordinal) => ordinal > lastJudged).length
  const longest = message.type === 'otp' ? LONGEST_PAUSE_SECONDS.otp : LONGEST_PAUSE_SECONDS.other
  return Math.min(longest, 2 ** Math.max(0, inARow - 1))
}

function tryAgain(
  message: MessageState,
  { submissions, inPart, error, avoidCarrierId }: NextFacts & { error: FailureCode; avoidCarrierId: string | null },
  now: Date,
): Progress {
  const waits = message.type === 'otp' ? WAITS.otp : WAITS.other
  const wait = waits[countSubmissions(submissions) - 1]
  if (wait === undefined) return fail(message, error, now)
  const dueAt = secondsAfter(now, wait)
  // D14: a code is submitted again only while it lives.
  if (dueAt >= expiresAt(message)) return fail(message, message.type === 'otp' ? 'delivery_timeout' : error, now)
  // A message that was taken in part stays `submitted` while the rest of it is tried again (D12).
  const isPartly = message.status === 'submitted' || inPart.length > 0
  const transitions = isPartly ? inPart : [transition(message, 'queued', { at: now, error })]
  return { transitions, queue: { dueAt, avoidCarrierId } }
}

function fail(message: MessageState, error: FailureCode, now: Date): Progress {
  return { transitions: [transition(message, 'failed', { at: now, error })], queue: 'leave' }
}

function reach(message: MessageState, to: 'submitted' | 'sent', now: Date): Transition[] {
  return message.status === to ? [] : [transition(message, to, { at: now })]
}

/** `silent` is one that was taken and of which no word is to come (D56). */
type SegmentState = 'missing' | 'accepted' | 'silent' | ReportVerdict

/** A code that was sent twice over may be reported twice over: the better news of a segment counts. */
function segmentStates({ submissions, reports }: ProgressFacts, ofSegments: number): SegmentState[] {
  return Array.from({ length: ofSegments }, (_, index) => {
    const taken = submissions.filter((it) => it.segment === index + 1 && it.outcome === 'accepted')
    const states = taken.map((submission): Exclude<SegmentState, 'missing'> => {
      if (submission.receipts === 'none') return 'silent'
      const sharing = submissions.filter((it) => sharesReceipt(it, submission))
      return lastWord(reports.filter((report) => sharing.some((it) => isSameSegment(it, report))))
    })
    const delivered = states.find((state) => typeof state === 'object' && state.status === 'delivered')
    return delivered ?? (states.includes('accepted') ? 'accepted' : (states[0] ?? 'missing'))
  })
}

/**
 * D56: a receipt is about its own segment, about all segments of a carrier that sends one receipt, and about all segments to which the
 * carrier gave the same id: such a carrier usually sends one receipt for all of them.
 */
function sharesReceipt(one: Submission, other: Submission): boolean {
  if (isSameSegment(one, other) || (one.receipts === 'one' && other.receipts === 'one')) return true
  const { reference = null } = one
  return reference !== null && reference === other.reference && one.carrierId === other.carrierId
}

function isSameSegment(one: SegmentPlace, other: SegmentPlace): boolean {
  return one.ordinal === other.ordinal && one.segment === other.segment
}

type SegmentPlace = Pick<Submission, 'ordinal' | 'segment'>

function lastWord(reports: SegmentReport[]): 'accepted' | ReportVerdict {
  return reports.find((it) => it.status !== 'pending') ?? 'accepted'
}

/** D13: delivered when every segment is that a word is to come of; one that will never be decides for all. */
function verdictOf(segments: SegmentState[]) {
  const known = segments.filter((segment) => typeof segment === 'object')
  for (const { status, error } of known) {
    if (status === 'undelivered' || status === 'rejected') return { status, error }
  }
  const silent = segments.filter((segment) => segment === 'silent').length
  if (known.length === 0 || known.length + silent < segments.length) return null
  return { status: 'delivered' as const, error: '' as const }
}

function latestSubmission(submissions: Submission[]): Submission[] {
  const ordinal = Math.max(0, ...submissions.map((it) => it.ordinal))
  return submissions.filter((it) => it.ordinal === ordinal)
}

function countWith(submissions: Submission[], outcome: SubmissionOutcome): number {
  return new Set(submissions.filter((it) => it.outcome === outcome).map((it) => it.ordinal)).size
}

function secondsAfter(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}
