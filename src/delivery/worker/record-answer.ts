// Records a carrier's response, with retries.

import type { CarrierEventLane } from '../../actions/carriers/record-carrier-events.ts'
import type { ReceivedAnswer } from '../../actions/messages/record-answers.ts'
import type { Log } from '../../runtime/log.ts'
import { isAway, isPassing } from '../../store/database/db.ts'

const FIRST_WAIT_MS = 50
const MAX_WAIT_MS = 5_000
const MAX_PERMANENT_ERRORS = 2

interface Recording {
  lane: CarrierEventLane
  log: Log
  isStopping: () => boolean
  /** Called once, whether or not the answer is stored. */
  onEnd: () => void
}

/**
 * Retries during an outage, because a lost response means an unknown outcome (D15). A permanent failure stops after the second attempt,
 * and the claim expires as unknown.
 */
export function recordAnswer(answer: ReceivedAnswer, recording: Recording): void {
  attempt(answer, recording, { waitMs: FIRST_WAIT_MS, permanentErrors: 0 })
}

function attempt(
  answer: ReceivedAnswer,
  recording: Recording,
  { waitMs, permanentErrors }: { waitMs: number; permanentErrors: number },
): void {
  const { lane, log, isStopping, onEnd } = recording
  lane.push({ kind: 'answer', answer }, (error) => {
    if (error === null) {
      onEnd()
      return
    }
    if (!isAway(error)) log.error({ err: error, messageId: answer.messageId }, 'failed to record carrier response')
    const failed = isPassing(error) ? permanentErrors : permanentErrors + 1
    if (failed === MAX_PERMANENT_ERRORS || (isStopping() && waitMs === MAX_WAIT_MS)) {
      onEnd()
      return
    }
    const next = { waitMs: Math.min(waitMs * 2, MAX_WAIT_MS), permanentErrors: failed }
    setTimeout(() => attempt(answer, recording, next), waitMs)
  })
}
