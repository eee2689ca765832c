// Parses a message search: a number or its last digits, an id or a part of it, or words of the text.
import { DIGITS_SEARCHED } from '../people/masking.ts'
import { readPhoneNumber } from '../phone-number.ts'

export type MessageSearch =
  | { by: 'number'; e164: string }
  /** Ids in this range, inclusive. */
  | { by: 'ids'; from: string; to: string }
  /** Any of these matches: the last digits of the number, the end of the id, or all words. */
  | { by: 'parts'; digits: string | null; idEnd: string | null; words: string[] }

export const MAX_SEARCH_LENGTH = 200
const MAX_WORDS = 8
const SHORTEST_ID_PART = 8
const ID_LENGTH = 32
/** The last group of an id, which lists show. */
const LAST_GROUP = 12

/**
 * Ids begin with their time (D12), and until 2039 with 01. Other hexadecimal digits, and 12 digits, are the end of an id. A search for more
 * than four digits would reveal masked numbers (D68), and a search for words would reveal hidden texts, so these find nothing.
 */
export function parseSearch(
  written: string,
  { country, seesNumbers, seesTexts }: { country: string; seesNumbers: boolean; seesTexts: boolean },
): MessageSearch | null {
  const text = written.trim()
  const number = readPhoneNumber(text.replaceAll(/[\s()-]/g, ''), country)
  if (number.ok) return { by: 'number', e164: number.e164 }
  const hex = text.replaceAll('-', '').toLowerCase()
  const isIdPart = /^[0-9a-f]+$/.test(hex) && hex.length >= SHORTEST_ID_PART && hex.length <= ID_LENGTH
  const isLastGroup = text.length === LAST_GROUP && text.length === hex.length
  if (isIdPart && !isLastGroup && (hex.startsWith('01') || hex.length === ID_LENGTH)) return idsFrom(hex)
  const digits = /^\d{2,15}$/.test(text) && (seesNumbers || text.length <= DIGITS_SEARCHED) ? text : null
  const idEnd = isIdPart && (isLastGroup || /[a-f]/.test(hex)) ? hex : null
  const words = seesTexts ? text.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS) : []
  return digits === null && idEnd === null && words.length === 0 ? null : { by: 'parts', digits, idEnd, words }
}

function idsFrom(beginning: string): MessageSearch {
  const id = (filler: string) =>
    beginning.padEnd(ID_LENGTH, filler).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return { by: 'ids', from: id('0'), to: id('f') }
}
