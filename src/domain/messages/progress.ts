// The next status of a message, and whether it is submitted again, from the submissions and reports of all its segments (D12 to D15).
import { type FailureCode, isFinal } from '../message-status.ts'
import { expiresAt } from './lifetime.ts'
import type { Receipts, ReportVerdict } from './report.ts'
import type { SubmissionOutcome } from './submission.ts'
import { type MessageState, type Transition, timeAfter, transition, transitionsOfReport } from './transition.ts'

export interface Submission {
  /** The number of the attempt, shared by all its segments. */
  ordinal: number
  segment: number
  ofSegments: number
  carrierId: string
  outcome: SubmissionOutcome
  error: FailureCode | ''
  /** The carrier's id, normalised; null until the carrier has given one. */
  reference?: string | null
  /** D56: the receipts that were requested. */
  receipts: Receipts
  /** D59: an operator allowed a resend, although the carrier may have the segment. */
  isResendAllowed?: boolean
}

export interface SegmentReport extends ReportVerdict {
  ordinal: number
  segment: number
}

interface ProgressFacts {
  submissions: Submission[]
  reports: SegmentReport[]
  /** When the new report arrived; null without a new report. */
  reportedAt: Date | null
  /** D15: whether the carrier of the latest submission allows resending unknown outcomes. */
  resendUnknown: boolean
  /** The message is in the queue, so its next submission is already scheduled. */
  isWaiting: boolean
}

interface Progress {
  transitions: Transition[]
  /** The queue row stays, is removed, or the message returns to the queue. */
  queue: 'stay' | 'leave' | { dueAt: Date; avoidCarrierId: string | null }
}

/** Adds the report time that the API shows (D13). */
interface TimedProgress extends Progress {
  dlrAt: Date | null
}

/** D14, in seconds; after the last wait the message fails. */
const WAITS = { otp: [2, 4, 8, 16, 32], other: [5, 15, 60, 300, 900] }
/**
 * After throttling or a lost connection the wait doubles from one second up to this maximum, so that a carrier that accepts nothing for hours is not
 * called every second. An OTP cannot wait that long.
 */
const MAX_PAUSE_SECONDS = { otp: 4, other: 60 }
const MAX_REJECTIONS = 3

export function decideProgress(message: MessageState, facts: ProgressFacts, now: Date): TimedProgress {
  const { transitions, queue } = decide(message, facts, now)
  const { reportedAt } = facts
  if (reportedAt === null) return { transitions, queue, dlrAt: null }
  // The time of a report is after all changes before it, and before the final status that it causes (D13).
  const [end] = transitions.slice(-1).filter(({ to }) => isFinal(to))
  const before = end ? transitions.slice(0, -1) : transitions
  const dlrAt = timeAfter(before.at(-1)?.at ?? message.updatedAt, reportedAt)
  return { transitions: end ? [...before, { ...end, at: timeAfter(dlrAt, end.at) }] : before, queue, dlrAt }
}

function decide(message: MessageState, facts: ProgressFacts, now: Date): Progress {
  return decideCommon(message, facts, now) ?? decideInGeneral(message, facts, now)
}

/** Nearly all messages: one segment, accepted at the first submission, then one final report. Saves a tenth of the delivery's CPU time. */
function decideCommon(message: MessageState, { submissions, reports }: ProgressFacts, now: Date): Progress | null {
  const [submission, another] = submissions
  const [report, other] = reports
  const isCommon =
    submission?.outcome === 'accepted' &&
    submission.ofSegments === 1 &&
    submission.receipts === 'each' &&
    submission.segment === 1
  if (!isCommon || another || other) return null
  if (!report) return message.status === 'queued' ? { transitions: reach(message, 'sent', now), queue: 'leave' } : null
  if (message.status !== 'sent' || report.status === 'pending' || !isSameSegment(submission, report)) return null
  const { status } = report
  const error = status === 'delivered' ? '' : report.error
  return { transitions: transitionsOfReport(message, { status, error, at: now }), queue: 'leave' }
}

