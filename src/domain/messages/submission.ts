// A submission of a segment to a carrier, and the outcome of its answer.
import type { FailureCode } from '../message-status.ts'
import type { MessageState } from './transition.ts'

export const SUBMISSION_OUTCOMES = [
  'open', // written, or about to be; no answer yet
  'accepted',
  'throttled', // the account sends too fast; no fault of the message
  'other_carrier', // refused for now, another bind or carrier first
  'unwritten', // it never reached the carrier
  'unknown', // D15: it may have reached the carrier
  'retryable', // refused for now, worth two more tries
  'rejected', // for good
] as const

export type SubmissionOutcome = (typeof SUBMISSION_OUTCOMES)[number]

/** The carrier has the segment, or may have it, so a handset may reply to it. */
export const MAYBE_SENT: readonly SubmissionOutcome[] = ['open', 'accepted', 'unknown']

export interface SubmissionName {
  messageId: string
  ordinal: number
  segment: number
}

export function submissionKey({ messageId, ordinal, segment }: SubmissionName): string {
  return `${messageId} ${ordinal} ${segment}`
}

/** The carrier's answer to one submission. */
export interface SubmissionAnswer extends SubmissionName {
  outcome: Exclude<SubmissionOutcome, 'open'>
  error: FailureCode | ''
  commandStatus: number | null
  carrierMessageId: string | null
  /** The carrier's id, normalised. */
  reference: string | null
}

/** How a carrier identifies a submission, and since when. */
export interface NamedByCarrier {
  carrierId: string
  reference: string | null
  to: string
  claimedAt: Date
  ofSegments: number
}

/** A submission that an answer changed; the cost is set if the answer accepted it. */
export interface AnsweredSubmission extends SubmissionName, NamedByCarrier {
  carrierCostE4: number | null
}

/** A submission that was just accepted, with the id that its receipts will have. */
export interface AcceptedSubmission extends SubmissionName {
  carrierId: string
  carrierMessageId: string | null
  reference: string
  to: string
  message: Pick<MessageState, 'type' | 'createdAt'>
  acceptedAt: Date
}

export type UnansweredOutcome =
  | { kind: 'not_written' }
  | { kind: 'unknown'; cause: 'no_answer' | 'link_lost' }
  /** Our codec rejected the text: the carrier's alphabet cannot encode it. */
  | { kind: 'unwritable' }
  /** The submission could not be prepared because of an error of our own: an encrypted text that does not decrypt, or a bug. */
  | { kind: 'unready' }

/** What an outcome says about the carrier as a whole. */
export type CarrierSign =
  | 'takes'
  | 'judges' // it rejects this message, but may accept another
  | 'refuses' // for a reason that lies with the carrier
  | 'throttles' // the account
  | 'full' // no capacity for this number or for any; a single answer does not show which
  | 'silent'
  | 'nothing' // the carrier never saw it, or the connection was lost

export interface Verdict {
  outcome: Exclude<SubmissionOutcome, 'open'>
  /** The failure code of a permanent rejection. */
  error: FailureCode | ''
  sign: CarrierSign
  /** Our settings or our code need attention. */
  alarm: boolean
}

/** An operator's own meaning of an answer. */
export interface AnswerOverride {
  outcome: 'accepted' | 'throttled' | 'other_carrier' | 'retryable' | 'rejected'
  error?: FailureCode | undefined
}

export function interpretUnanswered(outcome: UnansweredOutcome): Verdict {
  switch (outcome.kind) {
    case 'not_written':
      return verdict('unwritten', { sign: 'nothing' })
    case 'unknown':
      return verdict('unknown', { sign: outcome.cause === 'no_answer' ? 'silent' : 'nothing' })
    case 'unwritable':
      return verdict('rejected', { error: 'carrier_rejected', sign: 'nothing' })
    case 'unready':
      return verdict('rejected', { error: 'delivery_failed', sign: 'nothing' })
    default:
      throw outcome satisfies never
  }
}

/** The default sign of each outcome. */
const SIGNS = {
  accepted: 'takes',
  throttled: 'throttles',
  other_carrier: 'refuses',
  unwritten: 'refuses',
  unknown: 'silent',
  retryable: 'refuses',
  rejected: 'judges',
} as const satisfies Record<Verdict['outcome'], CarrierSign>

export function verdict(
  outcome: Verdict['outcome'],
  { error = '', sign = SIGNS[outcome], alarm = false }: Partial<Omit<Verdict, 'outcome'>> = {},
): Verdict {
  return { outcome, error, sign, alarm }
}

export function referenceOf(messageId: string): string {
  return messageId.replaceAll('-', '')
}

/** The message of a reference; null if the reference is not ours. */
export function messageIdOf(reference: string): string | null {
  const parts = /^([\da-f]{8})([\da-f]{4})(7[\da-f]{3})([89ab][\da-f]{3})([\da-f]{12})$/.exec(reference)
  return parts?.slice(1).join('-') ?? null
}
