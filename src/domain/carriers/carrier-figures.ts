// How a carrier does, summed by the beginning of numbers over the last hour.

export interface FigureCounts {
  /** Segments, by what the carrier answered. */
  accepted: number
  rejected: number
  unanswered: number
  /** By what it reported first in the end: what it says again counts once. */
  delivered: number
  undelivered: number
  /** Of all answers, and of all first receipts, how long they took together. */
  answerMs: number
  receipts: number
  receiptMs: number
  /** Answers that fit no request. */
  unexpectedAnswers: number
  /** Calls with receipts, and answers to our questions for them, that were rejected or could not be read. */
  unreadableReceipts: number
  /** Submissions rejected for a reason that lies with our account or with the carrier, not with the message. */
  accountRejections: number
  /** Answers to submissions that could not be read. */
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

/** Figures are kept by five minutes. */
export function slotOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / SLOT_MS) * SLOT_MS)
}

/** The first slot of the last hour; it is at least an hour. */
export function firstSlot(now: Date): Date {
  return slotOf(new Date(now.getTime() - FIGURE_SECONDS * 1000))
}

export function sumFigures(some: readonly FigureCounts[]): FigureCounts {
  const sum = { ...NO_FIGURES }
  for (const it of some) for (const what of COUNTED) sum[what] += it[what]
  return sum
}
const COUNTED = Object.keys(NO_FIGURES) as (keyof FigureCounts)[]

/** Of what was reported on in the end, how much arrived; null where nothing was. */
export function deliveryRatio({ delivered, undelivered }: FigureCounts): number | null {
  const reported = delivered + undelivered
  return reported === 0 ? null : delivered / reported
}

/** In seconds; null where there was none. */
export function meanSeconds(totalMs: number, count: number): number | null {
  return count === 0 ? null : Math.round(totalMs / count) / 1000
}
