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

export function sumFigures(some: readonly FigureCounts[]): FigureCounts {
  const sum = { ...NO_FIGURES }
  for (const it of some) for (const what of COUNTED) sum[what] += it[what]
  return sum
}
const COUNTED = Object.keys(NO_FIGURES) as (keyof FigureCounts)[]

/** The delivered share of all final receipts; null without any. */
export function deliveryRatio({ delivered, undelivered }: FigureCounts): number | null {
  const reported = delivered + undelivered
  return reported === 0 ? null : delivered / reported
}

/** null without any. */
export function meanSeconds(totalMs: number, count: number): number | null {
  return count === 0 ? null : Math.round(totalMs / count) / 1000
}
