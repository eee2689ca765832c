// What operators and owners may do to a message that is in progress or has failed (D59): the same rules for one message and for many.
import { type FailureCode, isFinal } from '../message-status.ts'
import { type Refusal, refuse } from '../refusals.ts'
import { expiresAt } from './lifetime.ts'
import { MAYBE_SENT, type SubmissionOutcome } from './submission.ts'
import { type MessageState, type Transition, transition } from './transition.ts'

export const MESSAGE_ACTS = ['cancel', 'fail', 'resend'] as const
export type MessageAct = (typeof MESSAGE_ACTS)[number]

/** Why a message is not changed, apart from the errors of a send. */
export const ACT_REFUSALS = [
  'final',
  'cancelled',
  'already_resent',
  'with_carrier',
  'being_submitted',
  'already_queued',
  'nothing_to_resend',
  'too_old',
  'otp_not_stored',
  'text_deleted',
] as const
type ActRefusal = (typeof ACT_REFUSALS)[number]

/** Of a message whose row is locked. */
export interface ActFacts {
  /** `held`: a live process has claimed it. `lapsed`: its claim expired. `none`: it is not in the queue. */
  queue: 'waiting' | 'held' | 'lapsed' | 'none'
  /** Of all its submissions. */
  outcomes: readonly SubmissionOutcome[]
  /** D56: it is sent, and no receipt was requested, so its status is final. */
  endsAsSent: boolean
  error: FailureCode | ''
  /** null for an OTP message, whose text is not stored in plain form (D21), and after its retention (D44). */
  text: string | null
  /** The message that it was resent as. */
  resentAs: string | null
}

export type ActDecision =
  | { kind: 'end'; transition: Transition }
  /** The same message is submitted again. */
  | { kind: 'resubmit'; transitions: Transition[] }
  /** The text is sent as a new message, which is charged. */
  | { kind: 'send_as_new' }
  | { kind: 'refuse'; refusal: Refusal }

export function decideAct(act: MessageAct, message: MessageState, facts: ActFacts, now: Date): ActDecision {
  switch (act) {
    case 'cancel':
      return cancel(message, facts, now)
    case 'fail':
      return fail(message, facts, now)
    case 'resend':
      return resend(message, facts, now)
    default:
      throw act satisfies never
  }
}

/** Only messages that no carrier has seen, so that no cancelled message arrives. The error stays empty. */
function cancel(message: MessageState, { queue, outcomes }: ActFacts, now: Date): ActDecision {
  if (isFinal(message.status)) return isOver(message)
  if (queue === 'held' || queue === 'lapsed') return BEING_SUBMITTED
  if (queue === 'none' || message.status !== 'queued' || outcomes.some((it) => MAYBE_SENT.includes(it)))
    return no('with_carrier', 'A carrier has the message, or may have it')
  return { kind: 'end', transition: transition(message, 'failed', { at: now }) }
}

/** Any unfinished message that no process is submitting. */
function fail(message: MessageState, { queue, endsAsSent }: ActFacts, now: Date): ActDecision {
  if (isFinal(message.status) || endsAsSent) return isOver(message)
  if (queue === 'held') return BEING_SUBMITTED
  return { kind: 'end', transition: transition(message, 'failed', { at: now, error: 'delivery_failed' }) }
}

/** A final status never changes (D13): a failed message is resent as a new message. */
function resend(message: MessageState, facts: ActFacts, now: Date): ActDecision {
  if (message.status === 'failed') return resendFailed(message, facts, now)
  if (isFinal(message.status) || facts.endsAsSent) return isOver(message)
  if (message.status === 'sent')
    return no('with_carrier', 'A carrier accepted the message; to send it again, fail it first')
  if (facts.queue === 'held') return BEING_SUBMITTED
  if (facts.queue !== 'none') return no('already_queued', 'The message is already queued')
  if (!facts.outcomes.includes('unknown')) return no('nothing_to_resend', 'The message has nothing to resend')
  if (facts.text === null) return notStored(message)
  return isTooOld(message, now) ? TOO_OLD : { kind: 'resubmit', transitions: requeue(message, now) }
}

/** Like any unanswered message that is retried; a partly accepted message stays `submitted` (D12). */
function requeue(message: MessageState, now: Date): Transition[] {
  if (message.status === 'submitted') return []
  return [transition(message, 'queued', { at: now, error: 'delivery_timeout' })]
}

function resendFailed(message: MessageState, { error, text, resentAs }: ActFacts, now: Date): ActDecision {
  if (resentAs !== null) return no('already_resent', `The message was resent as ${resentAs}`)
  if (error === '') return no('cancelled', 'The message was cancelled')
  if (text === null) return notStored(message)
  return isTooOld(message, now) ? TOO_OLD : { kind: 'send_as_new' }
}

function isTooOld(message: MessageState, now: Date): boolean {
  return expiresAt(message) <= now
}

const BEING_SUBMITTED = no('being_submitted', 'The message is being submitted now')
const TOO_OLD = no('too_old', 'The message is too old to be submitted')

function notStored({ type }: MessageState): ActDecision {
  return type === 'otp'
    ? no('otp_not_stored', 'The text of an OTP message is not stored; request a new OTP')
    : no('text_deleted', 'The text of the message was deleted after its retention')
}

function isOver({ status }: MessageState): ActDecision {
  return no('final', `The message is ${status}, which is final`)
}

function no(reason: ActRefusal, error: string): ActDecision & { kind: 'refuse' } {
  return { kind: 'refuse', refusal: refuse('conflict', { error, reason }) }
}
