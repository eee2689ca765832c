// What carriers charge and what is left of what was paid, for the operator's eyes alone (D61).
import { z } from 'zod'
import { fromE4 } from '../../domain/money.ts'

export const carriersCharge = {
  segments: z.int().describe('Segments that carriers accepted at a known price.'),
  cost: z.number().describe('Carrier cost of these segments, whatever their status.'),
  margin: z.number().describe('Net price minus the carrier cost.'),
}

export function carriersView({ segments, costE4 }: { segments: number; costE4: number }, paidE4: number) {
  return { segments, cost: fromE4(costE4), margin: fromE4(paidE4 - costE4) }
}
