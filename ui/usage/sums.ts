// What was spent, added up in whole ten-thousandths: sums of decimal fractions would not be exact.
import type { Usage } from '../api/calls.ts'

export const TYPES: readonly Usage['type'][] = ['transactional', 'otp', 'promotional']

export interface Spent {
  messages: number
  segments: number
  cost: number
  refunded: number
  net: number
}

export function sumOf(some: readonly Spent[]): Spent {
  const sum = { messages: 0, segments: 0, cost: 0, refunded: 0, net: 0 }
  for (const it of some) {
    sum.messages += it.messages
    sum.segments += it.segments
    sum.cost += e4(it.cost)
    sum.refunded += e4(it.refunded)
    sum.net += e4(it.net)
  }
  return { ...sum, cost: sum.cost / 10_000, refunded: sum.refunded / 10_000, net: sum.net / 10_000 }
}

function e4(amount: number): number {
  return Math.round(amount * 10_000)
}

export interface Share extends Spent {
  clientId: string
  type: Usage['type']
}

/** By client and type, what cost most first. */
export function sharesOf(rows: readonly Usage[]): Share[] {
  const groups = Map.groupBy(rows, ({ clientId, type }) => `${clientId} ${type}`)
  const shares = [...groups.values()].flatMap((some) => {
    const [first] = some
    return first ? [{ clientId: first.clientId, type: first.type, ...sumOf(some) }] : []
  })
  return shares.sort((one, other) => other.net - one.net || other.messages - one.messages)
}
