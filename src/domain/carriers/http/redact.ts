// Redacts private data in a carrier's error texts (D21, D50): a carrier may repeat secrets, the number, the text and the OTP in any encoding.
// No other text of a carrier is stored.
import type { HttpSecrets } from '../secrets.ts'
import type { MessageValues } from './template.ts'

export const HIDDEN = '***'
/** Shorter strings protect nothing, and hiding them would remove half of a carrier's text. */
const MIN_REDACTED_LENGTH = 4
/** A run of this many characters that also appears in the message is a quotation. */
const MIN_QUOTATION_LENGTH = 12
const MAX_PHRASE_LENGTH = 200
/** A longer word may be truncated encoded data. */
const MAX_WORD_LENGTH = 100
/** Longer than any secret, so that no part of one remains. */
const MAX_SCANNED = 10_000

/** The private data of the messages of one call. */
export interface PrivateParts {
  /** Without a plus, with and without the country code. */
  numbers: readonly string[]
  /** Empty if the call has no text. */
  text: string
}

export const NO_PRIVATE_PARTS: PrivateParts = { numbers: [], text: '' }

export function privateParts({ text, toDigits, toNational }: MessageValues): PrivateParts {
  return { numbers: [toDigits, toNational], text }
}

export interface Redactor {
  /** A readable text of at most 200 characters, without private data. */
  words(words: string): string
  /** Whether a value contains private data, plain or encoded. */
  isPrivate(value: string): boolean
}

/** Creates the redactor of each call to one carrier. */
export type RedactorOf = (parts: PrivateParts) => Redactor

export function createRedactors(secrets: HttpSecrets): RedactorOf {
  const ofSecrets = Object.values(secrets).flatMap(writings)
  return ({ numbers, text: asWritten }) => {
    const text = toOneLine(asWritten)
    const codes = codesIn(text)
    const needles = longestFirst([...ofSecrets, ...numbers, text, ...codes])
    const isPrivate = (value: string) =>
      isPartOf(value, codes) ||
      decodings(value).some((it) => needles.some((needle) => it.includes(needle)) || quotationIn(it, text) !== null)
    return {
      isPrivate,
      words: (words) => {
        const plain = toOneLine(words.slice(0, MAX_SCANNED))
        // Before truncation, which might leave half of a secret or a number.
        const known = needles.reduce((rest, needle) => rest.replaceAll(needle, HIDDEN), plain)
        return withoutQuotations(known.slice(0, 2 * MAX_PHRASE_LENGTH), text)
          .replaceAll(/(?<![\p{L}\p{N}])\+?\p{Nd}{9,15}(?![\p{L}\p{N}])/gu, HIDDEN)
          .split(' ')
          .map((word) => (word.length > MAX_WORD_LENGTH || isPrivate(word) ? HIDDEN : word))
          .join(' ')
          .slice(0, MAX_PHRASE_LENGTH)
          .toWellFormed()
      },
    }
  }
}

export function toOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
}

function longestFirst(needles: readonly string[]): string[] {
  const all = needles.filter((it) => it.length >= MIN_REDACTED_LENGTH)
  return [...new Set(all)].sort((one, other) => other.length - one.length)
}

/** Consecutive digits, or groups, for example 482-917. */
function codesIn(text: string): string[] {
  const groups = text.match(/\p{Nd}(?:[ -]?\p{Nd}){3,}/gu) ?? []
  return groups.flatMap((it) => [it, it.replaceAll(/[ -]/g, ''), ...(it.match(/\p{Nd}{4,}/gu) ?? [])])
}

/** A carrier may truncate an OTP. */
function isPartOf(value: string, codes: readonly string[]): boolean {
  const runs = codes.length > 0 ? (value.match(/\p{Nd}{4,}/gu) ?? []) : []
  return runs.some((run) => codes.some((code) => code.includes(run)))
}

function withoutQuotations(words: string, text: string): string {
  const quotation = quotationIn(words, text)
  return quotation === null ? words : withoutQuotations(words.replaceAll(quotation, HIDDEN), text)
}

/** The first quotation of the text, as long as possible. */
function quotationIn(words: string, text: string): string | null {
  for (let from = 0; from + MIN_QUOTATION_LENGTH <= words.length; from++) {
    let to = from + MIN_QUOTATION_LENGTH
    if (!text.includes(words.slice(from, to))) continue
    while (to < words.length && text.includes(words.slice(from, to + 1))) to++
    return words.slice(from, to)
  }
  return null
}

/** A secret, plain and in JSON; PHP escapes a slash in JSON. */
function writings(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1)
  return [secret, toOneLine(secret), inJson, inJson.replaceAll('/', '\\/')]
}

/** The value, plain and decoded: escapes, base64, hex, and UCS-2 in hex, which some carriers use for texts. */
function decodings(value: string): string[] {
  // Plain words need no decoding, which would cost more than the rest of the response.
  if (/^\(?[A-Z]?[a-z]{0,10}[.,:;!?)]*$/.test(value)) return [value]
  const unescaped = value
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('+', ' ')
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
  const base64 = value.match(/[\w+/-]{6,}/g) ?? []
  const hex = value.match(/[0-9a-f]{6,}/gi) ?? []
  // The offset of the encoded data is unknown.
  const decoded = [0, 1, 2, 3].flatMap((from) => [
    ...base64.map((it) => Buffer.from(it.slice(from), 'base64').toString()),
    ...hex.map((it) => Buffer.from(it.slice(from), 'hex').toString()),
    ...hex.map((it) => ucs2Of(Buffer.from(it.slice(from), 'hex'))),
  ])
  return [value, ...[unescaped, ...decoded].map(toOneLine)]
}

function ucs2Of(bytes: Buffer): string {
  return bytes.length % 2 === 0 ? bytes.swap16().toString('utf16le') : ''
}
