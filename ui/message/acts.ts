// What may be done to a message as it is now (D59). The service decides; what it would surely refuse is not offered.
import type { Message, Timeline } from '../api/calls.ts'

export type Act = 'cancel' | 'fail' | 'resend'
/** What an act does beyond its name; each has a sentence of its own. */
export type Effect = 'cancelled' | 'failed' | 'failedMaybeThere' | 'again' | 'anew' | 'anewMaybeThere'

const ENDED = ['delivered', 'undelivered', 'failed', 'rejected', 'test']

/** What an act would do, or null where it cannot be. */
export function effectOf(act: Act, whole: Timeline): Effect | null {
  const { status } = whole.message
  const mayBeThere = status !== 'queued' || whole.waiting?.for === 'answer'
  switch (act) {
    case 'cancel':
      return mayBeThere ? null : 'cancelled'
    case 'fail':
      if (ENDED.includes(status)) return null
      return mayBeThere ? 'failedMaybeThere' : 'failed'
    case 'resend':
      if (status === 'failed') return effectOfAnew(whole)
      return status === 'submitting' || status === 'submitted' ? 'again' : null
  }
}

/** A code is not kept, and what was cancelled somebody wanted so. */
function effectOfAnew({ message, timeline }: Timeline): Effect | null {
  if (isCancelled(message) || message.type === 'otp') return null
  // D15: what was taken, or never answered, a network may have.
  const wasTaken = timeline.some((it) => it.what === 'answer' && (it.outcome === 'taken' || it.outcome === 'unknown'))
  const submitted = timeline.filter(({ what }) => what === 'submission').length
  const answered = timeline.filter(({ what }) => what === 'answer').length
  return wasTaken || submitted > answered ? 'anewMaybeThere' : 'anew'
}

export function isCancelled({ status, error }: Pick<Message, 'status' | 'error'>): boolean {
  return status === 'failed' && error === ''
}
