// What carriers charge and what is left of what was paid, for the operator's eyes alone (D61).
import { z } from 'zod'
import { fromE4 } from '../../domain/money.ts'

export const carriersCharge = {
  segments: z.int().describe('What carriers took at a known price; what has none counts as nothing.'),
  cost: z.number().describe('What they charge for it, whatever became of it.'),
  margin: z.number().describe('What was paid in the end, without that.'),
}

export function carriersView({ segments, costE4 }: { segments: number; costE4: number }, paidE4: number) {
  return { segments, cost: fromE4(costE4), margin: fromE4(paidE4 - costE4) }
}
