// Why a receipt belongs to nothing, as far as that can be told from what its carrier was given and what it answered.

/** For how long unmatched receipts are counted, and at most shown. */
export const UNMATCHED_SECONDS = { counted: 24 * 3600, shown: 30 * 24 * 3600 }

export type IdFormat = 'opaque' | 'hex' | 'decimal'
export interface IdFormats {
  answers: IdFormat
  reports: IdFormat
}

/** A receipt, by what tells whose it is. */
interface Unmatched {
  carrierId: string
  /** The id in the spelling that is compared. */
  reference: string
  to: string
}

/** A submission that some spelling of the receipt's id leads to. */
export interface Clue {
  carrierId: string
  reference: string
  to: string
}

export type ReceiptCause =
  /** The ids are the same, written otherwise: with these formats they match. */
  | { kind: 'id_format'; idFormat: IdFormats }
  /** The message went by another carrier's account. */
  | { kind: 'other_carrier'; carrierId: string }
  /** The id is known, but of a message to another number. */
  | { kind: 'other_number' }
  /** Something went to this number by this carrier, under an id that is nothing like it. */
  | { kind: 'other_id'; carrierMessageId: string }
  /** Nothing that is known of went to this number by this carrier. */
  | { kind: 'nothing_sent' }

/** The likely ones first: answers in hex and receipts in decimal are seen most. */
const FORMATS: readonly IdFormats[] = [
  { answers: 'hex', reports: 'decimal' },
  { answers: 'decimal', reports: 'hex' },
  { answers: 'opaque', reports: 'opaque' },
  { answers: 'hex', reports: 'hex' },
]

interface Spelling {
  /** As the submission has it, if this is how the carrier writes. */
  reference: string
  idFormat: IdFormats
}

/** What the answer's id would be on record, were the carrier's ids written otherwise than its settings say. */
export function otherSpellings(reference: string, now: IdFormats): Spelling[] {
  const written = spell(reference, now.reports)
  const found = new Map<string, Spelling>()
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

/** So many last digits are the same, however a number is written. */
const SAME_DIGITS = 8

function isSameNumber(one: string, other: string): boolean {
  return one.slice(-SAME_DIGITS) === other.slice(-SAME_DIGITS)
}

/** One spelling for all: a number in decimal, without leading zeros. */
function read(id: string, format: IdFormat): string {
  if (format === 'hex' && /^[0-9a-f]+$/.test(id)) return BigInt(`0x${id}`).toString()
  return id.replace(/^0+(?=.)/, '')
}

/** How a carrier of that format writes it. */
function spell(id: string, format: IdFormat): string {
  return format === 'hex' && /^\d+$/.test(id) ? BigInt(id).toString(16) : id
}
