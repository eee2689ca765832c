// Messages and charges of a workspace, by day in its time zone, client, type and country (D7 to D10).
import type { MessageType } from '../message-type.ts'
import { dayOf } from './billing-period.ts'

export interface Usage {
  workspaceId: string
  clientId: string
  day: string
  type: MessageType
  /** Empty: usage before the country was stored. */
  country: string
  messages: number
  segments: number
  costE4: number
  /** Refunds of this day's charges, whenever they happened. */
  refunds: number
  refundedE4: number
}

type UsageOf = Pick<Usage, 'workspaceId' | 'clientId' | 'day' | 'type' | 'country'>

/**
 * The day of a charge, never before the month that pays for it, so that the days of a month add up to its ledger. A batch that began before
 * midnight may find the month already closed by another process.
 */
export function chargedDay(at: Date, { timeZone, period }: { timeZone: string; period: string }): string {
  const { day } = dayOf(at, timeZone)
  return day < period ? period : day
}

/** One row per client, day, type and country, in a fixed order so that concurrent writers cannot deadlock. */
export class UsageSum {
  readonly #rows = new Map<string, Usage>()

  add({ workspaceId, clientId, day, type, country }: UsageOf, more: Partial<Omit<Usage, keyof UsageOf>>): void {
    const row = this.#rows.getOrInsertComputed(`${clientId} ${day} ${type} ${country}`, () => ({
      ...{ workspaceId, clientId, day, type, country },
      ...{ messages: 0, segments: 0, costE4: 0, refunds: 0, refundedE4: 0 },
    }))
    row.messages += more.messages ?? 0
    row.segments += more.segments ?? 0
    row.costE4 += more.costE4 ?? 0
    row.refunds += more.refunds ?? 0
    row.refundedE4 += more.refundedE4 ?? 0
  }

  rows(): Usage[] {
    return [...this.#rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
  }
}
