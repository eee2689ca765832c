// Sums of spend, in whole ten-thousandths: sums of decimal fractions are not exact.
import type { Usage } from '../api/calls.ts'

export interface Spend {
  messages: number
  segments: number
  cost: number
  refunded: number
  net: number
  /** Carrier cost and margin (D61), visible to operators only. */
  carriers?: { segments: number; cost: number; margin: number } | undefined
}

export function sumOf(rows: readonly Spend[]): Spend {
  const sum = { messages: 0, segments: 0, cost: 0, refunded: 0, net: 0 }
  for (const it of rows) {
    sum.messages += it.messages
    sum.segments += it.segments
    sum.cost += e4(it.cost)
    sum.refunded += e4(it.refunded)
    sum.net += e4(it.net)
  }
  const { cost, refunded, net } = sum
  return { ...sum, cost: cost / 10_000, refunded: refunded / 10_000, net: net / 10_000, carriers: carriersOf(rows) }
}

function carriersOf(rows: readonly Spend[]): Spend['carriers'] {
  const known = rows.flatMap(({ carriers }) => carriers ?? [])
  if (known.length === 0) return undefined
  const add = (of: (one: NonNullable<Spend['carriers']>) => number) => known.reduce((sum, it) => sum + of(it), 0)
  return {
    segments: add(({ segments }) => segments),
    cost: add(({ cost }) => e4(cost)) / 10_000,
    margin: add(({ margin }) => e4(margin)) / 10_000,
  }
}

function e4(amount: number): number {
  return Math.round(amount * 10_000)
}

export interface Share extends Spend {
  clientId: string
  type: Usage['type']
}

/** By client and type, the most expensive first. */
export function sharesOf(rows: readonly Usage[]): Share[] {
  const groups = Map.groupBy(rows, ({ clientId, type }) => `${clientId} ${type}`)
  const shares = [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? [{ clientId: first.clientId, type: first.type, ...sumOf(group) }] : []
  })
  return shares.sort((one, other) => other.net - one.net || other.messages - one.messages)
}

export interface Day extends Spend {
  day: string
}

/** By day, the latest first. */
export function daysOf(rows: readonly Usage[]): Day[] {
  const groups = [...Map.groupBy(rows, ({ day }) => day)]
  return groups.map(([day, group]) => ({ day, ...sumOf(group) })).sort((one, other) => (one.day < other.day ? 1 : -1))
}

const MAX_MONTHS = 120

/** The months of a workspace, the current one first. */
export function monthsOf({ period, createdAt }: { period: string; createdAt: string }): string[] {
  const first = createdAt.slice(0, 7)
  const months = [period.slice(0, 7)]
  while (months.length < MAX_MONTHS && (months.at(-1) ?? '') > first) months.push(monthBefore(months.at(-1) ?? ''))
  return months
}

function monthBefore(month: string): string {
  const date = new Date(`${month}-01T00:00Z`)
  date.setUTCMonth(date.getUTCMonth() - 1)
  return date.toISOString().slice(0, 7)
}
