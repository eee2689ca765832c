// What carriers charge for messages, by the day, client and type that the messages are paid for: so that both stand side by side (D61).
import type { MessageType } from '../message-type.ts'
import type { MessageState } from '../messages/transition.ts'
import { chargedDay } from '../workspaces/usage.ts'

/** A submission that was taken, and what its carrier charges for it. */
interface TakenSubmission {
  messageId: string
  segments: number
  costE4: number
}

/** What tells the day a message was paid for; one that costs nothing has no period. */
export interface Charge {
  messageId: string
  timeZone: string
  period: string | null
}

export interface CarrierCost {
  workspaceId: string
  clientId: string
  day: string
  type: MessageType
  segments: number
  costE4: number
}

/** One row per client, day and type, in one order for everybody. */
export function sumCosts(
  taken: readonly TakenSubmission[],
  { messages, charges }: { messages: readonly MessageState[]; charges: readonly Charge[] },
): CarrierCost[] {
  const messageOf = new Map(messages.map((message) => [message.id, message]))
  const chargeOf = new Map(charges.map((charge) => [charge.messageId, charge]))
  const rows = new Map<string, CarrierCost>()
  for (const { messageId, segments, costE4 } of taken) {
    const [message, charge] = [messageOf.get(messageId), chargeOf.get(messageId)]
    if (!message || !charge) throw new Error('what was taken is of no message that is known')
    const { workspaceId, clientId, type, createdAt } = message
    const day = chargedDay(createdAt, { timeZone: charge.timeZone, period: charge.period ?? '' })
    const none = () => ({ workspaceId, clientId, day, type, segments: 0, costE4: 0 })
    const row = rows.getOrInsertComputed(`${clientId} ${day} ${type}`, none)
    row.segments += segments
    row.costE4 += costE4
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}
