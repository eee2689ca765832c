// One call over HTTP, or the answer to it, as people may see it and as Wireshark reads it (D60): no more of a body than so much, and
// nothing in it that may be a code or opens something.
import { textOf } from '../content.ts'
import { type Hider, hideDigits } from './hide.ts'
import { hideForm } from './hide-form.ts'
import { hideJson, type ReadPlace } from './hide-json.ts'

/** Of one body; what is behind it is neither looked at nor shown. */
export const MOST_SHOWN_BYTES = 16 * 1024
/** So far behind it is looked for a secret that begins before the cut, however it is spelled. */
const LONGEST_SPELLED = 32 * 1024
const LONGEST_HEADER = 1_000
const MOST_HEADERS = 60
const LONGEST_CODE = 40

export interface WireMessage {
  /** `POST /messages HTTP/1.1`, or `HTTP/1.1 200`. */
  firstLine: string
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** null where it was not read, or not all of it came. */
  body: Uint8Array | null
}

/** Where its description reads something: digits that stand there are an id, a number or a status. */
export interface ReadPlaces {
  json: readonly ReadPlace[]
  form: ReadonlySet<string>
  query: ReadonlySet<string>
}

export interface ShownMessage {
  bytes: Buffer
  headers: Record<string, string>
  body: string | null
  /** As it was on the wire. */
  bodyBytes: number | null
}

/** Nobody writes a text into these, and without them nothing is understood. */
const PLAIN = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'date',
  'host',
  'retry-after',
])
/** What they say of the body is not so of what is shown of it. */
const OF_THE_BODY = new Set(['content-length', 'transfer-encoding', 'content-encoding'])

export function showMessage(message: WireMessage, hider: Hider, places: ReadPlaces): ShownMessage {
  const headers = shownHeaders(message.headers, hider)
  const body = message.body === null ? null : shownBody(message.body, { hider, places, type: headers['content-type'] })
  const written = Buffer.from(body ?? '')
  const lines = Object.entries(headers).flatMap(([name, value]) => (OF_THE_BODY.has(name) ? [] : [`${name}: ${value}`]))
  const head = [message.firstLine, ...lines, `content-length: ${written.length}`].join('\r\n')
  const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), written])
  return { bytes, headers, body, bodyBytes: message.body?.length ?? null }
}

/** A path with its query. */
export function showPath(path: string, hider: Hider, readNames: ReadonlySet<string>): string {
  const at = path.indexOf('?')
  const way = at < 0 ? path : path.slice(0, at)
  const shown = inOneLine(
    way
      .split('/')
      .map((step) => hider.word(step))
      .join('/'),
  )
  return at < 0 ? shown : `${shown}?${inOneLine(hideForm(path.slice(at + 1), hider, readNames))}`
}

function shownHeaders(headers: WireMessage['headers'], hider: Hider): Record<string, string> {
  const named = Object.entries(headers).slice(0, MOST_HEADERS)
  return Object.fromEntries(
    named.flatMap(([given, value]) => {
      const name = given.toLowerCase()
      if (value === undefined) return []
      // Secrets first: cut in two, half of one would stay.
      const said = hider.secrets(typeof value === 'string' ? value : value.join(', '))
      const word = inOneLine(said.slice(0, LONGEST_HEADER))
      // Once its spelling is read, it may hold what ends a line, or what PostgreSQL cannot hold.
      const shown = inOneLine(hider.word(word, { name, isRead: PLAIN.has(name) })).toWellFormed()
      return [[shownName(name, hider), shown]]
    }),
  )
}

function shownName(name: string, hider: Hider): string {
  return hider.word(name).replaceAll(/[^!#$%&'*+.^_`|~0-9a-z-]/g, '#')
}

function shownBody(
  body: Uint8Array,
  { hider, places, type = '' }: { hider: Hider; places: ReadPlaces; type?: string | undefined },
): string {
  const looked = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, MOST_SHOWN_BYTES + LONGEST_SPELLED))
  const text = hider.secrets(textOf(looked)).slice(0, MOST_SHOWN_BYTES)
  if (isNoText(text)) return `(${body.length} bytes that are no text)`
  const shown = hidden(text, { hider, places, type }).replaceAll('\u0000', '\ufffd').toWellFormed()
  if (body.length <= MOST_SHOWN_BYTES) return shown
  // What was cut in two may be half a code.
  const end = shown.length - LONGEST_CODE
  return `${shown.slice(0, end)}${hideDigits(shown.slice(end))}… (${body.length} bytes in all)`
}

function hidden(text: string, { hider, places, type }: { hider: Hider; places: ReadPlaces; type: string }): string {
  if (/^\s*[{["]/.test(text)) return hideJson(text, hider, places.json)
  const isForm = type.includes('form-urlencoded') || /^[^\s=&]{1,100}=\S*$/.test(text)
  return isForm ? hideForm(text, hider, places.form) : hider.text(text)
}

/** Compressed, say. */
function isNoText(text: string): boolean {
  const odd = text.match(/(?!\s)[\ufffd\p{Cc}]/gu)?.length ?? 0
  return odd > 8 && odd * 10 > text.length
}

function inOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ')
}
