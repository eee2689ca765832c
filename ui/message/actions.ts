// The actions that a message allows now (D59). The service decides; an action that it would reject is not offered.
import type { Message, Timeline } from '../api/calls.ts'

export type MessageAction = 'cancel' | 'fail' | 'resend'
/** The effect of an action; each has its own text. */
export type Effect = 'cancelled' | 'failed' | 'failedMaybeSent' | 'resubmitted' | 'resent' | 'resentMaybeSent'

const ENDED = ['delivered', 'undelivered', 'failed', 'rejected', 'test']

/** The effect of an action, or null where the message does not allow it. */
export function effectOf(action: MessageAction, whole: Timeline): Effect | null {
  const { status } = whole.message
  const mayBeSent = status !== 'queued' || whole.waiting?.for === 'answer'
  switch (action) {
    case 'cancel':
      return mayBeSent ? null : 'cancelled'
    case 'fail':
      if (ENDED.includes(status)) return null
      return mayBeSent ? 'failedMaybeSent' : 'failed'
    case 'resend':
      if (status === 'failed') return effectOfResend(whole)
      return status === 'submitting' || status === 'submitted' ? 'resubmitted' : null
  }
}

/** A message is resent once. The text of an OTP is not stored, and a cancelled message stays cancelled. */
function effectOfResend({ message, timeline }: Timeline): Effect | null {
  if (message.resentAs || isCancelled(message) || message.type === 'otp') return null
  // D15: the carrier may have a message that it accepted or did not answer.
  const wasAccepted = timeline.some(
    (it) => it.what === 'answer' && (it.outcome === 'accepted' || it.outcome === 'unknown'),
  )
  const submitted = timeline.filter(({ what }) => what === 'submission').length
  const answered = timeline.filter(({ what }) => what === 'answer').length
  return wasAccepted || submitted > answered ? 'resentMaybeSent' : 'resent'
}

export function isCancelled({ status, error }: Pick<Message, 'status' | 'error'>): boolean {
  return status === 'failed' && error === ''
}
