// D61: what carriers charge for what they have taken just now goes to the days of the messages.
import { type Charge, sumCosts } from '../../domain/carriers/carrier-cost.ts'
import type { Answered } from '../../domain/messages/submission.ts'
import type { MessageState } from '../../domain/messages/transition.ts'
import { addCarrierCosts } from '../../store/carriers/carrier-costs.ts'
import type { Tx } from '../../store/database/db.ts'

export function countCosts(
  tx: Tx,
  { changed, messages, charges }: { changed: Answered[]; messages: MessageState[]; charges: Charge[] },
): Promise<void> {
  const segmentsOf = new Map(messages.map((message) => [message.id, message.segments]))
  const taken = changed.flatMap(({ messageId, ofSegments, carrierCostE4 }) =>
    carrierCostE4 === null
      ? []
      : [{ messageId, segments: ofSegments === 1 ? (segmentsOf.get(messageId) ?? 1) : 1, costE4: carrierCostE4 }],
  )
  return addCarrierCosts(tx, sumCosts(taken, { messages, charges }))
}
