// Removes what is private from a carrier's own words (D21, D50): a carrier may repeat secrets, the number, the text and the OTP in it, in
// any encoding. Everything else that a carrier sends is never kept.
import type { HttpSecrets } from '../secrets.ts'
import type { HttpAuth } from './description.ts'
import type { MessageValues } from './template.ts'

export const HIDDEN = '***'
/** Shorter strings guard nothing, and hiding them would remove half of what a carrier says. */
const SHORTEST_HIDDEN = 4
/** So many characters in a row that also stand in the text are a quotation of it. */
const SHORTEST_QUOTATION = 12
const LONGEST_WORDS = 200
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

export function redactorsOf(secrets: HttpSecrets, auth: HttpAuth | null): RedactorOf {
  const basic = auth?.kind === 'basic' ? [filled(`${auth.user}:${auth.password}`, secrets)] : []
  const ofSecrets = longestFirst([...Object.values(secrets), ...basic].flatMap(spellings))
  return ({ numbers, text: asWritten }) => {
    const text = inOneLine(asWritten)
    const codes = codesIn(text)
    const ofMessages = longestFirst([...numbers, text, ...codes])
    const hide = (words: string) => without(without(words, ofSecrets), ofMessages)
    const isPrivate = (value: string) =>
      isPartOf(value, codes) || decodings(value).some((it) => withoutQuotations(hide(it), text) !== it)
    return {
      isPrivate,
      words: (words) => {
        // Before the cut, which might leave half of a secret or a number.
        const known = hide(inOneLine(words.slice(0, LOOKED_THROUGH))).slice(0, 2 * LONGEST_WORDS)
        return withoutQuotations(known, text)
          .replaceAll(/(?<![\p{L}\p{N}])\+?\p{Nd}{9,15}(?![\p{L}\p{N}])/gu, HIDDEN)
          .split(' ')
          .map((word) => (isPrivate(word) ? HIDDEN : word))
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

function without(words: string, needles: readonly string[]): string {
  return needles.reduce((rest, needle) => rest.replaceAll(needle, HIDDEN), words)
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
  let rest = words
  for (let from = 0; from + SHORTEST_QUOTATION <= rest.length; from++) {
    let to = from + SHORTEST_QUOTATION
    if (!text.includes(rest.slice(from, to))) continue
    while (to < rest.length && text.includes(rest.slice(from, to + 1))) to++
    rest = `${rest.slice(0, from)}${HIDDEN}${rest.slice(to)}`
  }
  return rest
}

/** As a call sends a secret, and as a provider writes it again: with small letters behind each %, or as PHP writes a / within JSON. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64')
  const form = new URLSearchParams([['', secret]]).toString().slice(1)
  const inUrl = [encodeURIComponent(secret), form, encodeURIComponent(base64)]
  const plain = [secret, inOneLine(secret), JSON.stringify(secret).slice(1, -1)]
  const inText = [...plain, base64.replace(/=+$/, ''), bytes.toString('base64url')]
  return [
    ...[base64, bytes.toString('hex'), bytes.toString('hex').toUpperCase()],
    ...inText.flatMap((it) => [it, it.replaceAll('/', '\\/')]),
    ...inUrl.flatMap((it) => [it, it.replaceAll(/%../g, (code) => code.toLowerCase())]),
  ]
}

/** The value, and what it is when it is decoded. */
function decodings(value: string): string[] {
  const unescaped = value
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('+', ' ')
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
  const packed = value.match(/[\w+/-]{6,}/g) ?? []
  const unpacked = packed.flatMap((it) => {
    const hex = /^(?:[0-9a-f]{2})+$/i.test(it) ? Buffer.from(it, 'hex') : Buffer.alloc(0)
    const ucs2 = hex.length % 2 === 0 ? Buffer.from(hex).swap16().toString('utf16le') : ''
    return [Buffer.from(it, 'base64').toString(), hex.toString(), ucs2]
  })
  return [value, ...[unescaped, ...unpacked].map(inOneLine).filter((it) => it !== value)]
}

function filled(template: string, secrets: HttpSecrets): string {
  return template.replaceAll(/\{secret\.(\w+)\}/g, (whole, name: string) => secrets[name] ?? whole)
}
