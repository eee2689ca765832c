// What somebody who looks for a message has written: a number or the end of one, an id or a part of one, or words of its text.
import { DIGITS_SEARCHED } from '../people/masking.ts'
import { readPhoneNumber } from '../phone-number.ts'

export type MessageSearch =
  | { by: 'number'; e164: string }
  /** Ids from the first of these to the last. */
  | { by: 'ids'; from: string; to: string }
  /** Any of what is given: the last digits of the number, the end of the id, or all of the words. */
  | { by: 'parts'; digits: string | null; idEnd: string | null; words: string[] }

export const LONGEST_SEARCH = 200
const MOST_WORDS = 8
const SHORTEST_ID_PART = 8
const ID_LENGTH = 32
/** Of an id as it is written: what a list shows of it. */
const LAST_GROUP = 12

/**
 * Ids are times first (D12), and until 2039 they all begin with 01: other hexadecimal digits are the end of one, and so is what is
 * as long as its last group. To who sees numbers masked, more than the last four digits would tell the others one by one (D68); and to who sees no
 * texts, words would tell those. Such a search finds nothing.
 */
export function readSearch(
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
  const words = seesTexts ? text.split(/\s+/).filter(Boolean).slice(0, MOST_WORDS) : []
  return digits === null && idEnd === null && words.length === 0 ? null : { by: 'parts', digits, idEnd, words }
}

function idsFrom(beginning: string): MessageSearch {
  const id = (filler: string) =>
    beginning.padEnd(ID_LENGTH, filler).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return { by: 'ids', from: id('0'), to: id('f') }
}