/** For any number of submissions, segments and reports. */
export function decideInGeneral(message: MessageState, facts: ProgressFacts, now: Date): Progress {
  if (isFinal(message.status) || endsAsSent(message, facts.submissions)) return { transitions: [], queue: 'leave' }
  const isHeld = holdsUnknown(message, facts)
  const ofSegments =
    segmentCountOf(facts.submissions, isHeld) ?? latestSubmission(facts.submissions)[0]?.ofSegments ?? 1
  const segments = segmentStates(facts, ofSegments)
  const verdict = verdictOf(segments)
  if (verdict) return { transitions: transitionsOfReport(message, { ...verdict, at: now }), queue: 'leave' }
  if (segments.every((segment) => segment !== 'missing'))
    return { transitions: reach(message, 'sent', now), queue: 'leave' }
  const partly = segments.some((segment) => segment !== 'missing')
  const inPart = partly ? reach(message, 'submitted', now) : []
  const latest = latestSubmission(facts.submissions)
  if (latest.some((it) => it.outcome === 'open')) return { transitions: inPart, queue: 'stay' }
  const missing = missingSegments(facts.submissions, { ofSegments, isHeld })
  return decideNext(message, { ...facts, missing, inPart }, now)
}

/** D56: every segment was accepted, and no receipt was requested, so `sent` is final. */
export function endsAsSent(
  { status }: Pick<MessageState, 'status'>,
  submissions: readonly Pick<Submission, 'outcome' | 'receipts'>[],
): boolean {
  const taken = submissions.filter((it) => it.outcome === 'accepted')
  return status === 'sent' && taken.length > 0 && taken.every((it) => it.receipts === 'none')
}

/** D14: throttling and a lost connection are not attempts. */
const NO_ATTEMPT: SubmissionOutcome[] = ['throttled', 'unwritten']
const UNCOUNTED: SubmissionOutcome[] = ['open', ...NO_ATTEMPT]
const FAILING: SubmissionOutcome[] = ['unknown', 'other_carrier', 'retryable']

/** The attempts of §2.1. */
export function countSubmissions(submissions: Pick<Submission, 'ordinal' | 'outcome'>[]): number {
  const counted = submissions.filter((it) => !UNCOUNTED.includes(it.outcome))
  return counted.length < 2 ? counted.length : new Set(counted.map((it) => it.ordinal)).size
}

/** D15: whether segments with an unknown outcome wait for a receipt instead of being resent. */
export function holdsUnknown(
  { type }: Pick<MessageState, 'type'>,
  { resendUnknown }: { resendUnknown: boolean },
): boolean {
  return type !== 'otp' && !resendUnknown
}

/** Once a carrier has accepted a segment, or may have, the message keeps its number of segments. */
export function segmentCountOf(submissions: Submission[], isHeld: boolean): number | undefined {
  const taken = submissions.find((it) => it.outcome === 'accepted')
  return (taken ?? submissions.find((it) => isHeld && isUnknown(it)))?.ofSegments
}

/** Segments that no carrier has accepted, and that are not held because of an unknown outcome. */
export function missingSegments(
  submissions: Submission[],
  { ofSegments, isHeld }: { ofSegments: number; isHeld: boolean },
): number[] {
  const gone = submissions.filter((it) => it.outcome === 'accepted' || (isHeld && isUnknown(it)))
  const there = new Set(gone.map((it) => it.segment))
  return Array.from({ length: ofSegments }, (_, index) => index + 1).filter((segment) => !there.has(segment))
}

function isUnknown({ outcome, isResendAllowed = false }: Submission): boolean {
  return outcome === 'unknown' && !isResendAllowed
}

interface NextFacts extends ProgressFacts {
  /** The segments to submit again. */
  missing: number[]
  /** The change to `submitted`, if it is new. */
  inPart: Transition[]
}

