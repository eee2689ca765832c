// Records a carrier's response, with retries.

import type { CarrierEventLane } from '../../actions/carriers/record-carrier-events.ts'
import type { ReceivedAnswer } from '../../actions/messages/record-answers.ts'
import type { Log } from '../../runtime/log.ts'
import { isAway, isPassing } from '../../store/database/db.ts'

const FIRST_WAIT_MS = 50
const MAX_WAIT_MS = 5_000
const MAX_ERRORS = 2

/**
 * Retries during an outage, because a lost response means an unknown outcome (D15). A permanent failure stops after the second attempt,
 * and the claim expires as unknown.
 */
export async function recordAnswer(
  answer: ReceivedAnswer,
  { lane, log, isStopping }: { lane: CarrierEventLane; log: Log; isStopping: () => boolean },
): Promise<void> {
  let faults = 0
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      await lane.add({ kind: 'answer', answer })
      return
    } catch (fault) {
      const { messageId } = answer
      if (!isAway(fault)) log.error({ err: fault, messageId }, 'failed to record carrier response')
      if (!isPassing(fault) && ++faults === MAX_ERRORS) return
      if (isStopping() && waitMs === MAX_WAIT_MS) return
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}
