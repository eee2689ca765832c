// Reads the receipts of an HTTP carrier as its description says. Unreadable receipts are counted, never guessed.

import { interpretReport, isKnownState, type ReportVerdict } from '../../messages/report.ts'
import { getOwnValue } from '../../own-value.ts'
import { RECEIPT_BOUNDS, type ReceiptReading, type StateMeaning } from './description.ts'
import { at, parsePointer } from './pointer.ts'
import { parsePlace, type ReceiptSource, textAt } from './receipt-place.ts'

export interface ReadReceipt extends ReportVerdict {
  /** The carrier's id or our reference, normalised. */
  reference: string
  /** Empty if the receipt has no number. */
  to: string
  state: string
  code: string
  raw: string
}

const MAX_ID_LENGTH = 200
const MAX_WORD_LENGTH = 100
const MAX_RAW_LENGTH = 1_000

/** `unreadable` receipts have no id or no state. A call with too many receipts is not read at all, so that it gets no success response (D53). */
export function readReceipts(
  source: ReceiptSource,
  reading: ReceiptReading,
): { receipts: ReadReceipt[]; unreadable: number } {
  const items = itemsOf(source, reading.list)
  if (items.length > RECEIPT_BOUNDS.reportsPerCall) return { receipts: [], unreadable: items.length }
  const read = items.map((json) => readReceipt({ ...source, json }, reading))
  const receipts = read.filter((it) => it !== null)
  return { receipts, unreadable: read.length - receipts.length }
}

/** A missing list counts as one unreadable receipt. */
function itemsOf({ json }: ReceiptSource, list: string | null): unknown[] {
  if (list === null) return [json]
  const items = at(json, parsePointer(list) ?? [])
  return Array.isArray(items) ? items : [undefined]
}

function readReceipt(source: ReceiptSource, reading: ReceiptReading): ReadReceipt | null {
  const { id, reference } = reading
  const word = (place: string | null) => storable(place === null ? undefined : textAt(source, parsePlace(place)))
  const name = id === null ? plainReference(word(reference)) : word(id)
  const state = cut(word(reading.state), MAX_WORD_LENGTH)
  // A reading without id and reference is about the polled message (D54).
  const isNamed = name !== '' || (id === null && reference === null)
  if (!isNamed || name.length > MAX_ID_LENGTH || state === '') return null
  const code = cut(word(reading.code), MAX_WORD_LENGTH)
  const time = cut(word(reading.time), MAX_WORD_LENGTH)
  const said = { ...(name && { id: name }), state, ...(code && { code }), ...(time && { time }) }
  return {
    ...interpretState({ state, code }, reading),
    reference: name,
    to: numberOf(word(reading.to)),
    state,
    code,
    raw: cut(JSON.stringify(said), MAX_RAW_LENGTH),
  }
}

/** The SMPP state with the same meaning. */
const IN_SMPP: Record<StateMeaning['status'], string> = {
  pending: 'ENROUTE',
  sent: 'ENROUTE',
  delivered: 'DELIVRD',
  undelivered: 'UNDELIV',
  rejected: 'REJECTD',
  expired: 'EXPIRED',
}

function interpretState(
  { state, code }: { state: string; code: string },
  { states, codes }: ReceiptReading,
): ReportVerdict {
  const meaning = meaningOf(state, states)
  if (meaning?.error !== undefined) return { status: 'undelivered', error: meaning.error }
  const called = meaning ? IN_SMPP[meaning.status] : state
  return interpretReport({ state: called, code, isIntermediate: false }, { reports: codes })
}

/** An exact row, else the longest matching one with a `*`, for example `REJECTED_*`. */
function meaningOf(state: string, states: ReceiptReading['states']): StateMeaning | undefined {
  const own = getOwnValue(states, state)
  if (own) return own
  const rows = Object.entries(states).filter(([row]) => row.endsWith('*') && state.startsWith(row.slice(0, -1)))
  return rows.toSorted(([one], [other]) => other.length - one.length)[0]?.[1]
}

/** Whether this state means that the mobile operator has the message. */
export function isAtOperator({ states }: Pick<ReceiptReading, 'states'>, state: string): boolean {
  return meaningOf(state, states)?.status === 'sent'
}

/** Whether the description or SMPP defines the state; unknown states are pending. */
export function isKnownIn({ states }: Pick<ReceiptReading, 'states'>, state: string): boolean {
  return meaningOf(state, states) !== undefined || isKnownState(state)
}

/** Carriers return our reference with or without dashes. */
function plainReference(text: string): string {
  return text.replaceAll('-', '').toLowerCase()
}

/** Only a number with its country code; a shorter one may be national. */
function numberOf(text: string): string {
  const digits = /^(?:(?:\+|00)([1-9]\d{6,14})|([1-9]\d{10,14}))$/.exec(text.replaceAll(/[\s()-]/g, ''))
  return digits ? `+${digits[1] ?? digits[2]}` : ''
}

/** PostgreSQL cannot store NUL. */
function storable(text = ''): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed().trim()
}

/** Removes half of a surrogate pair, which PostgreSQL cannot store. */
function cut(text: string, longest: number): string {
  return text.slice(0, longest).toWellFormed()
}
