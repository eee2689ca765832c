// Removes what is private from a carrier's own words (D21, D50): a carrier may repeat secrets, the number, the text and the OTP in it, in
// any encoding. Everything else that a carrier sends is never kept.
import type { HttpSecrets } from '../secrets.ts'
import type { MessageValues } from './template.ts'

export const HIDDEN = '***'
/** Shorter strings guard nothing, and hiding them would remove half of what a carrier says. */
const SHORTEST_HIDDEN = 4
/** So many characters in a row that also stand in the text are a quotation of it. */
const SHORTEST_QUOTATION = 12
const LONGEST_WORDS = 200
/** A longer one is no word, and may be something encoded that is cut. */
const LONGEST_WORD = 100
/** Longer than any secret: half of one might be left otherwise. */
const LOOKED_THROUGH = 10_000

/** What of the messages of one call must not be shown. */
export interface PrivateParts {
  /** Without a plus, with and without their country. */
  numbers: readonly string[]
  /** Empty where the call has no text. */
  text: string
}

export const NO_PRIVATE_PARTS: PrivateParts = { numbers: [], text: '' }

export function privateParts({ text, toDigits, toNational }: MessageValues): PrivateParts {
  return { numbers: [toDigits, toNational], text }
}

export interface Redactor {
  /** Words for a person to read, without what is private, at most 200 characters. */
  words(words: string): string
  /** Whether a value has something private in it, as it is or encoded. */
  isPrivate(value: string): boolean
}

/** Of one carrier; it is asked for the redactor of each call. */
export type RedactorOf = (parts: PrivateParts) => Redactor

export function redactorsOf(secrets: HttpSecrets): RedactorOf {
  const ofSecrets = Object.values(secrets).flatMap(writings)
  return ({ numbers, text: asWritten }) => {
    const text = inOneLine(asWritten)
    const codes = codesIn(text)
    const needles = longestFirst([...ofSecrets, ...numbers, text, ...codes])
    const isPrivate = (value: string) =>
      isPartOf(value, codes) ||
      decodings(value).some((it) => needles.some((needle) => it.includes(needle)) || quotationIn(it, text) !== null)
    return {
      isPrivate,
      words: (words) => {
        const plain = inOneLine(words.slice(0, LOOKED_THROUGH))
        // Before the cut, which might leave half of a secret or a number.
        const known = needles.reduce((rest, needle) => rest.replaceAll(needle, HIDDEN), plain)
        return withoutQuotations(known.slice(0, 2 * LONGEST_WORDS), text)
          .replaceAll(/(?<![\p{L}\p{N}])\+?\p{Nd}{9,15}(?![\p{L}\p{N}])/gu, HIDDEN)
          .split(' ')
          .map((word) => (word.length > LONGEST_WORD || isPrivate(word) ? HIDDEN : word))
          .join(' ')
          .slice(0, LONGEST_WORDS)
          .toWellFormed()
      },
    }
  }
}

export function inOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
}

function longestFirst(needles: readonly string[]): string[] {
  const all = needles.filter((it) => it.length >= SHORTEST_HIDDEN)
  return [...new Set(all)].sort((one, other) => other.length - one.length)
}

/** Digits in a row, or in groups such as 482-917. */
function codesIn(text: string): string[] {
  const groups = text.match(/\p{Nd}(?:[ -]?\p{Nd}){3,}/gu) ?? []
  return groups.flatMap((it) => [it, it.replaceAll(/[ -]/g, ''), ...(it.match(/\p{Nd}{4,}/gu) ?? [])])
}

/** A carrier may cut an OTP. */
function isPartOf(value: string, codes: readonly string[]): boolean {
  const runs = codes.length > 0 ? (value.match(/\p{Nd}{4,}/gu) ?? []) : []
  return runs.some((run) => codes.some((code) => code.includes(run)))
}

function withoutQuotations(words: string, text: string): string {
  const quotation = quotationIn(words, text)
  return quotation === null ? words : withoutQuotations(words.replaceAll(quotation, HIDDEN), text)
}

/** The longest piece of the text that begins where the first begins. */
function quotationIn(words: string, text: string): string | null {
  for (let from = 0; from + SHORTEST_QUOTATION <= words.length; from++) {
    let to = from + SHORTEST_QUOTATION
    if (!text.includes(words.slice(from, to))) continue
    while (to < words.length && text.includes(words.slice(from, to + 1))) to++
    return words.slice(from, to)
  }
  return null
}

/** A secret as it is, and within JSON; PHP writes a / otherwise there. */
function writings(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1)
  return [secret, inOneLine(secret), inJson, inJson.replaceAll('/', '\\/')]
}

/** The value, and what it is when it is decoded: escapes, base64, hex, and UCS-2 in hex, which carriers write texts in. */
function decodings(value: string): string[] {
  // Most words are words: decoding each would cost more than the rest of an answer.
  if (/^\(?[A-Z]?[a-z]{0,10}[.,:;!?)]*$/.test(value)) return [value]
  const unescaped = value
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('+', ' ')
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
  const base64 = value.match(/[\w+/-]{6,}/g) ?? []
  const hex = value.match(/[0-9a-f]{6,}/gi) ?? []
  // Where it begins is not known.
  const decoded = [0, 1, 2, 3].flatMap((from) => [
    ...base64.map((it) => Buffer.from(it.slice(from), 'base64').toString()),
    ...hex.map((it) => Buffer.from(it.slice(from), 'hex').toString()),
    ...hex.map((it) => ucs2Of(Buffer.from(it.slice(from), 'hex'))),
  ])
  return [value, ...[unescaped, ...decoded].map(inOneLine)]
}

function ucs2Of(bytes: Buffer): string {
  return bytes.length % 2 === 0 ? bytes.swap16().toString('utf16le') : ''
}
