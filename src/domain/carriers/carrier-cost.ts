// What carriers charge, by the day, client, type and country under which the customer pays for the messages (D61).
import type { MessageType } from '../message-type.ts'
import type { MessageState } from '../messages/transition.ts'
import { chargedDay } from '../workspaces/usage.ts'

/** An accepted submission and its carrier's price. */
interface TakenSubmission {
  messageId: string
  segments: number
  costE4: number
}

/** Determines the day a message was paid for; a free message has no period. */
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
  country: string
  segments: number
  costE4: number
}

/** One row per client, day, type and country, in a fixed order so that concurrent writers cannot deadlock. */
export function sumCosts(
  taken: readonly TakenSubmission[],
  { messages, charges }: { messages: readonly MessageState[]; charges: readonly Charge[] },
): CarrierCost[] {
  const messageOf = new Map(messages.map((message) => [message.id, message]))
  const chargeOf = new Map(charges.map((charge) => [charge.messageId, charge]))
  const rows = new Map<string, CarrierCost>()
  for (const { messageId, segments, costE4 } of taken) {
    const [message, charge] = [messageOf.get(messageId), chargeOf.get(messageId)]
    if (!message || !charge) throw new Error('a submission has no message or no charge')
    const { workspaceId, clientId, type, country, createdAt } = message
    const day = chargedDay(createdAt, { timeZone: charge.timeZone, period: charge.period ?? '' })
    const none = () => ({ workspaceId, clientId, day, type, country, segments: 0, costE4: 0 })
    const row = rows.getOrInsertComputed(`${clientId} ${day} ${type} ${country}`, none)
    row.segments += segments
    row.costE4 += costE4
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}
