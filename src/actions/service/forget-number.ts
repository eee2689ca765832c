// Removes a person's number and texts (D77), in steps: a bounded transaction each, which another call continues.
import { SETTLED_MS } from '../../domain/messages/lifetime.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import {
  countRemaining,
  forgetCarrierRecords,
  forgetDecisions,
  forgetMessages,
  forgetReplies,
  lockForgettable,
  lockForgettableReplies,
} from '../../store/service/forget.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

/** Small, because a step locks the messages. */
export const MAX_FORGOTTEN = 500
const MAX_COUNTED = 1_000
/** Carrier tests that are older are not sent any more. */
const TEST_MS = 60_000

export interface Forgotten {
  messages: number
  replies: number
  /** Messages, replies and carrier tests that keep the number because they, or their webhook events, are not final, up to MAX_COUNTED of each. */
  unfinished: number
  isDone: boolean
}

/** Records counts only: the audit log must not keep what is removed. */
export function forgetNumber(ports: Ports, caller: Caller, number: string): Promise<Forgotten> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const batch = { number, limit: MAX_FORGOTTEN }
    const now = ports.clock.now().getTime()
    const sentBeforeId = lowestIdOf(new Date(now - SETTLED_MS))
    const ids = await lockForgettable(tx, { ...batch, sentBeforeId })
    const replies = await lockForgettableReplies(tx, batch)
    await forgetMessages(tx, { number, ids })
    await forgetReplies(tx, replies)
    const isDone = ids.length < MAX_FORGOTTEN && replies.length < MAX_FORGOTTEN
    if (isDone) await forgetCarrierRecords(tx, { number, sentSince: new Date(now - TEST_MS) })
    const unfinished = isDone ? await countRemaining(tx, { number, limit: MAX_COUNTED }) : 0
    // An OTP that is still to be delivered keeps its code and its limits.
    if (isDone && unfinished === 0) await forgetDecisions(tx, number)
    const counts = { messages: ids.length, replies: replies.length, unfinished }
    await recordChange(tx, {
      ports,
      caller,
      workspaceId: null,
      action: 'number.forgotten',
      subject: 'service',
      details: counts,
    })
    return { ...counts, isDone }
  })
}
