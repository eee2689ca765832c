// Receipts of a carrier over HTTP, read as its description says where they stand. What cannot be read is counted, never guessed.

import { isKnownState, judgeReport, type ReportVerdict } from '../../messages/report.ts'
import { ownOf } from '../../own.ts'
import { RECEIPT_BOUNDS, type ReceiptReading, type StateMeaning } from './description.ts'
import { at, parsePointer } from './pointer.ts'
import { parsePlace, type ReceiptSource, wordAt } from './receipt-place.ts'

export interface ReadReceipt extends ReportVerdict {
  /** The carrier's id, or our reference, in the one spelling that is compared. */
  reference: string
  /** Empty where it does not say. */
  to: string
  state: string
  code: string
  raw: string
}

const LONGEST_ID = 200
const LONGEST_WORD = 100
const LONGEST_RAW = 1_000

/** `unreadable` have no id, or no state. Of more than may be in a call none is read: it must not be answered as if all were (D53). */
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

/** Where the list is none, there is one that cannot be read. */
function itemsOf({ json }: ReceiptSource, list: string | null): unknown[] {
  if (list === null) return [json]
  const items = at(json, parsePointer(list) ?? [])
  return Array.isArray(items) ? items : [undefined]
}

function readReceipt(source: ReceiptSource, reading: ReceiptReading): ReadReceipt | null {
  const { id, reference } = reading
  const word = (place: string | null) => storable(place === null ? undefined : wordAt(source, parsePlace(place)))
  const name = id === null ? plainReference(word(reference)) : word(id)
  const state = cut(word(reading.state), LONGEST_WORD)
  // Where neither is described, it is of the message that was asked about (D54).
  const isNamed = name !== '' || (id === null && reference === null)
  if (!isNamed || name.length > LONGEST_ID || state === '') return null
  const code = cut(word(reading.code), LONGEST_WORD)
  const time = cut(word(reading.time), LONGEST_WORD)
  const said = { ...(name && { id: name }), state, ...(code && { code }), ...(time && { time }) }
  return {
    ...judgeState({ state, code }, reading),
    reference: name,
    to: numberOf(word(reading.to)),
    state,
    code,
    raw: cut(JSON.stringify(said), LONGEST_RAW),
  }
}

/** As SMPP says it; there a state has a meaning already. */
const IN_SMPP: Record<StateMeaning['status'], string> = {
  pending: 'ENROUTE',
  sent: 'ENROUTE',
  delivered: 'DELIVRD',
  undelivered: 'UNDELIV',
  rejected: 'REJECTD',
  expired: 'EXPIRED',
}

function judgeState(
  { state, code }: { state: string; code: string },
  { states, codes }: ReceiptReading,
): ReportVerdict {
  const meaning = meaningOf(state, states)
  if (meaning?.error !== undefined) return { status: 'undelivered', error: meaning.error }
  const called = meaning ? IN_SMPP[meaning.status] : state
  return judgeReport({ state: called, code, isIntermediate: false }, { reports: codes })
}

/** Of the row that is the word, else the longest such as `REJECTED_*` that it begins with. */
function meaningOf(state: string, states: ReceiptReading['states']): StateMeaning | undefined {
  const own = ownOf(states, state)
  if (own) return own
  const rows = Object.entries(states).filter(([row]) => row.endsWith('*') && state.startsWith(row.slice(0, -1)))
  return rows.toSorted(([one], [other]) => other.length - one.length)[0]?.[1]
}

/** Whether the operator has a message whose receipt has this state. */
export function isAtOperator({ states }: Pick<ReceiptReading, 'states'>, state: string): boolean {
  return meaningOf(state, states)?.status === 'sent'
}

/** Whether the description, or SMPP's own words, say what it means; what nobody knows is pending. */
export function isKnownIn({ states }: Pick<ReceiptReading, 'states'>, state: string): boolean {
  return meaningOf(state, states) !== undefined || isKnownState(state)
}

/** Whether we sent it with its dashes or without. */
function plainReference(text: string): string {
  return text.replaceAll('-', '').toLowerCase()
}

/** Only what says of itself that it is a number with its country; shorter ones may be national. */
function numberOf(text: string): string {
  const digits = /^(?:(?:\+|00)([1-9]\d{6,14})|([1-9]\d{10,14}))$/.exec(text.replaceAll(/[\s()-]/g, ''))
  return digits ? `+${digits[1] ?? digits[2]}` : ''
}

/** PostgreSQL holds no NUL. */
function storable(text = ''): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed().trim()
}

/** Of a character that is cut in two nothing is left: PostgreSQL holds no half of one. */
function cut(text: string, longest: number): string {
  return text.slice(0, longest).toWellFormed()
}
