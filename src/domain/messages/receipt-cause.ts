// Why a receipt matches no message, as far as the carrier's settings and submissions show it.
import { DAY_SECONDS } from '../durations.ts'

/** How long unmatched receipts are counted, and how long they are shown. */
export const UNMATCHED_SECONDS = { counted: DAY_SECONDS, shown: 30 * DAY_SECONDS }

export type IdFormat = 'opaque' | 'hex' | 'decimal'
export interface IdFormats {
  answers: IdFormat
  reports: IdFormat
}

interface Unmatched {
  carrierId: string
  /** The id, normalised. */
  reference: string
  to: string
}

/** A submission whose id is another spelling of the receipt's id. */
export interface Clue {
  carrierId: string
  reference: string
  to: string
}

export type ReceiptCause =
  /** The ids are equal in another format: with these formats they match. */
  | { kind: 'id_format'; idFormat: IdFormats }
  /** The message went through another carrier. */
  | { kind: 'other_carrier'; carrierId: string }
  /** The id belongs to a message to another number. */
  | { kind: 'other_number' }
  /** This carrier got a message to this number, but with an unrelated id. */
  | { kind: 'other_id'; carrierMessageId: string }
  /** This carrier got no known message to this number. */
  | { kind: 'nothing_sent' }

/** Likely ones first: answers in hex with receipts in decimal are the most common. */
const FORMATS: readonly IdFormats[] = [
  { answers: 'hex', reports: 'decimal' },
  { answers: 'decimal', reports: 'hex' },
  { answers: 'opaque', reports: 'opaque' },
  { answers: 'hex', reports: 'hex' },
]

interface IdCandidate {
  /** The stored id of the submission, if the carrier uses this format. */
  reference: string
  idFormat: IdFormats
}

/** The stored ids that the receipt could match, if the id formats of the carrier's settings are wrong. */
export function otherSpellings(reference: string, now: IdFormats): IdCandidate[] {
  const written = spell(reference, now.reports)
  const found = new Map<string, IdCandidate>()
  for (const idFormat of FORMATS) {
    const answered = spell(read(written, idFormat.reports), idFormat.answers)
    const other = read(answered, now.answers)
    if (other !== reference && !found.has(other)) found.set(other, { reference: other, idFormat })
  }
  return [...found.values()]
}

export function likelyCause(
  receipt: Unmatched,
  { idFormat, clues, lastIdToNumber }: { idFormat: IdFormats; clues: readonly Clue[]; lastIdToNumber: string | null },
): ReceiptCause {
  const own = clues.filter((clue) => clue.carrierId === receipt.carrierId)
  const spelling = otherSpellings(receipt.reference, idFormat).find((it) =>
    own.some((clue) => clue.reference === it.reference && isSameNumber(clue.to, receipt.to)),
  )
  if (spelling) return { kind: 'id_format', idFormat: spelling.idFormat }
  const known = clues.filter((clue) => clue.reference === receipt.reference)
  const elsewhere = known.find((it) => it.carrierId !== receipt.carrierId && isSameNumber(it.to, receipt.to))
  if (elsewhere) return { kind: 'other_carrier', carrierId: elsewhere.carrierId }
  if (known.some((it) => it.carrierId === receipt.carrierId)) return { kind: 'other_number' }
  return lastIdToNumber === null ? { kind: 'nothing_sent' } : { kind: 'other_id', carrierMessageId: lastIdToNumber }
}

/** This many last digits are equal in every notation of a number. */
const SAME_DIGITS = 8

function isSameNumber(one: string, other: string): boolean {
  return one.slice(-SAME_DIGITS) === other.slice(-SAME_DIGITS)
}

/** Normalises an id: a number in decimal, without leading zeros. */
function read(id: string, format: IdFormat): string {
  if (format === 'hex' && /^[0-9a-f]+$/.test(id)) return BigInt(`0x${id}`).toString()
  return id.replace(/^0+(?=.)/, '')
}

/** The id as a carrier with that format writes it. */
function spell(id: string, format: IdFormat): string {
  return format === 'hex' && /^\d+$/.test(id) ? BigInt(id).toString(16) : id
}
