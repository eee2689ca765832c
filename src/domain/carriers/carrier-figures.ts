// Statistics of a carrier over the last hour, by number prefix.

export interface FigureCounts {
  /** Segments, by the carrier's answer. */
  accepted: number
  rejected: number
  unanswered: number
  /** By the first final receipt; repeated receipts do not count. */
  delivered: number
  undelivered: number
  /** Total time until the answers, and until the first receipts. */
  answerMs: number
  receipts: number
  receiptMs: number
  /** Responses that match no request. */
  unexpectedAnswers: number
  /** Receipt callbacks and poll responses that were rejected or could not be parsed. */
  unreadableReceipts: number
  /** Submissions rejected because of our account or the carrier, not the message. */
  accountRejections: number
  /** Submit responses that could not be parsed. */
  unreadableAnswers: number
  /** Long messages whose segments all got the same id. */
  duplicateMessageIds: number
}

export interface Figure extends FigureCounts {
  prefix: string
}

export const NO_FIGURES: Readonly<FigureCounts> = {
  accepted: 0,
  rejected: 0,
  unanswered: 0,
  delivered: 0,
  undelivered: 0,
  answerMs: 0,
  receipts: 0,
  receiptMs: 0,
  unexpectedAnswers: 0,
  unreadableReceipts: 0,
  accountRejections: 0,
  unreadableAnswers: 0,
  duplicateMessageIds: 0,
}

export const FIGURE_SECONDS = 3600
const SLOT_MS = 300_000

/** Counts are stored per five minutes. */
export function slotOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / SLOT_MS) * SLOT_MS)
}

/** The first slot of the last hour, which may begin before the hour. */
export function firstSlot(now: Date): Date {
  return slotOf(new Date(now.getTime() - FIGURE_SECONDS * 1000))
}

/** The counts of one slot, over all prefixes. */
export interface SlotFigures
  extends Pick<FigureCounts, 'accepted' | 'delivered' | 'undelivered' | 'receipts' | 'receiptMs'> {
  slot: Date
}

export function sumSlots(slots: readonly SlotFigures[]): Omit<SlotFigures, 'slot'> {
  const sum = (of: keyof Omit<SlotFigures, 'slot'>) => slots.reduce((total, it) => total + it[of], 0)
  return {
    accepted: sum('accepted'),
    delivered: sum('delivered'),
    undelivered: sum('undelivered'),
    receipts: sum('receipts'),
    receiptMs: sum('receiptMs'),
  }
}

/** Accepted segments per minute in each slot of the last hour, oldest first; in the current slot, per minute of its past part. */
export function ratesBySlot(slots: readonly SlotFigures[], now: Date): number[] {
  const current = slotOf(now).getTime()
  const count = (FIGURE_SECONDS * 1000) / SLOT_MS
  return Array.from({ length: count }, (_, index) => {
    const at = current - (count - 1 - index) * SLOT_MS
    const accepted = slots.find(({ slot }) => slot.getTime() === at)?.accepted ?? 0
    const minutes = at === current ? Math.max(1, (now.getTime() - current) / 60_000) : SLOT_MS / 60_000
    return Math.round((accepted / minutes) * 10) / 10
  })
}

export function sumFigures(some: readonly FigureCounts[]): FigureCounts {
  const sum = { ...NO_FIGURES }
  for (const it of some) for (const what of COUNTED) sum[what] += it[what]
  return sum
}
const COUNTED = Object.keys(NO_FIGURES) as (keyof FigureCounts)[]

/** The delivered share of all final receipts; null without any. */
export function deliveryRatio({
  delivered,
  undelivered,
}: Pick<FigureCounts, 'delivered' | 'undelivered'>): number | null {
  const reported = delivered + undelivered
  return reported === 0 ? null : delivered / reported
}

/** null without any. */
export function meanSeconds(totalMs: number, count: number): number | null {
  return count === 0 ? null : Math.round(totalMs / count) / 1000
}