/** The latest submission is complete, and some segment was not accepted. */
function decideNext(message: MessageState, facts: NextFacts, now: Date): Progress {
  const { missing, submissions } = facts
  const last = missing.flatMap((segment) => submissions.findLast((it) => it.segment === segment) ?? [])
  const outcomes = new Set(last.map((it) => it.outcome))
  const refused = last.find((it) => it.outcome === 'rejected')
  if (refused) return fail(message, refused.error || 'delivery_failed', now)
  // A report on an accepted segment, or a late answer, does not delay the rest.
  if (facts.isWaiting) return { transitions: facts.inPart, queue: 'stay' }
  // D15: unknown outcomes are not resent by default; they wait for a late answer, a report, or the deadline. Segments that were never sent are in `missing`.
  if (missing.length === 0) return { transitions: facts.inPart, queue: 'leave' }
  // A carrier that rejected the message or did not answer may do so again, so other carriers come first.
  const avoidCarrierId = last.find((it) => FAILING.includes(it.outcome))?.carrierId ?? null
  if (outcomes.has('unknown')) {
    return scheduleRetry(message, { ...facts, error: 'delivery_timeout', avoidCarrierId }, now)
  }
  if (outcomes.has('retryable') && countWith(submissions, 'retryable') >= MAX_REJECTIONS) {
    return fail(message, 'delivery_failed', now)
  }
  if (outcomes.has('retryable') || outcomes.has('other_carrier')) {
    return scheduleRetry(message, { ...facts, error: 'network_unavailable', avoidCarrierId }, now)
  }
  const dueAt = secondsAfter(now, pauseSeconds(message, submissions))
  const queue = { dueAt, avoidCarrierId: null }
  if (message.status === 'submitted' || facts.inPart.length > 0) return { transitions: facts.inPart, queue }
  const error = 'network_unavailable'
  // Throttling defers the message (§3.1) and sends a webhook event; a message that was never submitted waits without an event.
  return { transitions: outcomes.has('throttled') ? [transition(message, 'queued', { at: now, error })] : [], queue }
}

/** By the number of throttled or unsent submissions in a row. */
function pauseSeconds(message: MessageState, submissions: Submission[]): number {
  const numbers = new Set(submissions.map((it) => it.ordinal))
  const decided = submissions.filter((it) => !['accepted', ...NO_ATTEMPT].includes(it.outcome)).map((it) => it.ordinal)
  const lastDecided = Math.max(0, ...decided)
  const inARow = [...numbers].filter((ordinal) => ordinal > lastDecided).length
  const longest = message.type === 'otp' ? MAX_PAUSE_SECONDS.otp : MAX_PAUSE_SECONDS.other
  return Math.min(longest, 2 ** Math.max(0, inARow - 1))
}

function scheduleRetry(
  message: MessageState,
  { submissions, inPart, error, avoidCarrierId }: NextFacts & { error: FailureCode; avoidCarrierId: string | null },
  now: Date,
): Progress {
  const waits = message.type === 'otp' ? WAITS.otp : WAITS.other
  const wait = waits[countSubmissions(submissions) - 1]
  if (wait === undefined) return fail(message, error, now)
  const dueAt = secondsAfter(now, wait)
  // D14: an OTP is resubmitted only while it is valid.
  if (dueAt >= expiresAt(message)) return fail(message, message.type === 'otp' ? 'delivery_timeout' : error, now)
  // A partly accepted message stays `submitted` while the rest is retried (D12).
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

/** `silent`: accepted, and no receipt was requested (D56). */
type SegmentState = 'missing' | 'accepted' | 'silent' | ReportVerdict

/** An OTP may be sent and reported twice: the better result of a segment counts. */
function segmentStates({ submissions, reports }: ProgressFacts, ofSegments: number): SegmentState[] {
  return Array.from({ length: ofSegments }, (_, index) => {
    const taken = submissions.filter((it) => it.segment === index + 1 && it.outcome === 'accepted')
    const states = taken.map((submission): Exclude<SegmentState, 'missing'> => {
      if (submission.receipts === 'none') return 'silent'
      const sharing = submissions.filter((it) => sharesReceipt(it, submission))
      return finalReport(reports.filter((report) => sharing.some((it) => isSameSegment(it, report))))
    })
    const delivered = states.find((state) => typeof state === 'object' && state.status === 'delivered')
    return delivered ?? (states.includes('accepted') ? 'accepted' : (states[0] ?? 'missing'))
  })
}

/**
 * D56: a receipt is about its own segment, about all segments of a carrier that sends one receipt, and about all segments with the same id:
 * a carrier that repeats ids usually sends one receipt for all of them.
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

function finalReport(reports: SegmentReport[]): 'accepted' | ReportVerdict {
  return reports.find((it) => it.status !== 'pending') ?? 'accepted'
}

/** D13: delivered when every requested receipt says so; failed when any segment failed. */
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
