// A submission of a segment to a carrier, and what its answer means: accepted, not now, or never.
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

/** The carrier has it, or may have it: somebody may answer what was sent so. */
export const MAYBE_SENT: readonly SubmissionOutcome[] = ['open', 'accepted', 'unknown']

export interface SubmissionName {
  messageId: string
  ordinal: number
  segment: number
}

export function submissionKey({ messageId, ordinal, segment }: SubmissionName): string {
  return `${messageId} ${ordinal} ${segment}`
}

/** The answer of a carrier to one submission. */
export interface Answer extends SubmissionName {
  outcome: Exclude<SubmissionOutcome, 'open'>
  error: FailureCode | ''
  commandStatus: number | null
  carrierMessageId: string | null
  /** The carrier's id in the one spelling that is compared. */
  reference: string | null
}

/** How a carrier speaks of it, and since when it may. */
export interface NamedByCarrier {
  carrierId: string
  reference: string | null
  to: string
  claimedAt: Date
  ofSegments: number
}

/** What an answer has changed; the cost is told of what was taken now. */
export interface AnsweredSubmission extends SubmissionName, NamedByCarrier {
  carrierCostE4: number | null
}

/** A submission that its carrier took just now, under an id that its reports will have. */
export interface AcceptedSubmission extends SubmissionName {
  carrierId: string
  carrierMessageId: string | null
  reference: string
  to: string
  message: Pick<MessageState, 'type' | 'createdAt'>
  acceptedAt: Date
}

/** Why a submission has no answer. */
export type UnansweredOutcome =
  | { kind: 'not_written' }
  | { kind: 'unknown'; cause: 'no_answer' | 'link_lost' }
  /** Our own codec refused to write it: a text that this carrier's alphabet cannot say. */
  | { kind: 'unwritable' }
  /** It could not be made ready for the wire, for a reason that lies with us: a sealed text that does not open, or a bug. */
  | { kind: 'unready' }

/** What an outcome says of the carrier as a whole, whatever becomes of the message. */
export type CarrierSign =
  | 'takes'
  | 'judges' // it refuses this message, and would another
  | 'refuses' // for a reason that lies with itself
  | 'throttles' // the account
  | 'full' // no room for this number, or for any: one alone cannot tell
  | 'silent'
  | 'nothing' // it never saw it, or the link was lost

export interface Verdict {
  outcome: Exclude<SubmissionOutcome, 'open'>
  /** The neutral code of a refusal for good. */
  error: FailureCode | ''
  sign: CarrierSign
  /** Somebody should look at our settings, or at our code. */
  alarm: boolean
}

/** What an operator sets for an answer of one carrier. */
export interface AnswerOverride {
  outcome: 'accepted' | 'throttled' | 'other_carrier' | 'retryable' | 'rejected'
  error?: FailureCode | undefined
}

export function judgeUnanswered(outcome: UnansweredOutcome): Verdict {
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

/** What an answer says of the carrier where nothing else is said. */
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

/** The message that a reference would be of; null where it cannot be ours. */
export function messageIdOf(reference: string): string | null {
  const parts = /^([\da-f]{8})([\da-f]{4})(7[\da-f]{3})([89ab][\da-f]{3})([\da-f]{12})$/.exec(reference)
  return parts?.slice(1).join('-') ?? null
}
